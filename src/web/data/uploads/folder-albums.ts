import { createAlbum, fetchAlbums } from '../albums/album-data.ts';
import { attempt } from '../../ui/toast.tsx';
import type { Album } from '../types.ts';
import { addToAlbumSoon, type UploadAlbum } from './album.ts';
import { type Item, uploads } from './items.ts';

/** Returns the folders of items that go into no album yet, each once. */
export const listFolders = (items: readonly Item[]): string[] => [
  ...new Set(items.flatMap(({ folder, album }) => (folder && !album ? [folder] : []))),
];

/**
 * Adds what was uploaded from each folder, and what still will be, to the album that has the name of the folder, such
 * as 'Italy/2023'. Albums that do not exist are created.
 */
export const addToAlbumsByFolder = (userId: string): Promise<boolean> =>
  attempt(async () => {
    const albums = (await fetchAlbums()).filter((album) => isOwn(album, userId));
    for (const folder of listFolders(uploads.get().items)) {
      const album =
        albums.find(({ albumName }) => albumName === folder.normalize('NFC')) ??
        (await createAlbum(folder));
      assignAlbum(folder, { id: album.id, albumName: album.albumName });
    }
  });

const isOwn = ({ albumUsers }: Album, userId: string): boolean =>
  albumUsers.some(({ user, role }) => role === 'owner' && user.id === userId);

function assignAlbum(folder: string, album: UploadAlbum): void {
  const belongsToFolder = (item: Item) => item.folder === folder && !item.album;
  const arrived = uploads.get().items.filter(belongsToFolder);
  uploads.set((old) => ({
    ...old,
    items: old.items.map((item) => (belongsToFolder(item) ? { ...item, album } : item)),
  }));
  addToAlbumSoon(
    album,
    arrived.flatMap(({ assetId }) => assetId || []),
  );
}
