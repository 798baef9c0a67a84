import { type DuplicateSet, listSets, listSetsAround } from './sets/sets.store.ts';
import { requireUser } from '../../access/scope.ts';
import type { Ctx } from '../../core/context.ts';
import { findAssetsById } from '../assets/index.ts';
import type { Duplicates, Summary } from './schemas.ts';
import * as store from './store.ts';

export type DuplicatesFilter = {
  readonly page?: number | undefined;
  readonly size?: number | undefined;
  readonly isSure?: boolean | undefined;
};

/** Returns the sets, newest pictures first; all of them without `size`. */
export async function listDuplicates(
  ctx: Ctx,
  { page = 1, size, isSure }: DuplicatesFilter,
): Promise<Duplicates[]> {
  const reader = toReader(ctx);
  const found = await listSets(reader);
  const wanted = isSure === undefined ? found : found.filter((set) => set.isSure === isSure);
  const ordered = wanted.sort((a, b) => b.newestMs - a.newestMs || (a.id < b.id ? -1 : 1));
  const shown = size === undefined ? ordered : ordered.slice((page - 1) * size, page * size);
  const ids = shown.flatMap(({ itemIds }) => itemIds);
  const assets = await findAssetsById(ctx, ids);
  const worth = new Map((await store.rankByQuality(reader, ids)).map((id, at) => [id, at]));
  return shown.flatMap(({ id: duplicateId, itemIds, isSure }) => {
    const found = itemIds
      .flatMap((id) => assets.get(id) ?? [])
      .toSorted((a, b) => (worth.get(a.id) ?? Infinity) - (worth.get(b.id) ?? Infinity));
    // Deleted between the two reads.
    if (found.length < 2) return [];
    return [
      {
        duplicateId,
        assets: found.map((asset) => ({ ...asset, duplicateId })),
        suggestedKeepAssetIds: found.slice(0, 1).map(({ id }) => id),
        isSure,
      },
    ];
  });
}

export async function getSummary(ctx: Ctx): Promise<Summary> {
  const sets = await listSets(toReader(ctx));
  return {
    ...sumSpare(sets),
    assets: sets.reduce((sum, { itemIds }) => sum + itemIds.length, 0),
    sure: sumSpare(sets.filter(({ isSure }) => isSure)),
  };
}

const sumSpare = (sets: readonly DuplicateSet[]): Summary['sure'] => ({
  sets: sets.length,
  spareAssets: sets.reduce((sum, { itemIds }) => sum + itemIds.length - 1, 0),
  spareBytes: sets.reduce((sum, { spareBytes }) => sum + spareBytes, 0),
});

/** Returns the sets that contain these assets, by set id. */
export async function findSetsByAsset(
  ctx: Ctx,
  assetIds: readonly string[],
): Promise<Map<string, DuplicateSet>> {
  if (assetIds.length === 0) return new Map();
  return toMapById(await listSetsAround(toReader(ctx), assetIds));
}

export const getAllSets = async (ctx: Ctx): Promise<Map<string, DuplicateSet>> =>
  toMapById(await listSets(toReader(ctx)));

const toMapById = (sets: readonly DuplicateSet[]) => new Map(sets.map((set) => [set.id, set]));

export const toReader = (ctx: Ctx): store.Reader => ({
  db: ctx.db,
  session: requireUser(ctx.session),
});
