import { toNameKey, getMediaType } from '../../media/formats.ts';
import type { Facts, ImportedAlbum } from './facts.ts';
import { readDetails, readFolderFacts } from './folder-facts.ts';
import { readAlbumLists, type Unresolved } from './icloud/album-lists.ts';
import { addDetails, isPhotosFolder } from './icloud/icloud.ts';
import { findLayout, type Layout } from './layout.ts';
import { listMediaFiles } from './media-files.ts';
import { openPhotoPrism, type PhotoPrism } from './photoprism/sidecars.ts';
import { type AlbumEntries, createAlbumEntries } from './takeout/album-entries.ts';
import { isPhotoJson, readAlbumTitle } from './takeout/json-reader.ts';
import { isYearFolder } from './takeout/takeout.ts';
import { type Folder, listParts, walkFolders, readFolder } from './walk.ts';
import { basename, sep } from 'node:path';

/** Program whose folder it is; 'other': nothing but folders and files. */
export type Program = Layout['program'] | 'takeout' | 'icloud';

export type Survey = {
  readonly program: Program;
  /** Yields the folders with photos and videos, as walkFolders does, with their parts. */
  readonly walk: () => AsyncGenerator<Folder, void>;
  readonly photoPrism: PhotoPrism;
  /** Number of photos and videos, for the progress. */
  readonly total: number;
  /** Finds the albums of iCloud that list a file of this name, in whichever part it is. */
  readonly findAlbums: (name: string) => readonly ImportedAlbum[];
  /** Titles of those albums. */
  readonly titles: ReadonlySet<string>;
  /** Finds what a list in another part of the export of iCloud says of a file of this name. */
  readonly findDetails: (name: string) => Facts | undefined;
  /** Yields the entries of lists of iCloud that name no file, or more than one. */
  readonly listUnresolved: () => Iterable<Unresolved>;
  /** Descriptions in albums of Google whose files are elsewhere. */
  readonly entries: AlbumEntries;
};

/** Reads the names below the folder, of which it keeps only those that a list of iCloud has. */
export async function surveyFolder(root: string): Promise<Survey> {
  const layout = await findLayout(root);
  const walk = () => walkAll(layout.roots);
  const lists = await readAlbumLists(walk());
  let { program }: { program: Program } = layout;
  const strays = new Map<string, Facts>();
  const parts = new Map<string, string[]>();
  let total = 0;
  for await (const { path, names, error } of walk()) {
    const media = listMediaFiles([{ path, names }]).map(({ name }) => name);
    total += media.length;
    if (isYearFolder(path)) program = 'takeout';
    const part = toPathInPart(path);
    if (part !== undefined && !error) parts.set(part, [...(parts.get(part) ?? []), path]);
    if (!isPhotosFolder(path)) continue;
    program = 'icloud';
    for (const name of media) lists.add(name);
    await addStrays(strays, path, names);
  }
  const walkParts = () => mergeParts(walk(), parts);
  return {
    program,
    walk: walkParts,
    photoPrism: await openPhotoPrism(layout),
    total,
    findAlbums: (name) => lists.find(name).map((title) => ({ title })),
    findDetails: (name) => strays.get(toNameKey(name)),
    titles: lists.titles,
    listUnresolved: lists.listUnresolved,
    entries: await readAlbumEntries(walkParts(), program === 'takeout'),
  };
}

/** Reads which albums of Google have descriptions without files. */
async function readAlbumEntries(
  folders: AsyncIterable<Folder>,
  isTakeout: boolean,
): Promise<AlbumEntries> {
  const entries = createAlbumEntries();
  for await (const folder of folders) {
    if (!listParts(folder).some(({ names }) => names.some(isPhotoJson))) continue;
    // A folder that cannot be read is refused when it is taken in.
    const facts = await readFolderFacts(folder, { namesAlbums: false, isTakeout }).catch(
      () => null,
    );
    if (facts?.album) entries.add(facts.album, facts.listStrays());
  }
  return entries;
}

/** Adds the rows of lists whose files are not in the folder: another part of the export has them. */
async function addStrays(
  strays: Map<string, Facts>,
  folder: string,
  names: readonly string[],
): Promise<void> {
  const here = new Set(names.map(toNameKey));
  for (const [key, facts] of await readDetails(folder, names)) {
    if (!here.has(key)) addDetails(strays, key, facts);
  }
}

async function* walkAll(roots: readonly string[]): AsyncGenerator<Folder, void> {
  for (const root of roots) yield* walkFolders(root);
}

// Google splits an export into archives, each of which has a part of every folder: a photo may be in another part than
// its description, its clip or its original.

/** Folders of an export that are unpacked side by side, by what they are parts of. */
type Parts = ReadonlyMap<string, readonly string[]>;

/**
 * Returns the path below a part of Takeout (Takeout, takeout-20250203-001, Takeout 2), which all parts have; undefined for
 * a folder that is in no part.
 */
function toPathInPart(path: string): string | undefined {
  const names = path.split(sep);
  const part = names.findLastIndex((name) => /^takeout/i.test(name));
  if (part >= 0) return names.slice(part + 1).join(sep);
  const photos = names.findLastIndex((name) => /^Google (?:ph|f)oto/i.test(name));
  if (photos >= 0) return names.slice(photos).join(sep);
  return isYearFolder(path) ? basename(path) : undefined;
}

/** Yields the parts of a folder together, in the place of the first; a file whose name another part has comes by itself. */
async function* mergeParts(
  folders: AsyncIterable<Folder>,
  parts: Parts,
): AsyncGenerator<Folder, void> {
  for await (const folder of folders) {
    const paths = parts.get(toPathInPart(folder.path) ?? '') ?? [];
    const [first, ...others] = paths;
    if (!paths.includes(folder.path) || others.length === 0) yield folder;
    if (folder.path !== first || others.length === 0) continue;
    const all = [folder];
    for (const path of others) {
      const { folders: _, ...other } = await readFolder(path);
      all.push(other);
    }
    for (const { error, path } of all) if (error) yield { path, names: [], error };
    for (const parts of await splitTitles(all.filter(({ error }) => !error))) {
      yield* splitNamesakes(parts);
    }
  }
}

/** Albums of other titles are not parts of one folder: they are in the exports of two people. */
async function splitTitles(parts: readonly Folder[]): Promise<Folder[][]> {
  const byTitle = new Map<string | undefined, Folder[]>();
  for (const part of parts) {
    const title = await readAlbumTitle(part);
    byTitle.set(title, [...(byTitle.get(title) ?? []), part]);
  }
  const untitled = byTitle.get(undefined) ?? [];
  byTitle.delete(undefined);
  const [first = [], ...others] = byTitle.values();
  return [[...first, ...untitled], ...others];
}

function* splitNamesakes(parts: readonly Folder[]): Generator<Folder, void> {
  const seen = new Set<string>();
  const apart: Folder[] = [];
  const others: Folder[] = [];
  for (const part of parts) {
    const known = part.names.filter((name) => getMediaType(name) && seen.has(name));
    const isJson = (name: string) => /\.json$/i.test(name);
    if (known.length > 0) apart.push({ ...part, names: [...known, ...part.names.filter(isJson)] });
    const taken = new Set(known);
    const names = part.names.filter((name) => !taken.has(name));
    for (const name of names) seen.add(name);
    others.push({ ...part, names });
  }
  const [first, ...rest] = others;
  if (first) yield { ...first, others: rest };
  yield* apart;
}
