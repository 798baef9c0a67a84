import type { Deps } from '../../core/context.ts';
import type { JobHandler } from '../../jobs/define.ts';
import { enqueue } from '../../jobs/queue.ts';
import { runThrottled } from '../../jobs/throttle.ts';
import { SLICES, toPrefix } from '../../storage/removal.ts';
import { hasObjectStore, scheduleDeletion } from '../../storage/index.ts';
import { compareFiles } from './files.domain.ts';
import { compareObjects } from './jobs.ts';
import { compareOriginals } from './originals.domain.ts';
import { parsePartKey } from '../../storage/stored-file.ts';
import { openObjectStore, UNNAMED_SECONDS } from '../../storage/objects.ts';
import { filterUnknownParts } from '../../staging/staging.ts';
import { basename } from 'node:path';
import { removeCopies, sweepLeases, evictCopies, listCopies } from '../../storage/copies.ts';
import { filterUnreferenced } from '../trash/index.ts';

/** Time in ms after which a job continues as another job. */
const MAX_RUN_MS = 2000;

export const handleCompareObjects: JobHandler<typeof compareObjects> = async (
  ctx,
  { slice: first = 0 },
) => {
  if (first === 0) await sweepCache(ctx);
  if (!hasObjectStore(ctx.settings)) return undefined;
  const until = performance.now() + MAX_RUN_MS;
  let slice = first;
  await runThrottled(ctx, async () => {
    await compareSlice(ctx, slice);
    slice += 1;
    return slice < SLICES && performance.now() < until;
  });
  if (slice < SLICES) return (tx) => enqueue(tx, compareObjects, { slice });
  return undefined;
};

/** Compares the objects whose keys begin with the digits of a slice with the database. */
export async function compareSlice(ctx: Deps, slice: number): Promise<void> {
  await compareOriginals(ctx, slice);
  await compareFiles(ctx, slice);
  await compareParts(ctx, slice);
}

const BATCH_SIZE = 1000;

/**
 * Has the parts of unfinished uploads in a slice deleted in a day that no row names. They are left when a backup of the
 * database is restored.
 */
async function compareParts(ctx: Deps, slice: number): Promise<void> {
  const objects = await openObjectStore(ctx);
  const uploads = new Map<string, string>();
  for await (const { key } of objects.list(`uploads/${toPrefix(slice)}/`)) {
    const id = parsePartKey(key);
    if (id !== undefined) uploads.set(key, id);
  }
  const keys = [...uploads.keys()];
  for (let at = 0; at < keys.length; at += BATCH_SIZE) {
    const batch = keys.slice(at, at + BATCH_SIZE);
    const ids = batch.map((key) => uploads.get(key) ?? '');
    const unknown = await filterUnknownParts(ctx.db, batch, ids);
    await scheduleDeletion(ctx.db, unknown, UNNAMED_SECONDS);
    if (unknown.length > 0) {
      ctx.log.warn('parts of unknown uploads will be deleted in a day', { parts: unknown.length });
    }
  }
}

const HASHES_AT_ONCE = 1000;

/** Removes copies of originals that are deleted, or over the budget, and what nobody uses any more. */
async function sweepCache({ db, paths, settings }: Deps): Promise<void> {
  await sweepLeases(paths);
  let hashes: string[] = [];
  const removeDeleted = async () => {
    await removeCopies(paths, await filterUnreferenced(db, hashes));
    hashes = [];
  };
  for await (const path of listCopies(paths, 'originals')) {
    hashes.push(basename(path));
    if (hashes.length === HASHES_AT_ONCE) await removeDeleted();
  }
  await removeDeleted();
  await evictCopies(paths, settings.objectCacheBytes);
}
