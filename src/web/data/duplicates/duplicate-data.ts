import { get, post, remove } from '../../base/api.ts';
import { fetchAsset } from '../assets/asset-actions.ts';
import { mutate } from '../../base/query-client.ts';
import { PHOTOS } from '../query-keys.ts';
import type { Asset, BulkResult } from '../types.ts';
import type { Duplicates, ResolveGroup, Summary } from '../../../areas/duplicates/schemas.ts';
import { t } from '../../base/i18n.ts';

export type { Duplicates as DuplicateSet, Summary };

export const fetchSets = (page: number, size: number): Promise<Duplicates[]> =>
  get('/duplicates', { page, size });
/** Only sets of the same bytes or pixels. */
export const fetchIdenticalSets = (page: number, size: number): Promise<Duplicates[]> =>
  get('/duplicates', { page, size, likeness: 'identical' });
/** Shots in succession, which are no duplicates. */
export const fetchBursts = (page: number, size: number): Promise<Duplicates[]> =>
  get('/duplicates', { page, size, likeness: 'burst' });
export const fetchSummary = (): Promise<Summary> => get('/duplicates/summary');

/** A decision that the server has accepted: `text` says what was done. */
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
  if (failed > 0) throw new Error(t('This set has changed meanwhile. Please look at it again.'));
  return {
    text: t('{count, plural, one {# item} other {# items}} moved to the trash', {
      count: trashAssetIds.length,
    }),
    undo: () => undoDecisions([duplicateId], trashAssetIds),
  };
}

/** Decides sets, each by itself; `failed` counts those that have changed meanwhile. */
export async function resolveSets(groups: readonly ResolveGroup[]): Promise<{ failed: number }> {
  const results = await mutate(() => post<BulkResult[]>('/duplicates/resolve', { groups }), {
    invalidates: PHOTOS,
  });
  return { failed: results.filter(({ success }) => !success).length };
}

/** Keeps all copies; they are never listed as a set again. */
export async function keepAll({ duplicateId, assets }: Duplicates): Promise<Decision> {
  await mutate(() => remove('/duplicates', { ids: [duplicateId] }), { invalidates: [] });
  return {
    text: t('All {count} are kept; you will not be asked about them again', {
      count: assets.length,
    }),
    undo: () => undoDecisions([duplicateId], []),
  };
}

/** Stacks all copies, the first one of `order` on top. */
export async function stackSet(order: readonly Asset[]): Promise<Decision> {
  const assetIds = order.map((asset) => asset.id);
  const { id } = await mutate(() => post<{ id: string }>('/stacks', { assetIds }), {
    invalidates: PHOTOS,
  });
  return {
    text: t('{count, plural, one {# item} other {# items}} stacked', { count: order.length }),
    undo: () => mutate(() => remove(`/stacks/${id}`), { invalidates: PHOTOS }),
  };
}

/** Restores photos from the trash and has the sets listed again. */
export const undoDecisions = (
  duplicateIds: readonly string[],
  trashedIds: readonly string[],
): Promise<void> =>
  mutate(
    async () => {
      if (trashedIds.length > 0) await post('/trash/restore/assets', { ids: trashedIds });
      if (duplicateIds.length > 0) await remove('/duplicates/decisions', { ids: duplicateIds });
    },
    { invalidates: PHOTOS },
  );

/** Returns the set with its photos as they are now: metadata that was merged into them stays. */
export const fetchSetAgain = async (set: Duplicates): Promise<Duplicates> => ({
  ...set,
  assets: await Promise.all(set.assets.map(({ id }) => fetchAsset(id))),
});
