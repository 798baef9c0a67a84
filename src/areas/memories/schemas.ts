import { t } from 'elysia';
import { stringEnum, QueryFlag, Timestamp, Uuid } from '../../http/schemas.ts';
import { AssetResponseDto } from '../assets/index.ts';

const MemoryType = stringEnum(['on_this_day', 'person', 'pet', 'place', 'custom'], {
  title: 'MemoryType',
});

export const MemoriesQuery = t.Object({
  /** A date or a timestamp: Immich's clients send either. */
  for: t.Optional(t.Union([t.String({ format: 'date' }), Timestamp])),
  id: t.Optional(Uuid),
  isHidden: QueryFlag,
  isSaved: QueryFlag,
  isTrashed: QueryFlag,
  isUpcoming: QueryFlag,
  order: t.Optional(
    stringEnum(['asc', 'desc', 'random'], { title: 'MemorySearchOrder', default: 'desc' }),
  ),
  page: t.Optional(t.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, default: 1 })),
  size: t.Optional(t.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })),
  type: t.Optional(MemoryType),
});

export const MemoryResponseDto = t.Object(
  {
    assetCount: t.Integer({ minimum: 0 }),
    assets: t.Array(AssetResponseDto),
    createdAt: Timestamp,
    data: t.Record(t.String(), t.Unknown()),
    deletedAt: t.Optional(Timestamp),
    description: t.Optional(t.Nullable(t.String())),
    hideAt: t.Optional(Timestamp),
    id: Uuid,
    isHidden: t.Boolean(),
    isSaved: t.Boolean(),
    isUpcoming: t.Boolean(),
    memoryAt: Timestamp,
    name: t.Optional(t.Nullable(t.String())),
    ownerId: Uuid,
    seenAt: t.Optional(Timestamp),
    showAt: t.Optional(Timestamp),
    type: MemoryType,
    updatedAt: Timestamp,
  },
  { title: 'MemoryResponseDto' },
);
