import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { getMediaType } from '../../media/formats.ts';
import { toAlbumKey } from './facts.ts';
import { readFolderFacts } from './folder-facts.ts';
import { type Program, surveyFolder } from './survey.ts';
import { listParts } from './walk.ts';

export type FolderCounts = {
  readonly program: Program;
  readonly photos: number;
  readonly videos: number;
  readonly albums: number;
  /** Null: the time was not enough to ask for all sizes. */
  readonly bytes: number | null;
};

/** Files whose sizes are asked for at once. */
const CONCURRENCY = 64;

/** Counts what an import of the folder would find. Sizes are asked for as long as `ms` allows. */
export async function inspectFolder(
  root: string,
  { namesAlbums, ms }: { readonly namesAlbums: boolean; readonly ms: number },
): Promise<FolderCounts> {
  const until = performance.now() + ms;
  const { program, walk, photoPrism, titles } = await surveyFolder(root);
  const albums = new Set([...titles, ...photoPrism.albums.map(toAlbumKey)]);
  const counts = { photos: 0, videos: 0 };
  let bytes: number | null = 0;
  for await (const folder of walk()) {
    let total = 0;
    for (const { path, names } of listParts(folder)) {
      const media = names.filter((name) => getMediaType(name));
      const videos = media.filter((name) => getMediaType(name) === 'VIDEO').length;
      counts.videos += videos;
      counts.photos += media.length - videos;
      total += media.length;
      if (bytes !== null) bytes += await sumSizes(path, media);
      if (performance.now() > until) bytes = null;
    }
    if (bytes === null || total === 0) continue;
    const { album } = await readFolderFacts(folder, { namesAlbums });
    if (album) albums.add(toAlbumKey(album));
  }
  return { program, ...counts, albums: albums.size, bytes };
}

async function sumSizes(folder: string, names: readonly string[]): Promise<number> {
  let sum = 0;
  for (let at = 0; at < names.length; at += CONCURRENCY) {
    const sizes = await Promise.all(
      names.slice(at, at + CONCURRENCY).map((name) =>
        lstat(join(folder, name)).then(
          ({ size }) => size,
          () => 0,
        ),
      ),
    );
    for (const size of sizes) sum += size;
  }
  return sum;
}
