import type { Sql } from 'postgres';
import type { Ctx } from '../core/context.ts';
import { requireValue } from '../core/required.ts';
import type { Db } from '../db/client.ts';
import type { Session, UserSession } from './session.ts';

/**
 * Returns a function that looks up one key. Keys that are requested while a load is running are loaded
 * together afterwards: under load a thousand requests need a few queries. Nothing is cached.
 */
export function createBatchedLoader<K, V>(
  load: (keys: readonly K[]) => Promise<ReadonlyMap<K, V>>,
): (key: K) => Promise<V | undefined> {
  let next = new Map<K, PromiseWithResolvers<V | undefined>>();
  let isLoading = false;

  async function run(): Promise<void> {
    while (next.size > 0) {
      const batch = next;
      next = new Map();
      try {
        const found = await load([...batch.keys()]);
        for (const [key, { resolve }] of batch) resolve(found.get(key));
      } catch (error) {
        for (const { reject } of batch.values()) reject(error);
      }
    }
    isLoading = false;
  }

  return (key) => {
    let waiting = next.get(key);
    if (!waiting) next.set(key, (waiting = Promise.withResolvers()));
    // Requests of the same turn of the event loop share the first load too.
    if (!isLoading) {
      isLoading = true;
      setImmediate(() => void run());
    }
    return waiting.promise;
  };
}

/** Returns a key that is equal for sessions that see the same rows. */
export const getScopeKey = (session: Session): string =>
  session.kind === 'user'
    ? `user ${session.userId} ${session.unlocked} ${formatSharers(session)} ${formatRules(session)}`
    : `link ${session.linkId} ${session.albumId} ${session.showMetadata} ${session.hidesPlaces} ${formatSharers(session)}`;

const formatSharers = ({ sharers, placelessSharers, partialSharers }: Session): string =>
  `${sharers.join()} ${placelessSharers.join()} ${partialSharers.map(({ id, from }) => id + from).join()}`;

const formatRules = ({ contentRules }: UserSession): string =>
  contentRules.length === 0 ? '' : JSON.stringify(contentRules);

const MAX_SCOPES = 1000;

/**
 * Like createBatchedLoader, with one batch per scope: concurrent requests whose sessions see the same rows share a
 * query. `prepare` creates the query of a scope from the ctx of the first request.
 */
export function batchedByScope<K, V>(
  prepare: (ctx: Ctx) => (keys: readonly K[]) => Promise<ReadonlyMap<K, V>>,
): (ctx: Ctx, key: K) => Promise<V | undefined> {
  type Lookup = (key: K) => Promise<V | undefined>;
  const byDatabase = new WeakMap<Db, Map<string, Lookup>>();
  return (ctx, key) => {
    let lookups = byDatabase.get(ctx.db);
    if (!lookups) byDatabase.set(ctx.db, (lookups = new Map()));
    const scope = getScopeKey(ctx.session);
    let lookup = lookups.get(scope);
    if (!lookup) {
      // A lookup holds nothing but pending loads, so all can be dropped at any time.
      if (lookups.size >= MAX_SCOPES) lookups.clear();
      lookup = createBatchedLoader(prepare(ctx));
      lookups.set(scope, lookup);
    }
    return lookup(key);
  };
}

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
