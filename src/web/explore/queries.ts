import { queryOptions } from '@tanstack/react-query';
import type { CityCount } from '../../areas/search/counts/counts.schemas.ts';
import { get } from '../api.ts';
import { keys } from '../query-keys.ts';
import type { Asset } from '../types.ts';

type Explored = { fieldName: string; items: { value: string; data: Asset }[] };

/** One example photo of each value of a field. */
export const exploreQuery = () =>
  queryOptions({
    queryKey: [...keys.explore, 'examples'],
    queryFn: () => get<Explored[]>('/search/explore'),
  });

export const cityCountsQuery = () =>
  queryOptions({
    queryKey: [...keys.explore, 'cities'],
    queryFn: () => get<CityCount[]>('/search/cities/counts'),
  });
