export { findCopy } from './copies.domain.ts';
export { listOriginals, type OriginalRow, sumOriginals } from './originals.store.ts';
export {
  findFile,
  recordVerdict,
  type Verified,
  verifyFile,
  verifyOriginal,
} from './verification.domain.ts';
