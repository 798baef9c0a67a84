import { basename, join, parse } from 'node:path';
import { toNameKey } from '../../../media/formats.ts';
import { canBeLiveStill } from '../../../media/live-photo-halves.ts';
import { readText } from '../bounded-file.ts';
import type { Folder } from '../walk.ts';
import { findListedAlbum, parseAlbumList, toSpelling } from './icloud.ts';

const MAX_LIST_BYTES = 16 * 1024 ** 2;

/** An entry of lists of albums. */
type Entry = {
  /** Name of the file, as the list has it. */
  readonly name: string;
  readonly titles: string[];
  /** Names of the files that it may mean, with the number of files of that name. */
  readonly files: Map<string, number>;
};

/** Albums of iCloud, which list names of files that are in any part of the export. */
export type AlbumLists = {
  readonly titles: ReadonlySet<string>;
  /** Tells of a file that is there. */
  readonly add: (name: string) => void;
  /** Titles of the albums that list the file of this name. */
  readonly find: (name: string) => readonly string[];
  /** Yields the entries that name no file, or more than one. */
  readonly listUnresolved: () => Iterable<Unresolved>;
};

export type Unresolved = {
  readonly name: string;
  readonly album: string;
  readonly isAmbiguous: boolean;
};

export async function readAlbumLists(folders: AsyncIterable<Folder>): Promise<AlbumLists> {
  const entries = await readEntries(folders);
  const bySpelling = Map.groupBy(entries.values(), ({ name }) => toStem(name));
  return {
    titles: new Set([...entries.values()].flatMap(({ titles }) => titles)),
    add(name) {
      for (const { files } of bySpelling.get(toStem(name)) ?? []) {
        files.set(toNameKey(name), (files.get(toNameKey(name)) ?? 0) + 1);
      }
    },
    find: (name) =>
      (bySpelling.get(toStem(name)) ?? []).flatMap((entry) =>
        chooseFile(entry).file === toNameKey(name) ? entry.titles : [],
      ),
    *listUnresolved() {
      for (const entry of entries.values()) {
        const { file, isAmbiguous } = chooseFile(entry);
        if (file !== undefined) continue;
        for (const album of entry.titles) yield { name: entry.name, album, isAmbiguous };
      }
    },
  };
}

/** Lists have other extensions, and names without signs. */
const toStem = (name: string): string => toSpelling(parse(name).name);

/** Chooses the file of this very name, else the one that differs least. */
function chooseFile({ name, files }: Entry): { file?: string; isAmbiguous: boolean } {
  const hasName = (file: string) => file === toNameKey(name);
  const isSpelled = (file: string) => toSpelling(file) === toSpelling(name);
  for (const fits of [hasName, isSpelled, canBeLiveStill, () => true]) {
    const [found, ...others] = [...files].filter(([file]) => fits(file));
    if (!found) continue;
    const [file, count] = found;
    const isAmbiguous = others.length > 0 || count > 1;
    return isAmbiguous ? { isAmbiguous } : { file, isAmbiguous };
  }
  return { isAmbiguous: false };
}

async function readEntries(folders: AsyncIterable<Folder>): Promise<Map<string, Entry>> {
  const entries = new Map<string, Entry>();
  for await (const { path, names } of folders) {
    if (basename(path) !== 'Albums') continue;
    for (const list of names) {
      const title = findListedAlbum(join(path, list));
      if (!title) continue;
      const listed = parseAlbumList((await readText(join(path, list), MAX_LIST_BYTES)) ?? '');
      for (const name of new Set(listed)) {
        const known = entries.get(toNameKey(name));
        const entry: Entry = known ?? { name, titles: [], files: new Map() };
        if (!entry.titles.includes(title)) entry.titles.push(title);
        entries.set(toNameKey(name), entry);
      }
    }
  }
  return entries;
}
