export { findProblems } from './problems.domain.ts';
export {
  reportBackupFailure,
  reportBackupSuccess,
  reportIntegrity,
} from './maintenance-reports.domain.ts';
