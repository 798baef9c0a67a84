import { t } from 'elysia';
import { GuestQuery, stringEnum, Uuid } from '../../http/schemas.ts';
import { SHA1_PATTERN } from './publish/checksum.ts';

export const UploadQuery = t.Object(GuestQuery);

export const UploadHeaders = t.Object({ 'x-immich-checksum': t.Optional(t.String()) });

export const AssetMediaResponseDto = t.Object(
  {
    id: Uuid,
    status: stringEnum(['created', 'duplicate'], { title: 'AssetMediaStatus' }),
    isTrashed: t.Optional(
      t.Boolean({ description: 'True for a duplicate that was in the trash and was restored' }),
    ),
  },
  { title: 'AssetMediaResponseDto' },
);
export type UploadOutcome = typeof AssetMediaResponseDto.static;

/** For the API document only: src/multipart and form/fields.ts parse the form as a stream. */
export const AssetMediaCreateDto = t.Object(
  {
    assetData: t.String({ format: 'binary' }),
    sidecarData: t.Optional(t.String({ format: 'binary' })),
    fileCreatedAt: t.String({ format: 'date-time' }),
    fileModifiedAt: t.String({ format: 'date-time' }),
    filename: t.Optional(t.String()),
    duration: t.Optional(t.Integer({ minimum: 0, description: 'Milliseconds' })),
    isFavorite: t.Optional(t.Boolean()),
    visibility: t.Optional(stringEnum(['archive', 'timeline', 'hidden', 'locked'])),
    livePhotoVideoId: t.Optional(Uuid),
    metadata: t.Optional(
      t.Array(t.Object({ key: t.String(), value: t.Object({}, { additionalProperties: true }) })),
    ),
  },
  { title: 'AssetMediaCreateDto' },
);

export const AssetBulkUploadCheckDto = t.Object(
  {
    assets: t.Array(
      t.Object(
        { id: t.String(), checksum: t.String({ pattern: SHA1_PATTERN }) },
        { title: 'AssetBulkUploadCheckItem' },
      ),
      { maxItems: 50_000 },
    ),
  },
  { title: 'AssetBulkUploadCheckDto' },
);
export type BulkCheckItem = (typeof AssetBulkUploadCheckDto.static)['assets'][number];

export const AssetBulkUploadCheckResponseDto = t.Object(
  {
    results: t.Array(
      t.Object(
        {
          id: t.String(),
          action: stringEnum(['accept', 'reject'], { title: 'AssetUploadAction' }),
          reason: t.Optional(
            stringEnum(['duplicate', 'unsupported-format'], { title: 'AssetRejectReason' }),
          ),
          assetId: t.Optional(Uuid),
          isTrashed: t.Optional(t.Boolean()),
        },
        { title: 'AssetBulkUploadCheckResult' },
      ),
    ),
  },
  { title: 'AssetBulkUploadCheckResponseDto' },
);
export type BulkCheckResult = (typeof AssetBulkUploadCheckResponseDto.static)['results'][number];
