import { batchedByScope, getScopeKey } from '../../access/batch.ts';
import { findSetId } from '../duplicate-sets/index.ts';
import type { Session } from '../../access/session.ts';
import type { Ctx } from '../../core/context.ts';
import { noAccess } from '../../core/errors.ts';
import { toTag } from '../tags/index.ts';
import {
  toPerson,
  listOwners,
  listPeopleOnAssets,
  listStacksOfAssets,
  listTagsOfAssets,
  type OwnerView,
  type StackView,
  type WithMembers,
} from './relations.store.ts';
import type { Asset } from './schemas.ts';
import {
  type AssetView,
  createViewFinder,
  findViews,
  getAssetId,
  isOwnBody,
  type NamedView,
  prepareNamedViews,
} from './store.ts';
import { toAsset, toInstant, type ViewOptions } from './view.ts';
import { LRUCache } from 'lru-cache';
import type { PreparedQuery } from '../../db/query.ts';
import { countTextBytes, defineKind } from '../../read-cache/memory.ts';
import { isInTransaction } from '../../db/transaction.ts';

const findView = batchedByScope(createViewFinder);

export async function getAsset(ctx: Ctx, id: string): Promise<Asset> {
  const row = await findView(ctx, id.toLowerCase());
  if (!row) throw noAccess('asset.read');
  const relations = {
    stack: toVisibleStack(row.stack),
    tags: (row.tags ?? []).map(toTag),
    people: (row.people ?? []).map(toPerson),
    owner: toOwner(row),
  };
  const asset = withRelations(row, relations, toViewOptions(ctx.session, true));
  const { db, session } = ctx;
  if (!row.hasSimilarAsset || session.kind !== 'user') return asset;
  return { ...asset, duplicateId: await findSetId({ db, session }, row.id) };
}

/**
 * Returns those of `ids` that the session may see, with relations, by id. `ctx` must not be inside a
 * transaction.
 */
export async function findAssetsById(
  ctx: Ctx,
  ids: readonly string[],
): Promise<Map<string, Asset>> {
  if (ids.length === 0) return new Map();
  const options = toViewOptions(ctx.session, true);
  const rows = await findViews(ctx, ids);
  const getRelations = await createRelationsLookup(ctx, rows);
  return new Map(rows.map((row) => [row.id, withRelations(row, getRelations(row), options)]));
}

type Relations = Required<Pick<Asset, 'stack' | 'tags' | 'people'>> & {
  /** Undefined for an account that was deleted meanwhile. */
  readonly owner: Asset['owner'] | undefined;
};

/** Loads the relations of rows that the session may see and returns a lookup. */
async function createRelationsLookup(ctx: Ctx, rows: readonly AssetView[]) {
  const ids = rows.map((row) => row.id);
  const [getStack, tags, getPeople, owners] = await Promise.all([
    createStackLookup(ctx, ids),
    listTagsOfAssets(ctx.db, getViewerId(ctx.session), ids),
    createPeopleLookup(ctx, ids),
    listOwners(ctx.db, [...new Set(rows.map((row) => row.ownerId))]),
  ]);
  const tagsById = groupByMember(tags, toTag);
  const ownersById = new Map(owners.map((owner) => [owner.ownerId, toOwner(owner)]));
  return ({ id, ownerId }: AssetView): Relations => ({
    stack: getStack(id),
    tags: tagsById.get(id) ?? [],
    people: getPeople(id),
    owner: ownersById.get(ownerId),
  });
}

/** Returns null for a guest. */
const getViewerId = (session: Session) => (session.kind === 'user' ? session.userId : null);

/** Returns the converted rows of each asset, in the order of `rows`. */
function groupByMember<Row, T>(
  rows: readonly WithMembers<Row>[],
  convert: (row: Row) => T,
): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const row of rows) {
    const value = convert(row);
    for (const id of row.members) {
      const group = groups.get(id);
      if (group) group.push(value);
      else groups.set(id, [value]);
    }
  }
  return groups;
}

/**
 * Loads the stacks of assets that the session may see and returns a lookup by asset id. `ctx` must not
 * be inside a transaction.
 */
export async function createStackLookup({ db }: Ctx, ids: readonly string[]) {
  const found = groupByMember(await listStacksOfAssets(db, ids), toVisibleStack);
  return (id: string) => found.get(id)?.[0] ?? null;
}

/**
 * Loads the viewer's people on assets that the session may see and returns a lookup by asset id. `ctx`
 * must not be inside a transaction.
 */
export async function createPeopleLookup({ db, session }: Ctx, ids: readonly string[]) {
  const rows = await listPeopleOnAssets(db, getViewerId(session), ids);
  const found = groupByMember(rows, toPerson);
  return (id: string) => found.get(id) ?? [];
}

/** A stack with one visible asset is not shown as a stack. */
const toVisibleStack = (stack: StackView | null): NonNullable<Asset['stack']> | null =>
  stack && stack.primaryAssetId !== null && stack.assetCount > 1
    ? { id: stack.id, primaryAssetId: stack.primaryAssetId, assetCount: stack.assetCount }
    : null;

function withRelations(row: AssetView, relations: Relations, options: ViewOptions): Asset {
  const asset = toAsset(row, options);
  if (!options.showMetadata) return asset;
  const { people, tags, stack, owner } = relations;
  return Object.assign(asset, { people, tags, stack, ...(options.viewerId && owner && { owner }) });
}

export const toViewOptions = (session: Session, withExif: boolean): ViewOptions =>
  session.kind === 'user'
    ? {
        viewerId: session.userId,
        withExif,
        showMetadata: true,
      }
    : {
        viewerId: undefined,
        withExif,
        showMetadata: session.showMetadata,
      };

type AssetOwner = NonNullable<Asset['owner']>;

const toOwner = (row: OwnerView): AssetOwner => ({
  id: row.ownerId,
  name: row.ownerName,
  email: row.ownerEmail,
  avatarColor: row.ownerColor as AssetOwner['avatarColor'],
  profileImagePath: row.ownerImage ?? '',
  profileChangedAt: toInstant(row.ownerChangedAt),
});

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
