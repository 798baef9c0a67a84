import { queryOptions } from '@tanstack/react-query';
import { keys } from '../query-keys.ts';
import { fetchState } from './edit-data.ts';

/** All that is done to a photo, and the size that it had before. */
export const editsQuery = (id: string) =>
  queryOptions({
    queryKey: [...keys.edits, id],
    queryFn: () => fetchState(id),
    staleTime: Infinity,
    gcTime: 0,
  });
