import { LRUCache } from 'lru-cache';
import type { Sql } from 'postgres';
import { perDatabase } from '../../db/per-database.ts';
import type { VersionedMonths } from '../assets/index.ts';

/** Bytes of all cached responses. */
const MAX_BYTES = 16 * 1024 * 1024;

type Entry = { readonly version: string; readonly bytes: Uint8Array<ArrayBuffer> };

const getBodies = perDatabase(
  () =>
    new LRUCache<string, Entry>({
      maxSize: MAX_BYTES,
      maxEntrySize: MAX_BYTES / 4,
      sizeCalculation: ({ bytes }) => Math.max(1, bytes.length),
    }),
);

/** Returns the cached response for `key` if it has exactly this version. */
export function getCachedBody(
  pool: Sql,
  key: string,
  version: string,
): Uint8Array<ArrayBuffer> | undefined {
  const entry = getBodies(pool).get(key);
  return entry?.version === version ? entry.bytes : undefined;
}

export const cacheBody = (pool: Sql, key: string, entry: Entry): void =>
  void getBodies(pool).set(key, entry);

/** With ten years each this is 3 MB. */
const MAX_LISTINGS = 256;

/** The number of items by month. */
type Months = VersionedMonths<number>;

const getListings = perDatabase(() => new LRUCache<string, Months>({ max: MAX_LISTINGS }));

export const getCachedMonths = (pool: Sql, key: string): Months | undefined =>
  getListings(pool).get(key);

export const cacheMonths = (pool: Sql, key: string, months: Months): void =>
  void getListings(pool).set(key, months);
