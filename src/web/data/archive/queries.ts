import { queryOptions } from '@tanstack/react-query';
import { get } from '../../base/api.ts';
import { keys } from '../query-keys.ts';
import type { ArchiveOperation } from '../types.ts';

/** The latest operations of the account, newest first. */
export const operationsQuery = () =>
  queryOptions({
    queryKey: keys.archive,
    queryFn: () => get<ArchiveOperation[]>('/archive-operations'),
  });
