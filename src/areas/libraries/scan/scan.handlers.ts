import { readdir, stat } from 'node:fs/promises';
import type { JobCtx, JobHandler } from '../../../jobs/define.ts';
import { enqueue, enqueueMany } from '../../../jobs/queue.ts';
import { runThrottled } from '../../../jobs/throttle.ts';
import type { LibraryRow } from '../../../db/tables/libraries.ts';
import {
  type scanLibraries,
  scanLibrary,
  settleLibrary,
  takeInFiles,
  type trashMissing,
} from '../jobs.ts';
import { findLibrary, listLibraries, updateLibrary } from '../store.ts';
import { IdSet } from './id-set.ts';
import { restoreReturned, trashLongMissing } from './missing.domain.ts';
import * as store from './scan.store.ts';
import { settleLibrary as settle } from './settle.domain.ts';
import { IncompleteWalkError, walkFolder } from './walk.ts';

const BATCH_SIZE = 2_000;
const PAGE_SIZE = 10_000;
/** Files per job: few transactions, and not much to repeat. */
const FILES_PER_JOB = 25;

export const handleScanLibraries: JobHandler<typeof scanLibraries> = async ({ db }) => {
  const found = await listLibraries(db);
  await enqueueMany(
    db,
    scanLibrary,
    found.map(({ library }) => ({ libraryId: library.id })),
  );
};

/**
 * Compares the files of a library with those that are known. Each step can be repeated: a scan that was
 * interrupted is run again. What could not be seen says nothing about files.
 */
export const handleScanLibrary: JobHandler<typeof scanLibrary> = async (ctx, { libraryId }) => {
  const library = (await findLibrary(ctx.db, libraryId))?.library;
  if (!library) return undefined;
  const seen = new IdSet();
  const faults: string[] = [];
  for (const root of library.importPaths) {
    const fault =
      (await findRootFault(ctx, library, root)) ?? (await walk(ctx, library, root, seen));
    if (fault) faults.push(fault);
  }
  if (faults.length === 0) await markUnseen(ctx, libraryId, seen);
  await enqueueUnread(ctx, libraryId);
  const scanError = faults.length > 0 ? faults.join('\n') : null;
  if (scanError)
    ctx.log.warn('a library could not be scanned completely', { libraryId, scanError });
  return async (db) => {
    await updateLibrary(db, libraryId, {
      scanError,
      ...(!scanError && { refreshedAt: ctx.now() }),
    });
    await enqueue(db, settleLibrary, { libraryId });
  };
};

/** An empty folder in the place of many files is a disk that is not mounted. */
async function findRootFault(
  { db }: JobCtx,
  { id }: LibraryRow,
  root: string,
): Promise<string | undefined> {
  const found = await stat(root).catch((error: Error) => error);
  if (found instanceof Error) return `${root} cannot be reached: ${found.message}`;
  if (!found.isDirectory()) return `${root} is no folder`;
  const isEmpty = await readdir(root).then(
    (names) => names.length === 0,
    () => false,
  );
  return isEmpty && (await store.countPresent(db, id, root)) > 0
    ? `${root} is empty: its disk may not be mounted`
    : undefined;
}

/** Returns why not all files below the folder could be seen. */
async function walk(
  ctx: JobCtx,
  { id, exclusionPatterns }: LibraryRow,
  root: string,
  seen: IdSet,
): Promise<string | undefined> {
  const { signal } = ctx;
  try {
    for await (const files of walkFolder(root, BATCH_SIZE, { exclusionPatterns, signal })) {
      ctx.restartTimeLimit();
      for (const fileId of await store.recordFiles(ctx.db, id, files)) seen.add(fileId);
    }
    return undefined;
  } catch (error) {
    if (error instanceof IncompleteWalkError) return error.message;
    throw error;
  }
}

async function markUnseen(ctx: JobCtx, libraryId: string, seen: IdSet): Promise<void> {
  let after = 0;
  let moved = 0;
  await runThrottled(ctx, async () => {
    const page = await store.listPresent(ctx.db, libraryId, after, PAGE_SIZE);
    after = page.at(-1)?.id ?? after;
    const unseen = page.filter(({ id }) => !seen.has(id)).map(({ id }) => id);
    moved += await store.recordUnseen(ctx.db, libraryId, unseen, ctx.now());
    return page.length === PAGE_SIZE;
  });
  if (moved > 0) await store.updatePaths(ctx.db, libraryId);
}

async function enqueueUnread({ db }: JobCtx, libraryId: string): Promise<void> {
  for (let after = 0; ;) {
    const ids = await store.listUnread(db, libraryId, after, PAGE_SIZE);
    const parts = [];
    for (let at = 0; at < ids.length; at += FILES_PER_JOB) {
      parts.push({ libraryId, fileIds: ids.slice(at, at + FILES_PER_JOB) });
    }
    await enqueueMany(db, takeInFiles, parts);
    if (ids.length < PAGE_SIZE) return;
    after = ids.at(-1)!;
  }
}

/** Waits for the files that are being read. */
export const handleSettleLibrary: JobHandler<typeof settleLibrary> = async (ctx, { libraryId }) => {
  await runThrottled(ctx, () => restoreReturned(ctx, libraryId));
  return async (db) => {
    const isSettled = await settle(db, libraryId, ctx.now());
    if (!isSettled) await enqueue(db, settleLibrary, { libraryId });
  };
};

export const handleTrashMissing: JobHandler<typeof trashMissing> = (ctx) =>
  runThrottled(ctx, () => trashLongMissing(ctx));
