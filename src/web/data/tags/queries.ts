import { queryOptions, useQuery } from '@tanstack/react-query';
import { get } from '../../base/api.ts';
import { keys } from '../query-keys.ts';
import type { Tag, TagCount } from '../types.ts';

export type Tags = { list: readonly Tag[]; counts: readonly TagCount[] };

export const tagsQuery = () =>
  queryOptions({
    queryKey: keys.tags,
    queryFn: async (): Promise<Tags> => {
      const [list, counts] = await Promise.all([
        get<Tag[]>('/tags'),
        get<TagCount[]>('/tags/statistics'),
      ]);
      return { list, counts };
    },
  });

export const useTags = () => useQuery(tagsQuery());
