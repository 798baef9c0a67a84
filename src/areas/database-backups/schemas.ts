import { t } from 'elysia';

const DatabaseBackupDto = t.Object(
  {
    filename: t.String(),
    /** In bytes. */
    filesize: t.Integer(),
    /** Time zone of the time in the name. */
    timezone: t.String(),
  },
  { title: 'DatabaseBackupDto' },
);

export const DatabaseBackupListResponseDto = t.Object(
  { backups: t.Array(DatabaseBackupDto) },
  { title: 'DatabaseBackupListResponseDto' },
);

export const DatabaseBackupDeleteDto = t.Object(
  { backups: t.Array(t.String()) },
  { title: 'DatabaseBackupDeleteDto' },
);

export const DatabaseBackupUploadDto = t.Object(
  { file: t.Optional(t.String({ format: 'binary' })) },
  { title: 'DatabaseBackupUploadDto' },
);

export const FilenameParams = t.Object({ filename: t.String() });
