import { t } from 'elysia';
import { GuestQuery, Uuid } from '../../http/schemas.ts';

export const DownloadInfoDto = t.Object(
  {
    albumId: t.Optional(Uuid),
    archiveSize: t.Optional(t.Integer({ minimum: 1 })),
    assetIds: t.Optional(t.Array(Uuid, { maxItems: 65_000 })),
    userId: t.Optional(Uuid),
  },
  { title: 'DownloadInfoDto' },
);
export type DownloadWish = typeof DownloadInfoDto.static;

export const DownloadResponseDto = t.Object(
  {
    archives: t.Array(
      t.Object({ assetIds: t.Array(Uuid), size: t.Integer() }, { title: 'DownloadArchiveInfo' }),
    ),
    totalSize: t.Integer(),
  },
  { title: 'DownloadResponseDto' },
);
export type DownloadPlan = typeof DownloadResponseDto.static;

export const DownloadArchiveDto = t.Object(
  {
    archiveName: t.Optional(t.String({ maxLength: 255 })),
    assetIds: t.Array(Uuid, { maxItems: 65_000 }),
    edited: t.Optional(t.Boolean()),
  },
  { title: 'DownloadArchiveDto' },
);
export type ArchiveWish = typeof DownloadArchiveDto.static;

export const GuestOnlyQuery = t.Object(GuestQuery);
