export { findCopy } from './copies.domain.ts';
export {
  findFile,
  recordVerdict,
  type Verified,
  verifyFile,
  verifyOriginal,
} from './verification.domain.ts';
export {
  checkChecksums,
  checkMissing,
  checkUntracked,
  deleteReported,
  refreshReport,
} from './jobs.ts';
