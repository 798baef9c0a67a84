import { get, post, remove } from '../api.ts';
import { formatCount } from '../format.ts';
import { fetchAsset } from '../timeline/asset-actions.ts';
import { refreshTimelines } from '../timeline/timeline-data.ts';
import type { Asset, BulkResult } from '../types.ts';
import type { Duplicates, ResolveGroup, Summary } from '../../areas/duplicates/schemas.ts';

export type { Duplicates as DuplicateSet, Summary };

export const fetchSets = (page: number, size: number): Promise<Duplicates[]> =>
  get('/duplicates', { page, size });
/** Those that nobody would tell apart. */
export const fetchSureSets = (page: number, size: number): Promise<Duplicates[]> =>
  get('/duplicates', { page, size, isSure: true });
export const fetchSummary = (): Promise<Summary> => get('/duplicates/summary');

/** What was decided, with the way back; throws what the server refused. */
export type Decision = { readonly text: string; readonly undo: () => Promise<void> };

export async function resolveSet(
  { duplicateId, assets }: Duplicates,
  keptIds: ReadonlySet<string>,
): Promise<Decision> {
  const [keepAssetIds, trashAssetIds] = [
    assets.filter(({ id }) => keptIds.has(id)).map(({ id }) => id),
    assets.filter(({ id }) => !keptIds.has(id)).map(({ id }) => id),
  ];
  const { failed } = await resolveSets([{ duplicateId, keepAssetIds, trashAssetIds }]);
  if (failed > 0) throw new Error('This set has changed meanwhile. Please look at it again.');
  return {
    text: `${formatCount(trashAssetIds.length, 'item')} moved to the trash`,
    undo: () => takeBack([duplicateId], trashAssetIds),
  };
}

/** Each set by itself: one that has changed meanwhile leaves the others alone. */
export async function resolveSets(groups: readonly ResolveGroup[]): Promise<{ failed: number }> {
  const results = await post<BulkResult[]>('/duplicates/resolve', { groups });
  await refreshTimelines();
  return { failed: results.filter(({ success }) => !success).length };
}

/** They never come back as a set. */
export async function keepAll({ duplicateId, assets }: Duplicates): Promise<Decision> {
  await remove('/duplicates', { ids: [duplicateId] });
  return {
    text: `All ${assets.length} stay; they will not be asked about again`,
    undo: () => takeBack([duplicateId], []),
  };
}

/** All of them as one, the first one of `order` on top. */
export async function stackSet(order: readonly Asset[]): Promise<Decision> {
  const { id } = await post<{ id: string }>('/stacks', { assetIds: order.map((one) => one.id) });
  await refreshTimelines();
  return {
    text: `${formatCount(order.length, 'item')} stacked`,
    undo: async () => {
      await remove(`/stacks/${id}`);
      await refreshTimelines();
    },
  };
}

export async function takeBack(
  duplicateIds: readonly string[],
  trashedIds: readonly string[],
): Promise<void> {
  if (trashedIds.length > 0) await post('/trash/restore/assets', { ids: trashedIds });
  if (duplicateIds.length > 0) await remove('/duplicates/decisions', { ids: duplicateIds });
  await refreshTimelines();
}

/** As they are now: what was merged into them stays there. */
export const readAgain = async (set: Duplicates): Promise<Duplicates> => ({
  ...set,
  assets: await Promise.all(set.assets.map(({ id }) => fetchAsset(id))),
});
