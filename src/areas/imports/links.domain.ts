import { lstat, realpath } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { guardPath } from '../../core/guarded-path.ts';
import { getMediaType } from '../../media/formats.ts';
import { computeLocalDigest } from '../uploads/index.ts';
import { createAlbumQueue } from './album-queue.domain.ts';
import type { ImportedAlbum } from './facts.ts';
import type { ImportRun } from './run.ts';
import { takeKnown } from './take-in.domain.ts';
import { type Folder, listParts } from './walk.ts';

/**
 * Adds what symbolic links lead to into the album of their folder, once all files are taken in: other programs make albums
 * of links. A link that leads elsewhere is listed.
 */
export function deferLinks(run: ImportRun, folder: Folder, album: ImportedAlbum | undefined): void {
  const links = listParts(folder).flatMap(({ path, links = [] }) =>
    links.map((name) => join(path, name)),
  );
  if (links.length === 0) return;
  run.deferred.push(async () => {
    const albums = createAlbumQueue(run);
    const root = await realpath(run.root);
    for (const path of links) {
      run.signal?.throwIfAborted();
      const target = await findTarget(root, path);
      if (target === undefined) run.note({ path, reasons: ['link_left'] });
      else if (album) {
        const item = await run.attempt(path, async () => {
          const { sha1 } = await computeLocalDigest(guardPath(target));
          return takeKnown(run, sha1, {});
        });
        if (item?.isShown) albums.add([album], item.id);
      }
    }
    await albums.flush();
  });
}

/** Returns the path of the photo or video that a link leads to, if it is below the folder that is imported. */
async function findTarget(root: string, path: string): Promise<string | undefined> {
  try {
    const target = await realpath(path);
    const isInside = target.startsWith(root + sep) && getMediaType(target) !== undefined;
    return isInside && (await lstat(target)).isFile() ? target : undefined;
  } catch {
    // It leads nowhere.
    return undefined;
  }
}
