import { basename, sep } from 'node:path';
import { getMediaType } from '../../media/formats.ts';
import { readAlbumTitle } from './takeout/json-reader.ts';
import { isYearFolder } from './takeout/takeout.ts';
import { type Folder, readFolder } from './walk.ts';

// Google splits an export into archives, each of which has a part of every folder: a photo may be in another part than
// its description, its clip or its original.

/** Folders of an export that are unpacked side by side, by what they are parts of. */
export type Parts = ReadonlyMap<string, readonly string[]>;

/**
 * Returns the path below a part of Takeout (Takeout, takeout-20250203-001, Takeout 2), which all parts have; undefined for
 * a folder that is in no part.
 */
export function toPathInPart(path: string): string | undefined {
  const names = path.split(sep);
  const part = names.findLastIndex((name) => /^takeout/i.test(name));
  if (part >= 0) return names.slice(part + 1).join(sep);
  const photos = names.findLastIndex((name) => /^Google (?:ph|f)oto/i.test(name));
  if (photos >= 0) return names.slice(photos).join(sep);
  return isYearFolder(path) ? basename(path) : undefined;
}

/** Yields the parts of a folder together, in the place of the first; a file whose name another part has comes by itself. */
export async function* mergeParts(
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
