import { t } from 'elysia';
import { stringEnum, Timestamp } from '../../http/schemas.ts';
import { MAINTENANCE_ACTIONS } from '../../maintenance/state.ts';
import { STORAGE_FOLDERS } from '../../maintenance/storage-folders.ts';

const MaintenanceAction = stringEnum(MAINTENANCE_ACTIONS, { title: 'MaintenanceAction' });

export const SetMaintenanceModeDto = t.Object(
  {
    action: MaintenanceAction,
    /** Required for `restore_database`. */
    restoreBackupFilename: t.Optional(t.String()),
  },
  { title: 'SetMaintenanceModeDto' },
);
export type SetMaintenanceMode = typeof SetMaintenanceModeDto.static;

export const MaintenanceLoginDto = t.Object(
  { token: t.Optional(t.String()) },
  { title: 'MaintenanceLoginDto' },
);

export const MaintenanceAuthDto = t.Object(
  { username: t.String() },
  { title: 'MaintenanceAuthDto' },
);

export const MaintenanceStatusResponseDto = t.Object(
  {
    active: t.Boolean(),
    action: MaintenanceAction,
    /** Percent. */
    progress: t.Optional(t.Integer()),
    /** The step of the work, or `error` when it has failed. */
    task: t.Optional(t.String()),
    /** In full for a logged-in administrator of maintenance mode. */
    error: t.Optional(t.String()),
  },
  { title: 'MaintenanceStatusResponseDto' },
);

const Major = t.Integer({ minimum: 1 });

export const PostgresUpgradeDto = t.Object(
  {
    /** To the newest major version that is installed; null: there is none. */
    upgrade: t.Nullable(t.Object({ from: Major, to: Major }, { title: 'PostgresMajorUpgradeDto' })),
    /** The failure of the last attempt; null: it has succeeded, or there was none. */
    failure: t.Nullable(
      t.Object({ failedAt: Timestamp, error: t.String() }, { title: 'PostgresUpgradeFailureDto' }),
    ),
  },
  { title: 'PostgresUpgradeDto' },
);

const StorageFolderDto = t.Object(
  {
    folder: stringEnum(STORAGE_FOLDERS, { title: 'StorageFolder' }),
    readable: t.Boolean(),
    writable: t.Boolean(),
    files: t.Integer(),
  },
  { title: 'MaintenanceDetectInstallStorageFolderDto' },
);

export const MaintenanceDetectInstallResponseDto = t.Object(
  { storage: t.Array(StorageFolderDto) },
  { title: 'MaintenanceDetectInstallResponseDto' },
);
