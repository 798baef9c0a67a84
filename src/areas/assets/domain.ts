import { batchedByScope } from '../../access/batch.ts';
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
import { type AssetView, createViewFinder, findViews } from './store.ts';
import { toAsset, toInstant, type ViewOptions } from './view.ts';

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
