import { isGuest } from '../api.ts';
import { uploadAlbum } from './album.ts';
import { getFolder, isWorthSending } from './collect.ts';
import { pairFiles } from './pairs.ts';
import { startUploads } from './queue.ts';
import { addItems } from './works.ts';

/** Uploads those files that a library may have. Returns their number. */
export function addFiles(list: readonly File[]): number {
  const good = list.filter(isWorthSending);
  const album = uploadAlbum.get();
  // Guests cannot send two files as one.
  const groups = isGuest() ? good.map((file) => [file]) : pairFiles(good);
  addItems(
    groups.map((files) => ({
      files,
      folder: files[0] ? getFolder(files[0]).replace(/^\//, '') : '',
      album,
    })),
  );
  startUploads();
  return good.length;
}
