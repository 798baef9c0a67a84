import { t } from 'elysia';
import { PUBLICATIONS, UPLOAD_STATUSES } from '../../../db/tables/uploads.ts';
import { stringEnum, Timestamp, Uuid } from '../../../http/schemas.ts';

export const AssetUploadResultDto = t.Object(
  {
    id: t.String({ description: 'The last segment of Location' }),
    status: stringEnum(UPLOAD_STATUSES, { title: 'AssetUploadStatus' }),
    publication: stringEnum(PUBLICATIONS, { title: 'UploadPublication' }),
    offset: t.Integer({ minimum: 0 }),
    length: t.Nullable(t.Integer({ minimum: 1 })),
    assetId: t.Nullable(Uuid),
    error: t.Nullable(t.String()),
    expiresAt: t.Nullable(Timestamp),
  },
  { title: 'AssetUploadResultDto' },
);
export type UploadResult = typeof AssetUploadResultDto.static;

export const UploadParams = t.Object({ id: t.String() });

export const LivePhotoUploadCommitDto = t.Object(
  { photoUploadId: t.String(), videoUploadId: t.String() },
  { title: 'LivePhotoUploadCommitDto' },
);
export type LivePhotoCommit = typeof LivePhotoUploadCommitDto.static;

export const LivePhotoUploadResultDto = t.Object(
  {
    status: stringEnum(['committed', 'published', 'duplicate'], { title: 'LivePhotoCommitStatus' }),
    photoAssetId: t.Nullable(Uuid),
    videoAssetId: t.Nullable(Uuid),
    photo: AssetUploadResultDto,
    video: AssetUploadResultDto,
  },
  { title: 'LivePhotoUploadResultDto' },
);
export type LivePhotoResult = typeof LivePhotoUploadResultDto.static;
