import { readdir, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { Deps } from '../core/context.ts';
import type { DataPaths } from '../core/paths.ts';

// Copies of objects over the budget of this machine: the least recently used go first.

const STORES = ['originals', 'derived', 'profiles', 'exports'] as const;

/** Yields the paths of the copies: those of originals are named by digests, others as their objects. */
export async function* listCopies(
  { cache }: DataPaths,
  store: (typeof STORES)[number],
): AsyncGenerator<string> {
  const root = join(cache, store);
  for (const folder of await readdir(root).catch(() => [])) {
    for (const name of await readdir(join(root, folder)).catch(() => [])) {
      yield join(root, folder, name);
    }
  }
}

/** Copies of files other than originals are used by their paths. */
const IN_USE_MS = 30 * 60_000;

/**
 * Removes the least recently used copies, if all have more than `budget` bytes, until they have at most `target`.
 * Returns how many.
 */
export async function evictCopies(
  paths: DataPaths,
  budget: number,
  target = budget,
): Promise<number> {
  const copies: { readonly path: string; readonly size: number; readonly usedAt: number }[] = [];
  let bytes = 0;
  for (const store of STORES) {
    for await (const path of listCopies(paths, store)) {
      const found = await stat(path).catch(() => undefined);
      if (!found) continue;
      const { size, mtimeMs: usedAt } = found;
      bytes += size;
      const isInUse = store !== 'originals' && Date.now() - usedAt < IN_USE_MS;
      if (!isInUse) copies.push({ path, size, usedAt });
    }
  }
  let removed = 0;
  const isOver = bytes > budget;
  for (const { path, size } of isOver ? copies.toSorted((a, b) => a.usedAt - b.usedAt) : []) {
    if (bytes <= target) break;
    await unlink(path).catch(() => {});
    bytes -= size;
    removed += 1;
  }
  usages.set(paths.cache, { bytes, countedAt: performance.now(), isDue: false });
  return removed;
}

type Usage = {
  /** Bytes of all copies when they were counted, and of those that this thread has added since. */
  bytes: number;
  countedAt: number;
  /** Whether a count will begin soon. */
  isDue: boolean;
};

const usages = new Map<string, Usage>();

const EVICTION_PAUSE_MS = 10_000;
/** Other processes add copies, too. */
const RECOUNT_MS = 3600_000;
/** Counting takes as long as there are copies: so it is not done for each that is added. */
const TARGET_SHARE = 0.9;

/** Notes that a copy was added. Evicts what is over the budget, some time later. */
export function noteCopy(
  { paths, settings }: Pick<Deps, 'paths' | 'settings'>,
  bytes: number,
): void {
  const budget = settings.objectCacheBytes;
  const usage = usages.get(paths.cache) ?? { bytes: Infinity, countedAt: 0, isDue: false };
  usages.set(paths.cache, usage);
  usage.bytes += bytes;
  const isOld = performance.now() - usage.countedAt > RECOUNT_MS;
  if (usage.isDue || (usage.bytes <= budget && !isOld)) return;
  usage.isDue = true;
  const timer = setTimeout(() => {
    evictCopies(paths, budget, budget * TARGET_SHARE).catch(() => {
      usage.isDue = false;
    });
  }, EVICTION_PAUSE_MS);
  timer.unref();
}
