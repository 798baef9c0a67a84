import { inTransaction } from '../../db/transaction.ts';
import { mkdir, rename, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { HandlerOf, JobCtx } from '../../jobs/define.ts';
import { runThrottled } from '../../jobs/throttle.ts';
import { enqueue } from '../../jobs/queue.ts';
import { quarantineOriginals } from '../../media/quarantine.ts';
import {
  filterOlder,
  listDerived,
  listOriginals,
  SLICES,
  sweepIncoming,
  sweepQuarantine,
  sweepScratch,
} from '../../media/sweep.ts';
import { sweepFiles } from './jobs.ts';
import * as store from './sweep.store.ts';

/** A job gives way to others after this, and goes on as another job. */
const TURN_MS = 2000;
const BATCH = 1000;

/**
 * Looks through the data folder for files that nothing names: left by a kill between file and commit.
 * A slice at a time: of a million originals one has some four thousand.
 */
export const handleSweepFiles: HandlerOf<typeof sweepFiles> = async (ctx, { slice: first = 0 }) => {
  const until = performance.now() + TURN_MS;
  let slice = first;
  if (slice === 0) await sweepFolders(ctx);
  await runThrottled(ctx, async () => {
    await sweepOriginals(ctx, slice);
    await sweepDerived(ctx, slice);
    slice += 1;
    return slice < SLICES && performance.now() < until;
  });
  if (slice < SLICES) return (tx) => enqueue(tx, sweepFiles, { slice });
  return undefined;
};

/** What has no rows of its own, or a row that says nothing about it. */
async function sweepFolders({ db, paths, log, now }: JobCtx): Promise<void> {
  const removed =
    (await sweepIncoming(paths, now())) +
    (await sweepScratch(paths, now())) +
    (await sweepQuarantine(paths, now(), (hashes) => store.filterUnnamed(db, hashes)));
  if (removed > 0) log.info('removed temporary and quarantined files', { files: removed });
}

async function sweepOriginals(ctx: JobCtx, slice: number): Promise<void> {
  for await (const files of inBatches(listOriginals(ctx.paths, slice))) {
    const byHash = new Map(files.map((path) => [basename(path), path]));
    const unnamed = await store.filterUnnamed(ctx.db, [...byHash.keys()]);
    const old = await filterOlder(
      unnamed.map((hash) => byHash.get(hash)!),
      ctx.now(),
    );
    if (old.length > 0)
      await quarantineUnclaimed(
        ctx,
        old.map((path) => basename(path)),
      );
  }
}

/** A restored database may be older than these files: they stay in quarantine before they are deleted. */
async function quarantineUnclaimed(ctx: JobCtx, hashes: readonly string[]): Promise<void> {
  const moved = await inTransaction(ctx, async ({ db, paths }) => {
    const ours = await store.claimOriginals(db, hashes);
    await quarantineOriginals(paths, ours);
    await store.releaseOriginals(db, ours);
    return ours.length;
  });
  if (moved > 0) ctx.log.warn('moved originals that no asset has to quarantine', { files: moved });
}

/** '<asset or person>-<what it is>'. */
const DERIVED = /^([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})-(.+)$/;

async function sweepDerived(ctx: JobCtx, slice: number): Promise<void> {
  const { db, paths, log } = ctx;
  let removed = 0;
  for await (const names of inBatches(listDerived(paths, slice))) {
    const ids = new Map(
      names.flatMap((name) => {
        const id = DERIVED.exec(basename(name))?.[1];
        return id ? [[name, id] as const] : [];
      }),
    );
    const unique = [...new Set(ids.values())];
    const named = await store.findDerivedNames(db, unique);
    const persons = await store.findPersons(db, unique);
    const strays = [...ids].flatMap(([name, id]) =>
      named.has(name) || (persons.has(id) && basename(name).startsWith(`${id}-person.`))
        ? []
        : [name],
    );
    const old = await filterOlder(
      strays.map((name) => join(paths.derived, name)),
      ctx.now(),
    );
    for (const path of old) await removeDerived(ctx, path);
    removed += old.length;
  }
  if (removed > 0) log.info('removed derived files that no asset has', { files: removed });
}

/** A sidecar was uploaded and cannot be made again. */
async function removeDerived({ paths }: JobCtx, path: string): Promise<void> {
  if (!/-sidecar[-.]/.test(basename(path))) return rm(path, { force: true });
  await mkdir(paths.removed, { recursive: true });
  await rename(path, join(paths.removed, basename(path)));
}

async function* inBatches<T>(items: AsyncIterable<T>): AsyncGenerator<T[]> {
  let batch: T[] = [];
  for await (const item of items) {
    batch.push(item);
    if (batch.length < BATCH) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
