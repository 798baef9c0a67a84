import type { Sql } from 'postgres';
import { createBatchedLoader } from '../core/batched-loader.ts';
import { requireValue } from '../core/required.ts';
import type { Db } from './client.ts';

type Reader = { readonly db: Db; readonly sql: Sql };

/**
 * Returns `read` for what is the same for every caller: requests that come while it runs share the next
 * run, which begins after all of them.
 */
export function shareReads<T>(read: (db: Db) => Promise<T>): (reader: Reader) => Promise<T> {
  const loaders = new WeakMap<Sql, (key: 'all') => Promise<{ readonly value: T } | undefined>>();
  return async ({ db, sql }) => {
    let load = loaders.get(sql);
    if (!load) {
      load = createBatchedLoader(async () => new Map([['all', { value: await read(db) }]]));
      loaders.set(sql, load);
    }
    return requireValue(await load('all'), 'result of a shared read').value;
  };
}
