import { t } from 'elysia';
import { stringEnum, Timestamp } from '../../http/schemas.ts';
import { COUNTED } from '../../maintenance/counts.ts';

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

const Count = t.Integer({ minimum: 0 });

/** A kind of which the present database has more or less than a backup. */
const DatabaseChangeDto = t.Object(
  { kind: stringEnum(COUNTED, { title: 'DatabaseChangeKind' }), before: Count, now: Count },
  { title: 'DatabaseChangeDto' },
);

const RestoreDrillDto = t.Object(
  {
    filename: t.String(),
    status: stringEnum(['waiting', 'running', 'succeeded', 'failed'], {
      title: 'RestoreDrillStatus',
    }),
    startedAt: Timestamp,
    endedAt: t.Optional(Timestamp),
    /** Percent of the backup that has been read. */
    progress: t.Optional(t.Integer({ minimum: 0, maximum: 100 })),
    error: t.Optional(t.String()),
    accounts: t.Optional(Count),
    /** Originals of the backup that are not in the data folder. */
    missing: t.Optional(Count),
    /** Kinds of which the database has more or less than the backup. */
    changes: t.Optional(t.Array(DatabaseChangeDto)),
  },
  { title: 'RestoreDrillDto' },
);
export type RestoreDrill = typeof RestoreDrillDto.static;

export const RestoreDrillStartDto = t.Object(
  { filename: t.String() },
  { title: 'RestoreDrillStartDto' },
);

export const BackupStateDto = t.Object(
  {
    /** Null: backups are not scheduled. */
    nextBackupAt: t.Nullable(Timestamp),
    /** The last one; null: there was none yet. */
    restoreDrill: t.Nullable(RestoreDrillDto),
  },
  { title: 'BackupStateDto' },
);
export type BackupState = typeof BackupStateDto.static;

export const FilenameParams = t.Object({ filename: t.String() });
