export { acceptOriginals } from './marker.domain.ts';
export { listOriginals, type OriginalRow, sumOriginals } from './originals.store.ts';
export { findCopy, recordVerdict, verifyOriginal } from './verification.domain.ts';
