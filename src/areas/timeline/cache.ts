import type { Sql } from 'postgres';

/** Finished answers of the largest months. */
const MAX_BYTES = 16 * 1024 * 1024;

type Entry = { readonly version: string; readonly bytes: Uint8Array<ArrayBuffer> };
type Cache = { readonly entries: Map<string, Entry>; bytes: number };

const caches = new WeakMap<Sql, Cache>();

function cacheOf(pool: Sql): Cache {
  let cache = caches.get(pool);
  if (!cache) caches.set(pool, (cache = { entries: new Map(), bytes: 0 }));
  return cache;
}

/** The answer for `key` if it is of exactly this version. */
export function cachedBody(pool: Sql, key: string, version: string) {
  const { entries } = cacheOf(pool);
  const entry = entries.get(key);
  if (entry?.version !== version) return undefined;
  // Moves to the end: the first entries are the ones longest unused.
  entries.delete(key);
  entries.set(key, entry);
  return entry.bytes;
}

export function keepBody(pool: Sql, key: string, entry: Entry): void {
  const cache = cacheOf(pool);
  const before = cache.entries.get(key);
  if (before) remove(cache, key, before);
  if (entry.bytes.length > MAX_BYTES / 4) return;
  cache.entries.set(key, entry);
  cache.bytes += entry.bytes.length;
  for (const [oldest, { bytes }] of cache.entries) {
    if (cache.bytes <= MAX_BYTES) return;
    remove(cache, oldest, { bytes });
  }
}

function remove(cache: Cache, key: string, { bytes }: Pick<Entry, 'bytes'>): void {
  cache.entries.delete(key);
  cache.bytes -= bytes.length;
}

/** Of ten years each this is 3 MB. */
const MAX_LISTINGS = 256;

/** How many items a month has, and of which version of the month that is. */
export type CountedMonth = { readonly version: string; readonly assets: number };
type Months = ReadonlyMap<string, CountedMonth>;

const listings = new WeakMap<Sql, Map<string, Months>>();

export const keptMonths = (pool: Sql, key: string): Months | undefined =>
  listings.get(pool)?.get(key);

export function keepMonths(pool: Sql, key: string, months: Months): void {
  let kept = listings.get(pool);
  if (!kept) listings.set(pool, (kept = new Map()));
  // Moves to the end, as above.
  kept.delete(key);
  kept.set(key, months);
  if (kept.size > MAX_LISTINGS) kept.delete(kept.keys().next().value!);
}
