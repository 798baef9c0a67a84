import {
  isCopy,
  type Likeness,
  type DuplicateSet,
  isOfDuplicates,
  listSets,
  listSetsAround,
} from '../duplicate-sets/index.ts';
import { requireUser } from '../../access/scope.ts';
import type { Ctx } from '../../core/context.ts';
import { findAssetsById } from '../assets/index.ts';
import type { Duplicates, Summary } from './schemas.ts';
import * as store from './store.ts';

export type DuplicatesFilter = {
  readonly page?: number | undefined;
  readonly size?: number | undefined;
  readonly likeness?: Likeness | undefined;
};

/** Returns the sets, newest pictures first; all of them without `size`, and no bursts unless asked for. */
export async function listDuplicates(
  ctx: Ctx,
  { page = 1, size, likeness }: DuplicatesFilter,
): Promise<Duplicates[]> {
  const reader = toReader(ctx);
  const found = await listSets(reader);
  const wanted = found.filter(
    likeness === undefined ? isOfDuplicates : (set) => set.likeness === likeness,
  );
  const ordered = wanted.sort((a, b) => b.newestMs - a.newestMs || (a.id < b.id ? -1 : 1));
  const shown = size === undefined ? ordered : ordered.slice((page - 1) * size, page * size);
  const ids = shown.flatMap(({ itemIds }) => itemIds);
  const assets = await findAssetsById(ctx, ids);
  const worth = new Map((await store.rankByQuality(reader, ids)).map((id, at) => [id, at]));
  return shown.flatMap(({ id: duplicateId, itemIds, likeness }) => {
    const found = itemIds
      .flatMap((id) => assets.get(id) ?? [])
      .toSorted((a, b) => (worth.get(a.id) ?? Infinity) - (worth.get(b.id) ?? Infinity));
    // Deleted between the two reads.
    if (found.length < 2) return [];
    return [
      {
        duplicateId,
        assets: found.map((asset) => ({
          ...asset,
          duplicateId: likeness === 'burst' ? null : duplicateId,
        })),
        suggestedKeepAssetIds: found.slice(0, isCopy(likeness) ? 1 : undefined).map(({ id }) => id),
        likeness,
      },
    ];
  });
}

export async function getSummary(ctx: Ctx): Promise<Summary> {
  const found = await listSets(toReader(ctx));
  const sets = found.filter(isOfDuplicates);
  return {
    ...sumSpare(sets),
    assets: sets.reduce((sum, { itemIds }) => sum + itemIds.length, 0),
    identical: sumSpare(sets.filter(({ likeness }) => likeness === 'identical')),
    bursts: found.length - sets.length,
  };
}

function sumSpare(sets: readonly DuplicateSet[]): Summary['identical'] {
  const spare = sets.filter(({ likeness }) => isCopy(likeness));
  return {
    sets: sets.length,
    spareAssets: spare.reduce((sum, { itemIds }) => sum + itemIds.length - 1, 0),
    spareBytes: spare.reduce((sum, { spareBytes }) => sum + spareBytes, 0),
  };
}

/** Returns the sets of duplicates that contain these assets, by set id. */
export async function findSetsByAsset(
  ctx: Ctx,
  assetIds: readonly string[],
): Promise<Map<string, DuplicateSet>> {
  if (assetIds.length === 0) return new Map();
  const found = await listSetsAround(toReader(ctx), assetIds);
  return toMapById(found.filter(isOfDuplicates));
}

/** Also bursts. */
export const getAllSets = async (ctx: Ctx): Promise<Map<string, DuplicateSet>> =>
  toMapById(await listSets(toReader(ctx)));

const toMapById = (sets: readonly DuplicateSet[]) => new Map(sets.map((set) => [set.id, set]));

export const toReader = (ctx: Ctx): store.Reader => ({
  db: ctx.db,
  session: requireUser(ctx.session),
});
