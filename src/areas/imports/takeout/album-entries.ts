import type { Facts, ImportedAlbum } from '../facts.ts';
import type { Stray } from './json-reader.ts';

// Google leaves files out of the folders of albums, and has nothing but their descriptions there: the file is in the
// folder of its year.

export type AlbumEntries = {
  add(album: ImportedAlbum, strays: readonly Stray[]): void;
  /** Returns the albums that have a description of the same item. */
  find(facts: Facts): readonly ImportedAlbum[];
  /** Yields the descriptions whose items were not found. */
  listLeft(): Iterable<{ readonly path: string; readonly album: string }>;
};

type Entry = { readonly path: string; readonly album: ImportedAlbum; isFound: boolean };

export function createAlbumEntries(): AlbumEntries {
  const entries = new Map<string, Entry[]>();
  return {
    add(album, strays) {
      for (const { path, facts } of strays) {
        if (facts.isTrashed) continue;
        const key = toKey(facts);
        entries.set(key, [...(entries.get(key) ?? []), { path, album, isFound: false }]);
      }
    },
    find(facts) {
      if (entries.size === 0 || facts.title === undefined) return [];
      const found = entries.get(toKey(facts)) ?? [];
      for (const entry of found) entry.isFound = true;
      return found.map(({ album }) => album);
    },
    *listLeft() {
      for (const { path, album, isFound } of [...entries.values()].flat()) {
        if (!isFound) yield { path, album: album.title };
      }
    },
  };
}

const toKey = ({ title = '', takenAt }: Facts): string => `${takenAt?.getTime()} ${title}`;
