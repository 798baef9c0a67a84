import { LRUCache } from 'lru-cache';
import { getScopeKey } from '../../../access/batch.ts';
import type { Ctx } from '../../../core/context.ts';
import type { PreparedQuery } from '../../../db/query.ts';
import { countTextBytes, defineKind } from '../../../read-cache/memory.ts';
import { isInTransaction } from '../../../db/transaction.ts';
import type { Asset } from '../schemas.ts';
import { toAsset, type ViewOptions } from '../view.ts';
import { getAssetId, isOwnBody, type NamedView, prepareNamedViews } from './bodies.store.ts';

// The JSON text of assets as listings show them. Reading and writing 46 columns of each asset is most of
// what a listing costs, and few of them have changed since they were listed before. A listing therefore
// selects names of bodies (`bodyName`), and only unknown ones are read. What a viewer may see is decided by
// the listing each time: the memory is asked for nothing else.

/**
 * Versions are used again after four billion transactions, and by a server that lost its last ones in a
 * crash: no body is shown longer than this without being read again.
 */
const MAX_AGE_MS = 60 * 60_000;

const bodies = defineKind<string>('bodies', countTextBytes, { maxAgeMs: MAX_AGE_MS });

/**
 * Returns the JSON text of the assets that `names` (bodyName) name, in their order: `toAsset` with these options.
 * Undefined for those that the session may not see any more.
 */
export async function findBodies(
  ctx: Ctx,
  names: readonly string[],
  options: ViewOptions,
): Promise<(string | undefined)[]> {
  const texts = names.map((name) => bodies.find(ctx, name));
  const missing = names.filter((_, at) => texts[at] === undefined);
  if (missing.length === 0) return texts;
  const loaded = await loadBodies(ctx, missing, options);
  return names.map((name, at) => texts[at] ?? loaded.get(getAssetId(name)));
}

/** Reads bodies and remembers them. Returns them by asset id. */
async function loadBodies(
  ctx: Ctx,
  names: readonly string[],
  options: ViewOptions,
): Promise<Map<string, string>> {
  const find = getQuery(ctx, options, names.every(isOwnBody) ? 'own' : 'any');
  const rows = await find(ctx.db, { ids: `{${names.map(getAssetId).join()}}` });
  // The last of several changes in a transaction has the name of the first.
  const isLasting = !isInTransaction(ctx.db);
  const texts = new Map<string, string>();
  for (const row of rows) {
    const text = JSON.stringify(toAsset(row, options));
    texts.set(row.id, text);
    // The name of what was read, which may be newer than what was asked for.
    if (isLasting) bodies.keep(ctx, row.name, text);
  }
  return texts;
}

const MAX_QUERIES = 200;
const queries = new LRUCache<string, PreparedQuery<NamedView>>({ max: MAX_QUERIES });

/** Writing the statement costs as much as reading a few assets. */
function getQuery(ctx: Ctx, options: ViewOptions, reach: 'own' | 'any'): PreparedQuery<NamedView> {
  const key = `${options.withExif} ${reach} ${getScopeKey(ctx.session)}`;
  const known = queries.get(key);
  if (known) return known;
  const query = prepareNamedViews(ctx, options, reach);
  queries.set(key, query);
  return query;
}

/**
 * Sets members of the body of an asset. Those of a full body have their place; one without metadata has
 * none, and gets people at its end.
 */
export function setMembers(
  body: string,
  { people, stack }: Partial<Pick<Asset, 'people' | 'stack'>>,
): string {
  let text = body;
  // Within a text quotes are escaped: unescaped ones are those of the member.
  if (stack) text = text.replace('"stack":null', () => `"stack":${JSON.stringify(stack)}`);
  if (!people) return text;
  const value = `"people":${JSON.stringify(people)}`;
  return text.includes('"people":[]')
    ? text.replace('"people":[]', () => value)
    : `${text.slice(0, -1)},${value}}`;
}
