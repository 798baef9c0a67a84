import { join, parse, relative } from 'node:path';
import { readText } from '../bounded-file.ts';
import type { Facts, ImportedAlbum } from '../facts.ts';
import type { Layout } from '../layout.ts';
import { walkFolders } from '../walk.ts';
import { MAX_ALBUM_BYTES, MAX_PHOTO_BYTES, parseAlbum, parsePhoto } from './photoprism.ts';

/** The photos and albums that PhotoPrism knows. */
export type PhotoPrism = {
  /** The folder that is imported has what PhotoPrism knows. */
  readonly isOpen: boolean;
  /** Reads the facts about the file of this name in the folder; undefined without any. */
  readonly find: (
    folder: string,
    names: readonly string[],
    name: string,
  ) => Promise<Facts | undefined>;
  /** Albums with photos. */
  readonly albums: readonly ImportedAlbum[];
};

/** Reads the albums, and finds the files of photos in the folders of the layout and beside the photos. */
export async function openPhotoPrism({ roots, sidecars, albums }: Layout): Promise<PhotoPrism> {
  const byUid = new Map<string, ImportedAlbum[]>();
  const found: ImportedAlbum[] = [];
  for (const folder of albums) {
    for (const { album, uids } of await readAlbums(folder)) {
      if (uids.length > 0) found.push(album);
      for (const uid of new Set(uids)) byUid.set(uid, [...(byUid.get(uid) ?? []), album]);
    }
  }
  return {
    isOpen: sidecars.length > 0,
    albums: found,
    async find(folder, names, name) {
      const file = `${parse(name).name}.yml`;
      const paths = [
        ...(names.includes(file) ? [join(folder, file)] : []),
        ...sidecars.flatMap((sidecar) =>
          roots.map((root) => join(sidecar, relative(root, folder), file)),
        ),
      ];
      for (const path of paths) {
        const photo = parsePhoto((await readText(path, MAX_PHOTO_BYTES)) ?? '');
        if (photo) return { ...photo.facts, albums: byUid.get(photo.uid) ?? [] };
      }
      return undefined;
    },
  };
}

async function readAlbums(root: string) {
  const albums = [];
  for await (const { path, names } of walkFolders(root)) {
    for (const name of names.filter((name) => /\.yml$/i.test(name))) {
      albums.push(parseAlbum((await readText(join(path, name), MAX_ALBUM_BYTES)) ?? ''));
    }
  }
  return albums.filter((album) => album !== undefined);
}
