export { toFileTitle } from './entry-names.ts';
export { findFiles, findSizes, type ArchivedFile } from './store.ts';
export { createZipStream, isFileComplete } from './zip.ts';
