import { queryOptions } from '@tanstack/react-query';
import type { CityCount } from '../../../areas/search/counts/counts.schemas.ts';
import { get, post } from '../../base/api.ts';
import { keys } from '../query-keys.ts';
import type { Asset } from '../types.ts';

/** A value of a field, and a photo that has it. */
export type Example = { value: string; data: Asset };
type Explored = { fieldName: string; items: Example[] };

/** One example photo of each value of a field. */
export const exploreQuery = () =>
  queryOptions({
    queryKey: [...keys.explore, 'examples'],
    queryFn: () => get<Explored[]>('/search/explore'),
  });

/** Whether there are photos of which only a part can be shown. */
export const hasDamagedQuery = () =>
  queryOptions({
    queryKey: [...keys.explore, 'damaged'],
    queryFn: async () => {
      const search = { isDamaged: true, size: 1, visibility: 'timeline' };
      const { assets } = await post<{ assets: { count: number } }>('/search/metadata', search);
      return assets.count > 0;
    },
  });

export const cityCountsQuery = () =>
  queryOptions({
    queryKey: [...keys.explore, 'cities'],
    queryFn: () => get<CityCount[]>('/search/cities/counts'),
  });
