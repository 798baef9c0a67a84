import { batched } from '../core/batch.ts';
import type { Ctx } from '../core/context.ts';
import type { Db } from '../db/client.ts';
import type { Session, UserSession } from './session.ts';

/** Equal for sessions that see the same rows. */
export const scopeKey = (session: Session): string =>
  session.kind === 'user'
    ? `user ${session.userId} ${session.unlocked} ${sharersOf(session)} ${rulesOf(session)}`
    : `link ${session.linkId} ${session.albumId} ${session.showMetadata} ${sharersOf(session)}`;

const sharersOf = ({ sharers, placelessSharers }: Session): string =>
  `${sharers.join()} ${placelessSharers.join()}`;

const rulesOf = ({ contentRules }: UserSession): string =>
  contentRules.length === 0 ? '' : JSON.stringify(contentRules);

const MAX_SCOPES = 1000;

/**
 * `batched` for what depends on who asks: requests of one moment and of one scope share a query.
 * `prepare` writes the query of a scope, with the ctx of the request that opened it.
 */
export function batchedByScope<K, V>(
  prepare: (ctx: Ctx) => (keys: readonly K[]) => Promise<ReadonlyMap<K, V>>,
): (ctx: Ctx, key: K) => Promise<V | undefined> {
  type Lookup = (key: K) => Promise<V | undefined>;
  const byDatabase = new WeakMap<Db, Map<string, Lookup>>();
  return (ctx, key) => {
    let lookups = byDatabase.get(ctx.db);
    if (!lookups) byDatabase.set(ctx.db, (lookups = new Map()));
    const scope = scopeKey(ctx.session);
    let lookup = lookups.get(scope);
    if (!lookup) {
      // Nothing is kept in a lookup but loads under way, so all may be forgotten at any time.
      if (lookups.size >= MAX_SCOPES) lookups.clear();
      lookup = batched(prepare(ctx));
      lookups.set(scope, lookup);
    }
    return lookup(key);
  };
}
