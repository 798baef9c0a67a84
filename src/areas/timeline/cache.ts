import type { Sql } from 'postgres';

/** Bytes of all cached responses. */
const MAX_BYTES = 16 * 1024 * 1024;

type Entry = { readonly version: string; readonly bytes: Uint8Array<ArrayBuffer> };
type Cache = { readonly entries: Map<string, Entry>; bytes: number };

const caches = new WeakMap<Sql, Cache>();

function getCache(pool: Sql): Cache {
  let cache = caches.get(pool);
  if (!cache) caches.set(pool, (cache = { entries: new Map(), bytes: 0 }));
  return cache;
}

/** Returns the cached response for `key` if it has exactly this version. */
export function getCachedBody(pool: Sql, key: string, version: string) {
  const { entries } = getCache(pool);
  const entry = entries.get(key);
  if (entry?.version !== version) return undefined;
  // Moves the entry to the end: the first entries are the least recently used.
  entries.delete(key);
  entries.set(key, entry);
  return entry.bytes;
}

export function cacheBody(pool: Sql, key: string, entry: Entry): void {
  const cache = getCache(pool);
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

/** With ten years each this is 3 MB. */
const MAX_LISTINGS = 256;

/** The number of items in a month, at a version of the month. */
export type CachedMonth = { readonly version: string; readonly assets: number };
type Months = ReadonlyMap<string, CachedMonth>;

const listings = new WeakMap<Sql, Map<string, Months>>();

export const getCachedMonths = (pool: Sql, key: string): Months | undefined =>
  listings.get(pool)?.get(key);

export function cacheMonths(pool: Sql, key: string, months: Months): void {
  let kept = listings.get(pool);
  if (!kept) listings.set(pool, (kept = new Map()));
  // Moves to the end, as above.
  kept.delete(key);
  kept.set(key, months);
  if (kept.size > MAX_LISTINGS) kept.delete(kept.keys().next().value!);
}
