import { inTransaction } from '../../../db/transaction.ts';
import { rm } from 'node:fs/promises';
import { basename } from 'node:path';
import type { JobHandler, JobCtx } from '../../../jobs/define.ts';
import { getCutoff } from '../../../jobs/passed-time.ts';
import { runThrottled } from '../../../jobs/throttle.ts';
import { enqueue } from '../../../jobs/queue.ts';
import {
  quarantineFile,
  quarantineOriginals,
  filterOlder,
  listDerived,
  listOriginals,
  SLICES,
  sweepIncoming,
  sweepQuarantine,
  sweepScratch,
} from '../../../storage/removal.ts';
import { sweepFiles } from '../jobs.ts';
import * as store from './sweep.store.ts';
import { filterUntrackedDerived } from './untracked.domain.ts';
import * as storage from '../../../storage/index.ts';

/** Time in ms after which a job continues as another job. */
const MAX_RUN_MS = 2000;
const BATCH_SIZE = 1000;
const DAY_MS = 24 * 60 * 60 * 1000;
/** Time to notice that an old backup was restored. */
const QUARANTINE_MS = 30 * DAY_MS;

/**
 * Removes files of the data folder that no row refers to, left by a crash between file and commit.
 * Works by slices, of about 4,000 originals in a library of a million.
 */
export const handleSweepFiles: JobHandler<typeof sweepFiles> = async (
  ctx,
  { slice: first = 0 },
) => {
  const until = performance.now() + MAX_RUN_MS;
  let slice = first;
  // No upload and no job runs for a day.
  const before = await getCutoff(ctx.db, DAY_MS);
  if (slice === 0) await sweepFolders(ctx, before);
  await runThrottled(ctx, async () => {
    await sweepOriginals(ctx, slice, before);
    await sweepDerived(ctx, slice, before);
    slice += 1;
    return slice < SLICES && performance.now() < until;
  });
  if (slice < SLICES) return (tx) => enqueue(tx, sweepFiles, { slice });
  return undefined;
};

/** Sweeps the folders of temporary files and the quarantine. */
async function sweepFolders({ db, paths, log }: JobCtx, before: Date): Promise<void> {
  const longAgo = await getCutoff(db, QUARANTINE_MS);
  const removed =
    (await sweepIncoming(paths, before)) +
    (await sweepScratch(paths, before)) +
    (await sweepQuarantine(paths, longAgo, (hashes) => store.filterUnreferenced(db, hashes)));
  if (removed > 0) log.info('deleted temporary and quarantined files', { files: removed });
}

async function sweepOriginals(ctx: JobCtx, slice: number, before: Date): Promise<void> {
  for await (const files of toBatches(listOriginals(ctx.paths, slice))) {
    const byHash = new Map(files.map((path) => [basename(path), path]));
    const unnamed = await store.filterUnreferenced(ctx.db, [...byHash.keys()]);
    const old = await filterOlder(
      unnamed.flatMap((hash) => byHash.get(hash) ?? []),
      before,
    );
    if (old.length > 0)
      await quarantineOrphans(
        ctx,
        old.map((path) => basename(path)),
      );
  }
}

/** Quarantines instead of deleting: a restored database may be older than these files. */
async function quarantineOrphans(ctx: JobCtx, hashes: readonly string[]): Promise<void> {
  const moved = await inTransaction(ctx, async ({ db, paths }) => {
    const ours = await store.claimOriginals(db, hashes);
    await quarantineOriginals(paths, ours);
    await store.releaseOriginals(db, ours);
    return ours.length;
  });
  if (moved > 0) ctx.log.warn('moved orphaned originals to quarantine', { files: moved });
}

async function sweepDerived(ctx: JobCtx, slice: number, before: Date): Promise<void> {
  const { db, paths, log } = ctx;
  let removed = 0;
  for await (const names of toBatches(listDerived(paths, slice))) {
    const strays = await filterUntrackedDerived(db, names);
    const old = await filterOlder(
      strays.map((name) => storage.derivedFile(paths, name).path),
      before,
    );
    for (const path of old) await deleteOrQuarantineSidecar(ctx, path);
    removed += old.length;
  }
  if (removed > 0) log.info('deleted orphaned derived files', { files: removed });
}

/** Deletes a derived file. A sidecar was uploaded and is quarantined instead. */
async function deleteOrQuarantineSidecar({ paths }: JobCtx, path: string): Promise<void> {
  const name = basename(path);
  if (!/-sidecar[-.]/.test(name)) return rm(path, { force: true });
  await quarantineFile(paths, path, name);
}

async function* toBatches<T>(items: AsyncIterable<T>): AsyncGenerator<T[]> {
  let batch: T[] = [];
  for await (const item of items) {
    batch.push(item);
    if (batch.length < BATCH_SIZE) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
