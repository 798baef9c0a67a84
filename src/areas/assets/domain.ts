import { batchedByScope } from '../../access/batch.ts';
import { findSetId } from '../duplicates/sets/index.ts';
import type { Session } from '../../access/session.ts';
import type { Ctx } from '../../core/context.ts';
import { noAccess } from '../../core/errors.ts';
import { toTag } from '../tags/index.ts';
import { toPerson } from './people.ts';
import type { Asset } from './schemas.ts';
import {
  findPeopleOf,
  findStacksOf,
  type FullView,
  type OwnerView,
  type StackView,
  viewFinder,
} from './store.ts';
import { toAsset, toInstant, type ViewOptions } from './view.ts';

const findView = batchedByScope(viewFinder);

export async function getAsset(ctx: Ctx, id: string): Promise<Asset> {
  const row = await findView(ctx, id.toLowerCase());
  if (!row) throw noAccess('asset.read');
  const asset = withRelations(row, viewOptions(ctx.session, true));
  const { db, session } = ctx;
  if (!row.isAlike || session.kind !== 'user') return asset;
  return { ...asset, duplicateId: await findSetId({ db, session }, row.id) };
}

/** Those of `ids` that the session may see, in full. `ctx` must not be inside a transaction. */
export async function assetsById(ctx: Ctx, ids: readonly string[]): Promise<Map<string, Asset>> {
  if (ids.length === 0) return new Map();
  const options = viewOptions(ctx.session, true);
  const rows = await viewFinder(ctx)(ids);
  return new Map([...rows].map(([id, row]) => [id, withRelations(row, options)]));
}

/** What a list tells of stacks, in one query for all of it. `ctx` must not be inside a transaction. */
export async function stacksOf(ctx: Ctx, ids: readonly string[]) {
  const found = await findStacksOf(ctx, ids);
  return (id: string) => shownStack(found.get(id) ?? null);
}

/** Who is on the items of a list, in one query for all of it. `ctx` must not be inside a transaction. */
export async function peopleOf(ctx: Ctx, ids: readonly string[]) {
  const found = ids.length > 0 ? await findPeopleOf(ctx, ids) : undefined;
  return (id: string) => (found?.get(id) ?? []).map(toPerson);
}

/** A stack of which only one asset is shown is none. */
const shownStack = (stack: StackView | null) => (stack && stack.assetCount > 1 ? stack : null);

function withRelations(row: FullView, options: ViewOptions): Asset {
  const asset = toAsset(row, options);
  if (!options.showMetadata) return asset;
  return {
    ...asset,
    people: (row.people ?? []).map(toPerson),
    tags: (row.tags ?? []).map(toTag),
    stack: shownStack(row.stack),
    ...(options.viewerId && { owner: toOwner(row.ownerId, row) }),
  };
}

export const viewOptions = (session: Session, withExif: boolean): ViewOptions =>
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
