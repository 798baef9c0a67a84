import { t } from 'elysia';
import { stringEnum, QueryFlag, Timestamp, Uuid } from '../../http/schemas.ts';
import { UserResponseDto } from '../users/index.ts';

const Role = stringEnum(['editor', 'owner', 'viewer'], { title: 'AlbumUserRole' });
const Order = stringEnum(['asc', 'desc'], { title: 'AssetOrder' });
const Name = t.String({ maxLength: 500 });
const Description = t.String({ maxLength: 10_000 });

const AlbumUserResponseDto = t.Object(
  { role: Role, user: UserResponseDto },
  { title: 'AlbumUserResponseDto' },
);

export const AlbumResponseDto = t.Object(
  {
    id: Uuid,
    albumName: t.String(),
    description: t.String(),
    albumThumbnailAssetId: t.Nullable(Uuid),
    albumUsers: t.Array(AlbumUserResponseDto),
    assetCount: t.Integer(),
    contributorCounts: t.Optional(
      t.Array(
        t.Object(
          { userId: Uuid, assetCount: t.Integer() },
          { title: 'ContributorCountResponseDto' },
        ),
      ),
    ),
    shared: t.Boolean(),
    hasSharedLink: t.Boolean(),
    isActivityEnabled: t.Boolean(),
    order: t.Optional(Order),
    startDate: t.Optional(Timestamp),
    endDate: t.Optional(Timestamp),
    lastModifiedAssetTimestamp: t.Optional(Timestamp),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  { title: 'AlbumResponseDto' },
);
export type Album = typeof AlbumResponseDto.static;

export const AlbumQuery = t.Object({
  assetId: t.Optional(Uuid),
  id: t.Optional(Uuid),
  isOwned: QueryFlag,
  isShared: QueryFlag,
  name: t.Optional(t.String()),
});
export type AlbumFilter = typeof AlbumQuery.static;

export const CreateAlbumDto = t.Object(
  {
    albumName: Name,
    description: t.Optional(t.Nullable(Description)),
    assetIds: t.Optional(t.Array(Uuid, { maxItems: 65_000 })),
    albumUsers: t.Optional(
      t.Array(t.Object({ userId: Uuid, role: Role }, { title: 'AlbumUserCreateDto' })),
    ),
  },
  { title: 'CreateAlbumDto' },
);
export type AlbumCreate = typeof CreateAlbumDto.static;

export const UpdateAlbumDto = t.Object(
  {
    albumName: t.Optional(Name),
    description: t.Optional(t.Nullable(Description)),
    albumThumbnailAssetId: t.Optional(Uuid),
    isActivityEnabled: t.Optional(t.Boolean()),
    order: t.Optional(Order),
  },
  { title: 'UpdateAlbumDto' },
);
export type AlbumUpdate = typeof UpdateAlbumDto.static;

export const AddUsersDto = t.Object(
  {
    albumUsers: t.Array(
      t.Object({ userId: Uuid, role: t.Optional(Role) }, { title: 'AlbumUserAddDto' }),
      { minItems: 1 },
    ),
  },
  { title: 'AddUsersDto' },
);
export type AlbumShare = typeof AddUsersDto.static;

export const UpdateAlbumUserDto = t.Object({ role: Role }, { title: 'UpdateAlbumUserDto' });

/** `userId` 'me' is the caller. */
export const AlbumUserParams = t.Object({ id: Uuid, userId: t.Union([Uuid, t.Literal('me')]) });

export const AlbumsAddAssetsDto = t.Object(
  {
    albumIds: t.Array(Uuid, { minItems: 1, maxItems: 1000 }),
    assetIds: t.Array(Uuid, { minItems: 1, maxItems: 65_000 }),
  },
  { title: 'AlbumsAddAssetsDto' },
);

export const AlbumsAddAssetsResponseDto = t.Object(
  {
    success: t.Boolean(),
    error: t.Optional(
      stringEnum(['duplicate', 'no_permission', 'not_found', 'unknown', 'validation']),
    ),
  },
  { title: 'AlbumsAddAssetsResponseDto' },
);

export const AlbumStatisticsResponseDto = t.Object(
  { owned: t.Integer(), shared: t.Integer(), notShared: t.Integer() },
  { title: 'AlbumStatisticsResponseDto' },
);
