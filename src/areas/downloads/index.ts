export { toFileTitle } from './entry-names.ts';
export { findFiles, findSizes, type StoredFile } from './store.ts';
export { createZipStream, isFileComplete } from './zip.ts';
