import { createBatchedLoader } from '../core/batched-loader.ts';
import type { Ctx } from '../core/context.ts';
import type { Db } from '../db/client.ts';
import type { Session, UserSession } from './session.ts';

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
 * Like `batched`, with one batch per scope: concurrent requests whose sessions see the same rows share a
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
