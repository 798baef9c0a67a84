import { queryOptions, skipToken } from '@tanstack/react-query';
import type { AssetLabel } from '../../../areas/search/labels/labels.schemas.ts';
import { get, post } from '../../base/api.ts';
import { getLanguage } from '../../base/i18n.ts';
import { keys } from '../query-keys.ts';
import { fetchStack } from '../stacks/stack-data.ts';
import { fetchAsset } from '../assets/asset-actions.ts';
import type { Asset } from '../types.ts';

/** All about one photo. It is not kept: meanwhile the photo may have left its stack, say. */
export const assetQuery = (id: string) =>
  queryOptions({ queryKey: [...keys.assets, id], queryFn: () => fetchAsset(id), gcTime: 0 });

export const labelsQuery = (id: string) =>
  queryOptions({
    queryKey: [...keys.assets, id, 'labels'],
    queryFn: () => get<AssetLabel[]>(`/assets/${id}/labels`, { language: getLanguage() }),
  });

/** Whether only a part of the file can be shown. */
export const damageQuery = ({ id, updatedAt, visibility, isTrashed }: Asset) =>
  queryOptions({
    queryKey: [...keys.assets, id, 'damage', updatedAt],
    queryFn: async () => {
      const search = { id, isDamaged: true, size: 1, visibility, withDeleted: isTrashed };
      const { assets } = await post<{ assets: { count: number } }>('/search/metadata', search);
      return assets.count > 0;
    },
  });

/** The stack that a photo stands for. A stack that changes comes with a new version of its photo. */
export function stackQuery(asset: Asset | undefined) {
  const stackId = asset?.stack?.id;
  return queryOptions({
    queryKey: [...keys.stacks, stackId, asset?.updatedAt],
    queryFn: stackId === undefined ? skipToken : () => fetchStack(stackId),
    placeholderData: (old) => (old?.id === stackId ? old : undefined),
  });
}
