import { batchedByScope } from '../../access/batch.ts';
import { findSetId } from '../duplicates/sets/index.ts';
import type { Session } from '../../access/session.ts';
import type { Ctx } from '../../core/context.ts';
import { noAccess } from '../../core/errors.ts';
import { toTag } from '../tags/index.ts';
import { toPerson } from './person-view.ts';
import type { Asset } from './schemas.ts';
import {
  findPeopleByAsset,
  findStacksByAsset,
  type FullView,
  type OwnerView,
  type StackView,
  createViewFinder,
} from './store.ts';
import { toAsset, toInstant, type ViewOptions } from './view.ts';

const findView = batchedByScope(createViewFinder);

export async function getAsset(ctx: Ctx, id: string): Promise<Asset> {
  const row = await findView(ctx, id.toLowerCase());
  if (!row) throw noAccess('asset.read');
  const asset = withRelations(row, toViewOptions(ctx.session, true));
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
  const rows = await createViewFinder(ctx)(ids);
  return new Map([...rows].map(([id, row]) => [id, withRelations(row, options)]));
}

/**
 * Loads the stacks of `ids` in one query and returns a lookup by asset id. `ctx` must not be inside a
 * transaction.
 */
export async function createStackLookup(ctx: Ctx, ids: readonly string[]) {
  const found = await findStacksByAsset(ctx, ids);
  return (id: string) => toVisibleStack(found.get(id) ?? null);
}

/**
 * Loads the people on `ids` in one query and returns a lookup by asset id. `ctx` must not be inside a
 * transaction.
 */
export async function createPeopleLookup(ctx: Ctx, ids: readonly string[]) {
  const found = ids.length > 0 ? await findPeopleByAsset(ctx, ids) : undefined;
  return (id: string) => (found?.get(id) ?? []).map(toPerson);
}

/** A stack with one visible asset is not shown as a stack. */
const toVisibleStack = (stack: StackView | null) => (stack && stack.assetCount > 1 ? stack : null);

function withRelations(row: FullView, options: ViewOptions): Asset {
  const asset = toAsset(row, options);
  if (!options.showMetadata) return asset;
  return {
    ...asset,
    people: (row.people ?? []).map(toPerson),
    tags: (row.tags ?? []).map(toTag),
    stack: toVisibleStack(row.stack),
    ...(options.viewerId && { owner: toOwner(row.ownerId, row) }),
  };
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

const toOwner = (id: string, row: OwnerView): NonNullable<Asset['owner']> => ({
  id,
  name: row.ownerName,
  email: row.ownerEmail,
  avatarColor: row.ownerColor as NonNullable<Asset['owner']>['avatarColor'],
  profileImagePath: row.ownerImage ?? '',
  profileChangedAt: toInstant(row.ownerChangedAt),
});
