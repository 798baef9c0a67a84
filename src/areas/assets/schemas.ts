import { t } from 'elysia';
import { AVATAR_COLORS } from '../../db/tables/identity.ts';
import { GuestQuery, stringEnum, QueryFlag, Timestamp, Uuid } from '../../http/schemas.ts';
import { TagResponseDto } from '../tags/index.ts';

export const AssetTypeEnum = stringEnum(['IMAGE', 'VIDEO', 'AUDIO', 'OTHER'], {
  title: 'AssetTypeEnum',
});
export const AssetVisibility = stringEnum(['archive', 'timeline', 'hidden', 'locked'], {
  title: 'AssetVisibility',
});
export type Visibility = typeof AssetVisibility.static;

const Count = t.Integer({ minimum: 0 });
const Text = t.Nullable(t.String());
const Amount = t.Nullable(t.Number());

export const ExifResponseDto = t.Object(
  {
    city: Text,
    country: Text,
    dateTimeOriginal: t.Nullable(Timestamp),
    description: Text,
    exifImageHeight: t.Nullable(Count),
    exifImageWidth: t.Nullable(Count),
    exposureTime: Text,
    fNumber: Amount,
    fileSizeInByte: t.Nullable(Count),
    focalLength: Amount,
    iso: t.Nullable(t.Integer()),
    latitude: Amount,
    lensModel: Text,
    longitude: Amount,
    make: Text,
    model: Text,
    modifyDate: t.Nullable(Timestamp),
    orientation: Text,
    projectionType: Text,
    /** 1 to 5, or -1 for a rejected picture. */
    rating: t.Nullable(t.Integer({ minimum: -1, maximum: 5 })),
    state: Text,
    timeZone: Text,
  },
  { title: 'ExifResponseDto' },
);
export type Exif = typeof ExifResponseDto.static;

const AssetOwnerDto = t.Object(
  {
    avatarColor: stringEnum(AVATAR_COLORS, { title: 'UserAvatarColor' }),
    email: t.String(),
    id: Uuid,
    name: t.String(),
    profileChangedAt: Timestamp,
    profileImagePath: t.String(),
  },
  { title: 'UserResponseDto' },
);

const AssetStackResponseDto = t.Object(
  { assetCount: Count, id: Uuid, primaryAssetId: Uuid },
  { title: 'AssetStackResponseDto' },
);

export const AssetPersonDto = t.Object(
  {
    birthDate: t.Nullable(t.String({ format: 'date' })),
    color: t.Optional(t.String()),
    id: Uuid,
    isFavorite: t.Optional(t.Boolean()),
    isHidden: t.Boolean(),
    name: t.String(),
    thumbnailPath: t.String(),
    updatedAt: t.Optional(Timestamp),
  },
  { title: 'PersonResponseDto' },
);
export type AssetPerson = typeof AssetPersonDto.static;

export const AssetResponseDto = t.Object(
  {
    checksum: t.String(),
    createdAt: Timestamp,
    duplicateId: t.Optional(t.Nullable(Uuid)),
    duration: t.Nullable(t.Integer({ minimum: 0, maximum: 2_147_483_647 })),
    exifInfo: t.Optional(ExifResponseDto),
    fileCreatedAt: Timestamp,
    fileModifiedAt: Timestamp,
    hasMetadata: t.Boolean(),
    height: t.Nullable(Count),
    id: Uuid,
    isArchived: t.Boolean(),
    isEdited: t.Boolean(),
    isFavorite: t.Boolean(),
    isOffline: t.Boolean(),
    isTrashed: t.Boolean(),
    libraryId: t.Optional(t.Nullable(Uuid)),
    livePhotoVideoId: t.Optional(t.Nullable(t.String())),
    localDateTime: Timestamp,
    originalFileName: t.String(),
    originalMimeType: t.Optional(t.String()),
    originalPath: t.String(),
    owner: t.Optional(AssetOwnerDto),
    /** Not sent to guests of a link without metadata. */
    ownerId: t.String({ format: 'uuid' }),
    people: t.Optional(t.Array(AssetPersonDto)),
    resized: t.Optional(t.Boolean()),
    stack: t.Optional(t.Nullable(AssetStackResponseDto)),
    tags: t.Optional(t.Array(TagResponseDto)),
    thumbhash: t.Nullable(t.String()),
    type: AssetTypeEnum,
    updatedAt: Timestamp,
    visibility: AssetVisibility,
    width: t.Nullable(Count),
  },
  { title: 'AssetResponseDto' },
);
export type Asset = typeof AssetResponseDto.static;

export const UpdateAssetDto = t.Object(
  {
    dateTimeOriginal: t.Optional(t.String({ maxLength: 40 })),
    description: t.Optional(t.String({ maxLength: 100_000 })),
    isFavorite: t.Optional(t.Boolean()),
    latitude: t.Optional(t.Number({ minimum: -90, maximum: 90 })),
    livePhotoVideoId: t.Optional(t.Nullable(Uuid)),
    longitude: t.Optional(t.Number({ minimum: -180, maximum: 180 })),
    rating: t.Optional(t.Nullable(t.Integer({ minimum: -1, maximum: 5 }))),
    visibility: t.Optional(AssetVisibility),
  },
  { title: 'UpdateAssetDto' },
);
export type AssetUpdate = typeof UpdateAssetDto.static;

export const AssetStatsResponseDto = t.Object(
  {
    images: t.Integer(),
    videos: t.Integer(),
    audio: t.Optional(t.Integer()),
    total: t.Integer(),
  },
  { title: 'AssetStatsResponseDto' },
);
export type AssetStats = typeof AssetStatsResponseDto.static;

export const StatisticsQuery = t.Object({
  isFavorite: QueryFlag,
  isTrashed: QueryFlag,
  visibility: t.Optional(AssetVisibility),
});
export type StatisticsFilter = typeof StatisticsQuery.static;

export const AssetMediaSize = stringEnum(['original', 'fullsize', 'preview', 'thumbnail'], {
  title: 'AssetMediaSize',
});
export type MediaSize = typeof AssetMediaSize.static;
export const ThumbnailQuery = t.Object({
  ...GuestQuery,
  size: t.Optional(AssetMediaSize),
  edited: QueryFlag,
  c: t.Optional(t.String()),
});
export const OriginalQuery = t.Object({
  ...GuestQuery,
  edited: QueryFlag,
  c: t.Optional(t.String()),
});
export const GuestOnlyQuery = t.Object(GuestQuery);

// PostgreSQL cannot store U+0000 in text.
export const MetadataKey = t.String({ minLength: 1, maxLength: 200, pattern: '^[^\\u0000]*$' });
export const MetadataValue = t.Record(t.String(), t.Unknown());

export const AssetMetadataResponseDto = t.Object(
  { key: t.String(), updatedAt: Timestamp, value: MetadataValue },
  { title: 'AssetMetadataResponseDto' },
);
export type Metadata = typeof AssetMetadataResponseDto.static;

export const AssetMetadataUpsertDto = t.Object(
  {
    items: t.Array(
      t.Object({ key: MetadataKey, value: MetadataValue }, { title: 'AssetMetadataUpsertItemDto' }),
      { maxItems: 1000 },
    ),
  },
  { title: 'AssetMetadataUpsertDto' },
);
export type MetadataUpsert = typeof AssetMetadataUpsertDto.static;
export const MetadataParams = t.Object({ id: Uuid, key: MetadataKey });
