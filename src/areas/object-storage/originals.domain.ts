import type { Deps } from '../../core/context.ts';
import { SLICES, toPrefix } from '../../storage/removal.ts';
import { parseKey } from '../../storage/stored-file.ts';
import { openObjectStore } from '../../storage/objects.ts';
import {
  adoptObject,
  filterUnknown,
  listNamed,
  markMissing,
  type NamedObject,
} from './originals.store.ts';
import { hasOriginal, scheduleDeletion } from '../../storage/index.ts';

const BATCH_SIZE = 1000;
/** Time to notice that an old backup of the database was restored, which does not know newer objects. */
export const UNKNOWN_SECONDS = 30 * 24 * 3600;

/**
 * Compares the objects of a slice with the originals. An object that nobody knows is given back to its original, whose
 * file is gone, or deleted in a month; an original whose object is gone, or has another length, is recorded. Originals are
 * read first, so that one that is new meanwhile is not missed.
 */
export async function compareOriginals(ctx: Deps, slice: number): Promise<void> {
  const objects = await openObjectStore(ctx);
  const named = await listNamed(ctx.db, toRange(slice));
  const sizes = new Map<string, number>();
  for await (const { key, size } of objects.list(`originals/${toPrefix(slice)}/`)) {
    if (parseKey(key) !== undefined) sizes.set(key, size);
  }
  await settleUnknown(ctx, sizes);
  const lost = named.filter(({ key, size }) => sizes.get(key) !== size);
  for (const original of lost) await recordLost(ctx, original);
}

function toRange(slice: number) {
  const toDigest = (value: number) => Buffer.from([value, ...Array.from({ length: 31 }, () => 0)]);
  return { start: toDigest(slice), end: slice + 1 < SLICES ? toDigest(slice + 1) : undefined };
}

async function settleUnknown(ctx: Deps, sizes: ReadonlyMap<string, number>): Promise<void> {
  const { db, log } = ctx;
  const keys = [...sizes.keys()];
  let adopted = 0;
  let scheduled = 0;
  for (let at = 0; at < keys.length; at += BATCH_SIZE) {
    const useless: string[] = [];
    for (const key of await filterUnknown(db, keys.slice(at, at + BATCH_SIZE))) {
      const [sha256, size] = [parseKey(key) ?? '', sizes.get(key) ?? 0];
      const isFile = await hasOriginal(ctx, { sha256, size, objectKey: null });
      if (!isFile && (await adoptObject(db, { sha256, key, size }))) adopted += 1;
      else useless.push(key);
    }
    await scheduleDeletion(db, useless, UNKNOWN_SECONDS);
    scheduled += useless.length;
  }
  if (adopted > 0) log.warn('originals without a file have their object again', { adopted });
  if (scheduled > 0) {
    log.warn('objects without an original will be deleted in 30 days', { scheduled });
  }
}

/** A listing may lag behind: the object itself is asked. */
async function recordLost(ctx: Deps, original: NamedObject): Promise<void> {
  const objects = await openObjectStore(ctx);
  if ((await objects.findSize(original.key)) === original.size) return;
  await markMissing(ctx.db, original);
  ctx.log.error('the object of an original is missing or has another length', {
    key: original.key,
  });
}
