import { t } from 'elysia';
import { stringEnum, Timestamp, Uuid } from '../../http/schemas.ts';
import { UserResponseDto } from '../users/index.ts';

const ReactionType = stringEnum(['comment', 'like'], { title: 'ReactionType' });
const ReactionLevel = stringEnum(['album', 'asset'], { title: 'ReactionLevel' });

export const ActivityResponseDto = t.Object(
  {
    assetId: t.Nullable(Uuid),
    comment: t.Optional(t.Nullable(t.String())),
    createdAt: Timestamp,
    id: Uuid,
    type: ReactionType,
    user: UserResponseDto,
  },
  { title: 'ActivityResponseDto' },
);
export type Activity = typeof ActivityResponseDto.static;

export const ActivityQuery = t.Object({
  albumId: Uuid,
  assetId: t.Optional(Uuid),
  /** 'album': only activities of the album itself. */
  level: t.Optional(ReactionLevel),
  type: t.Optional(ReactionType),
  userId: t.Optional(Uuid),
});
export type ActivityFilter = typeof ActivityQuery.static;

export const ActivityCreateDto = t.Object(
  {
    albumId: Uuid,
    /** Undefined: about the album. */
    assetId: t.Optional(Uuid),
    comment: t.Optional(t.String({ maxLength: 10_000 })),
    type: ReactionType,
  },
  { title: 'ActivityCreateDto' },
);
export type ActivityCreate = typeof ActivityCreateDto.static;

export const ActivityStatisticsQuery = t.Object({ albumId: Uuid, assetId: t.Optional(Uuid) });

export const ActivityStatisticsResponseDto = t.Object(
  { comments: t.Integer({ minimum: 0 }), likes: t.Integer({ minimum: 0 }) },
  { title: 'ActivityStatisticsResponseDto' },
);
export type ActivityStatistics = typeof ActivityStatisticsResponseDto.static;
