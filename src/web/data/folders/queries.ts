import { queryOptions } from '@tanstack/react-query';
import { get } from '../../base/api.ts';
import { keys } from '../query-keys.ts';
import { createResults } from '../search/results.ts';
import type { Timeline } from '../timeline/timeline-data.ts';
import type { Asset } from '../types.ts';

export const foldersQuery = () =>
  queryOptions({
    queryKey: keys.folders,
    queryFn: () => get<string[]>('/view/folder/unique-paths'),
  });

/** Comes after the tree: every item is counted. */
export const folderCountsQuery = () =>
  queryOptions({
    queryKey: [...keys.folders, 'counts'],
    queryFn: () => get<{ path: string; count: number }[]>('/view/folder/counts'),
  });

/** The items in a folder, not in those below it. */
export const createFolderItems = (path: string): Timeline =>
  createResults(['folder', path], async () => ({
    items: await get<Asset[]>('/view/folder', { path }),
    next: undefined,
  }));

/** Returns the address of a folder; without one, that of all folders. */
export const getFolderHref = (path?: string, photoId?: string): string => {
  const page = photoId ? `/folders/photos/${photoId}` : '/folders';
  return path === undefined ? page : `${page}?${new URLSearchParams({ path })}`;
};
