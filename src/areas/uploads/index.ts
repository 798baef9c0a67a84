export {
  computeLocalDigest,
  copyLocalFile,
  type LocalCopy,
  type LocalFile,
  publishLocalFile,
  publishLocalLivePhoto,
  readUnchanged,
} from './publish/local-file.domain.ts';
export { findDuplicate, isStored } from './publish/publish.domain.ts';
export { publishSidecar, storeSidecar, toProcessingJobs } from './publish/new-asset.domain.ts';
export {
  findAccount,
  findAccountZone,
  lockSidecars,
  sumUsedBytes,
} from './publish/publish.store.ts';
export {
  diskFull,
  isDiskFull,
  isQuotaExceeded,
  isStorageFault,
  quotaExceeded,
} from '../../staging/errors.ts';
