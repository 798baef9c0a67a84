import { basename } from 'node:path';
import type { Deps } from '../../core/context.ts';
import { removeCopies, sweepLeases, evictCopies, listCopies } from '../../storage/copies.ts';
import { filterUnreferenced } from '../trash/index.ts';

const BATCH_SIZE = 1000;

/** Removes copies of originals that are deleted, or over the budget, and what nobody uses any more. */
export async function sweepCache({ db, paths, settings }: Deps): Promise<void> {
  await sweepLeases(paths);
  let hashes: string[] = [];
  const removeDeleted = async () => {
    await removeCopies(paths, await filterUnreferenced(db, hashes));
    hashes = [];
  };
  for await (const path of listCopies(paths, 'originals')) {
    hashes.push(basename(path));
    if (hashes.length === BATCH_SIZE) await removeDeleted();
  }
  await removeDeleted();
  await evictCopies(paths, settings.objectCacheBytes);
}
