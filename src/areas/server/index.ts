export { formatBytes, IMMICH_VERSION } from './domain.ts';
export {
  reportBackupFailure,
  reportBackupSuccess,
  reportIntegrity,
} from './maintenance-reports.domain.ts';
export { toStamp } from './backup/backup.domain.ts';
