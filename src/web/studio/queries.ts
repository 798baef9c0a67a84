import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import { get, post, put, remove } from '../api.ts';
import { mutate } from '../query-client.ts';
import { keys } from '../query-keys.ts';
import { interpret, NO_WORDS, toFilter } from '../search/query.ts';
import { createPageFetcher } from '../search/results.ts';
import type {
  StudioProject,
  StudioProjectCreate,
  StudioProjectWrite,
  StudioSource,
} from '../types.ts';

/** Own projects, and those shared with an album of the account. */
export const projectsQuery = () =>
  queryOptions({
    queryKey: [...keys.studio, 'list'],
    queryFn: () => get<StudioProject[]>('/studio/projects'),
  });

export const projectQuery = (id: string) =>
  queryOptions({
    queryKey: [...keys.studio, 'project', id],
    queryFn: () => fetchProject(id),
    // The editor begins with it, which must not be that of an earlier visit.
    gcTime: 0,
    staleTime: Infinity,
  });

export const fetchProject = (id: string): Promise<StudioProject> =>
  get<StudioProject>(`/studio/projects/${id}`);

/** A video whose original cannot be read is never ready. */
const MAX_SOURCE_REQUESTS = 60;
const SOURCE_POLL_MS = 2000;

/** How a video looks and sounds on the timeline. */
export const sourceQuery = (assetId: string) =>
  queryOptions({
    queryKey: [...keys.studio, 'source', assetId],
    queryFn: () => get<StudioSource>(`/studio/sources/${assetId}`),
    staleTime: Infinity,
    refetchInterval: ({ state: { data, dataUpdateCount } }) =>
      data?.state === 'preparing' && dataUpdateCount < MAX_SOURCE_REQUESTS ? SOURCE_POLL_MS : false,
  });

const LIST = { invalidates: [[...keys.studio, 'list']] };

export const createProject = (project: StudioProjectCreate): Promise<StudioProject> =>
  mutate(() => post<StudioProject>('/studio/projects', project), LIST);
export const storeProject = (id: string, project: StudioProjectWrite): Promise<StudioProject> =>
  mutate(() => put<StudioProject>(`/studio/projects/${id}`, project), LIST);
export const deleteProject = (id: string): Promise<void> =>
  mutate(() => remove(`/studio/projects/${id}`), LIST);

export type MediaFilter = { readonly words: string; readonly albumId: string };

const PAGE_SIZE = 120;

/** The items of which a film can be made, page by page: those that the words find, or the newest. */
export const mediaQuery = ({ words, albumId }: MediaFilter) =>
  infiniteQueryOptions({
    queryKey: [...keys.results, 'studio', words, albumId],
    queryFn: async ({ pageParam }) => {
      const { interpretation: read } = words
        ? await interpret(words, 1)
        : { interpretation: NO_WORDS };
      const filter = { ...toFilter(read, []), ...(albumId && { albumIds: [albumId] }) };
      return createPageFetcher(filter, read.text)(pageParam, PAGE_SIZE);
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
    select: ({ pages }) => pages.flatMap(({ items }) => items),
    placeholderData: keepPreviousData,
  });
