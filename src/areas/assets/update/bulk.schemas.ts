import { t } from 'elysia';
import { stringEnum, Timestamp, Uuid } from '../../../http/schemas.ts';
import { AssetVisibility, MetadataKey, MetadataValue } from '../schemas.ts';

const MAX_IDS = 65_000;
const MINUTES_PER_CENTURY = 52_596_000;
const Ids = t.Array(Uuid, { maxItems: MAX_IDS });

export const AssetBulkUpdateDto = t.Object(
  {
    ids: Ids,
    dateTimeOriginal: t.Optional(t.String({ maxLength: 40 })),
    /** Minutes to add to each capture date. */
    dateTimeRelative: t.Optional(
      t.Integer({ minimum: -MINUTES_PER_CENTURY, maximum: MINUTES_PER_CENTURY }),
    ),
    timeZone: t.Optional(t.String({ minLength: 1, maxLength: 64 })),
    description: t.Optional(t.String({ maxLength: 100_000, pattern: '^[^\\u0000]*$' })),
    /** The set of duplicates that they make; null takes them out of theirs, and keeps sets that the server has found. */
    duplicateId: t.Optional(t.Nullable(t.String())),
    isFavorite: t.Optional(t.Boolean()),
    latitude: t.Optional(t.Number({ minimum: -90, maximum: 90 })),
    longitude: t.Optional(t.Number({ minimum: -180, maximum: 180 })),
    rating: t.Optional(t.Nullable(t.Integer({ minimum: -1, maximum: 5 }))),
    visibility: t.Optional(AssetVisibility),
  },
  { title: 'AssetBulkUpdateDto' },
);
export type BulkUpdate = typeof AssetBulkUpdateDto.static;

const CopyFlag = t.Optional(t.Boolean({ default: true }));
export const AssetCopyDto = t.Object(
  {
    sourceId: Uuid,
    targetId: Uuid,
    albums: CopyFlag,
    favorite: CopyFlag,
    sharedLinks: CopyFlag,
    sidecar: CopyFlag,
    stack: CopyFlag,
  },
  { title: 'AssetCopyDto' },
);
export type AssetCopy = typeof AssetCopyDto.static;

export const AssetJobsDto = t.Object(
  {
    assetIds: Ids,
    name: stringEnum(
      ['refresh-faces', 'refresh-metadata', 'regenerate-thumbnail', 'transcode-video'],
      {
        title: 'AssetJobName',
      },
    ),
  },
  { title: 'AssetJobsDto' },
);
export type AssetJobs = typeof AssetJobsDto.static;

export const AssetMetadataBulkUpsertDto = t.Object(
  {
    items: t.Array(
      t.Object(
        { assetId: Uuid, key: MetadataKey, value: MetadataValue },
        { title: 'AssetMetadataBulkUpsertItemDto' },
      ),
      { maxItems: MAX_IDS },
    ),
  },
  { title: 'AssetMetadataBulkUpsertDto' },
);
export type BulkMetadataUpsert = typeof AssetMetadataBulkUpsertDto.static;

export const AssetMetadataBulkDeleteDto = t.Object(
  {
    items: t.Array(
      t.Object({ assetId: Uuid, key: MetadataKey }, { title: 'AssetMetadataBulkDeleteItemDto' }),
      { maxItems: MAX_IDS },
    ),
  },
  { title: 'AssetMetadataBulkDeleteDto' },
);
export type BulkMetadataDelete = typeof AssetMetadataBulkDeleteDto.static;

export const AssetMetadataBulkResponseDto = t.Object(
  { assetId: Uuid, key: t.String(), updatedAt: Timestamp, value: MetadataValue },
  { title: 'AssetMetadataBulkResponseDto' },
);
export type BulkMetadata = typeof AssetMetadataBulkResponseDto.static;
