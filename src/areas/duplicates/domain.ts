import { type DuplicateSet, findSets, findSetsAround } from '../../access/duplicate-sets.ts';
import { asUser } from '../../access/scope.ts';
import type { Ctx } from '../../core/context.ts';
import { assetsById } from '../assets/index.ts';
import type { Duplicates, Summary } from './schemas.ts';
import * as store from './store.ts';

export type PageOf = { readonly page?: number | undefined; readonly size?: number | undefined };

/** The sets with the newest pictures first; all of them where no size is given. */
export async function listDuplicates(ctx: Ctx, { page = 1, size }: PageOf): Promise<Duplicates[]> {
  const ordered = await orderedSets(ctx);
  const shown = size === undefined ? ordered : ordered.slice((page - 1) * size, page * size);
  const assets = await assetsById(
    ctx,
    shown.flatMap(({ items }) => items.map(({ id }) => id)),
  );
  return shown.flatMap(({ id: duplicateId, items }) => {
    const found = items.flatMap((item) => assets.get(item.id) ?? []);
    // Gone between the two reads.
    if (found.length < 2) return [];
    return [
      {
        duplicateId,
        assets: found.map((asset) => ({ ...asset, duplicateId })),
        suggestedKeepAssetIds: found.slice(0, 1).map(({ id }) => id),
      },
    ];
  });
}

export async function summarize(ctx: Ctx): Promise<Summary> {
  const sets = await orderedSets(ctx);
  const spare = sets.flatMap(({ items }) => items.slice(1));
  return {
    sets: sets.length,
    assets: sets.reduce((sum, { items }) => sum + items.length, 0),
    spareAssets: spare.length,
    spareBytes: spare.reduce((sum, { bytes }) => sum + bytes, 0),
  };
}

/** Their items with the best one first. */
type OrderedSet = { readonly id: string; readonly items: readonly store.Worth[] };

async function orderedSets(ctx: Ctx): Promise<OrderedSet[]> {
  const reader = readerOf(ctx);
  const sets = await findSets(reader);
  const ids = sets.flatMap(({ itemIds }) => itemIds);
  const setOf = new Map(sets.flatMap(({ id, itemIds }) => itemIds.map((item) => [item, id])));
  const worth = ids.length > 0 ? await store.orderByWorth(reader, ids) : [];
  const grouped = Map.groupBy(worth, ({ id }) => setOf.get(id)!);
  return [...grouped]
    .map(([id, items]) => ({ id, items, newest: Math.max(...items.map(({ takenMs }) => takenMs)) }))
    .filter(({ items }) => items.length > 1)
    .sort((a, b) => b.newest - a.newest || (a.id < b.id ? -1 : 1));
}

/** The sets that these assets are in, by their ids. */
export async function setsAround(
  ctx: Ctx,
  assetIds: readonly string[],
): Promise<Map<string, DuplicateSet>> {
  if (assetIds.length === 0) return new Map();
  return byId(await findSetsAround(readerOf(ctx), assetIds));
}

export const allSets = async (ctx: Ctx): Promise<Map<string, DuplicateSet>> =>
  byId(await findSets(readerOf(ctx)));

const byId = (sets: readonly DuplicateSet[]) => new Map(sets.map((set) => [set.id, set]));

export const readerOf = (ctx: Ctx): store.Reader => ({ db: ctx.db, session: asUser(ctx.session) });
