// The one door of this folder: files of the library, and whether its folders are there. test/storage-imports.ts lists who
// looks behind it.

export type { ObjectRange } from './s3-request.ts';
export {
  derivedFile,
  derivedFiles,
  exportFile,
  getScratchFolder,
  originalFile,
  profilePicture,
  type StoredFile,
} from './stored-file.ts';
export * from './files.ts';
export {
  type Digests,
  hasOriginal,
  type Incoming,
  openIncoming,
  publishOriginal,
  type Received,
  storeReceived,
} from './originals.ts';
export { hasObjectStore, scheduleDeletion } from './objects.ts';
export { type OriginalState, readOriginalState } from './originals.store.ts';
export {
  findFaultByFile,
  findStoreFault,
  getStoreFault,
  requireStores,
} from './library-folders.ts';
export { sweepScratch } from './removal.ts';
export { getUploadSpace, listLibraryFolders, readFullestDisk, readOriginalsDisk } from './disks.ts';
