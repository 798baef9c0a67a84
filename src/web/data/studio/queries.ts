import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import { get, post, put, remove } from '../../base/api.ts';
import { fetchMoments, type MomentMatch, searchMoments } from '../moments/moment-data.ts';
import { mutate } from '../../base/query-client.ts';
import { keys } from '../query-keys.ts';
import { type FilterFields, interpret, NO_WORDS, toFilter } from '../search/query.ts';
import { createPageFetcher } from '../search/results.ts';
import type {
  StudioProject,
  StudioProjectCreate,
  StudioProjectWrite,
  StudioSource,
} from '../types.ts';

/** The saves of projects whose editors may be closed already: they are not opened again before it is over. */
export const saving = new Map<string, Promise<void>>();

/** Own projects, and those shared with an album of the account. */
export const projectsQuery = () =>
  queryOptions({
    queryKey: [...keys.studio, 'list'],
    queryFn: () => get<StudioProject[]>('/studio/projects'),
  });

export const projectQuery = (id: string) =>
  queryOptions({
    queryKey: [...keys.studio, 'project', id],
    async queryFn() {
      await saving.get(id);
      return fetchProject(id);
    },
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
  mutate(() => put<StudioProject>(`/studio/projects/${id}`, project, { keepalive: true }), LIST);
export const deleteProject = (id: string): Promise<void> =>
  mutate(() => remove(`/studio/projects/${id}`), LIST);

export type MediaFilter = {
  readonly words: string;
  readonly albumId: string;
  readonly personId: string;
};

const PAGE_SIZE = 120;

/** Films are made of what pictures could be made of. */
const USABLE = { isBroken: { eq: false } } satisfies FilterFields['filter'];

export type MediaType = 'VIDEO' | 'IMAGE';

const toFields = (
  { albumId, personId }: MediaFilter,
  { personIds = [], ...rest }: FilterFields = {},
) => ({
  ...rest,
  filter: { ...rest.filter, ...USABLE },
  ...(albumId && { albumIds: [albumId] }),
  ...((personId || personIds.length > 0) && {
    personIds: [...personIds, ...(personId ? [personId] : [])],
  }),
});

/** The videos or the photos of which a film can be made, page by page: those that the words find, or the newest. */
export const mediaQuery = (filter: MediaFilter, type: MediaType) =>
  infiniteQueryOptions({
    queryKey: [...keys.results, 'studio', filter, type],
    queryFn: async ({ pageParam }) => {
      const { interpretation: read } = filter.words
        ? await interpret(filter.words, { size: 1 })
        : { interpretation: NO_WORDS };
      const fields = { ...toFields(filter, toFilter(read, [])), type };
      return createPageFetcher(fields, read.text)(pageParam, PAGE_SIZE);
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
    select: ({ pages }) => pages.flatMap(({ items }) => items),
    placeholderData: keepPreviousData,
  });

/** A moment of a video, as the media bin lists it. */
export type Scene = Pick<MomentMatch, 'assetId' | 'momentId' | 'frameId' | 'timeMs'> & {
  readonly text: string;
};

type ScenePage = { readonly items: readonly Scene[]; readonly next: string | undefined };

/** Videos whose moments are listed together. */
const VIDEOS_PER_PAGE = 8;
/** The most videos among which words are searched. */
const MOST_VIDEOS = 960;

const fetchVideos = (filter: MediaFilter, page: string | undefined, size: number) =>
  createPageFetcher({ ...toFields(filter), type: 'VIDEO' }, null)(page, size);

/** The moments of videos, page by page: those that the words find, or of the newest videos. */
export const scenesQuery = (filter: MediaFilter) =>
  infiniteQueryOptions({
    queryKey: [...keys.moments, 'studio', filter],
    queryFn: ({ pageParam }) =>
      filter.words ? findScenes(filter, Number(pageParam ?? 1)) : listScenes(filter, pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
    select: ({ pages }) => pages.flatMap(({ items }) => items),
    placeholderData: keepPreviousData,
  });

async function findScenes(filter: MediaFilter, page: number): Promise<ScenePage> {
  const isFiltered = filter.albumId !== '' || filter.personId !== '';
  const videos = isFiltered ? await fetchVideos(filter, undefined, MOST_VIDEOS) : undefined;
  const search = {
    query: filter.words,
    page,
    ...(videos && { assetIds: videos.items.map(({ id }) => id) }),
  };
  const { items, nextPage } = await searchMoments(search);
  return { items: items.map(toScene), next: nextPage === null ? undefined : String(nextPage) };
}

const toScene = ({ assetId, momentId, frameId, timeMs, ...match }: MomentMatch): Scene => ({
  assetId,
  momentId,
  frameId,
  timeMs,
  text: match.title ?? match.transcript ?? match.caption ?? '',
});

async function listScenes(filter: MediaFilter, page: string | undefined): Promise<ScenePage> {
  const { items, next } = await fetchVideos(filter, page, VIDEOS_PER_PAGE);
  const videos = await Promise.all(items.map(({ id }) => fetchMoments(id)));
  const scenes = videos.flatMap(({ moments }) =>
    moments.map(({ id, assetId, frameId, startMs, title, caption }): Scene => ({
      assetId,
      momentId: id,
      frameId,
      timeMs: startMs,
      text: title ?? caption ?? '',
    })),
  );
  return { items: scenes, next };
}
