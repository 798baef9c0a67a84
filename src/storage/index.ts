// The one door of this folder: files of the library, and whether its folders are there. test/storage-imports.ts lists who
// looks behind it.

export type { ObjectRange } from './object-store.ts';
export {
  derivedFile,
  derivedFiles,
  exportFile,
  getScratchFolder,
  originalFile,
  profilePicture,
  type StoredFile,
} from './stored-file.ts';
export {
  type FileSource,
  has,
  hold,
  lease,
  type LeasedFile,
  link,
  type LocalFile,
  locate,
  makePictureDraft,
  open,
  place,
  put,
  putDerived,
  putPicture,
  remove,
  requireFile,
  statLocal,
  type StorageDeps,
} from './files.ts';
export {
  type Digests,
  hasOriginal,
  type Incoming,
  openIncoming,
  publishOriginal,
  type Received,
  storeReceived,
} from './originals.ts';
export { hasObjectStore } from './objects.ts';
export { scheduleDeletion } from './objects.store.ts';
export { type OriginalState, readOriginalState } from './originals.store.ts';
export {
  findFaultByFile,
  findStoreFault,
  getStoreFault,
  requireStores,
} from './library-folders.ts';
export { getUploadSpace, listLibraryFolders, readFullestDisk, readOriginalsDisk } from './disks.ts';
