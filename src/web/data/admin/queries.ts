import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { get, getFile, post, put, remove } from '../../base/api.ts';
import { mutate } from '../../base/query-client.ts';
import { keys } from '../query-keys.ts';
import type { FailedJobPage } from '../../../areas/jobs/failed-jobs/failed-jobs.schemas.ts';
import type {
  JobRunItemPage,
  JobRunPage,
  LicenceList,
  Machine,
  Me,
  Queues,
  ServerStats,
  StorageForecast,
} from '../types.ts';
import { RUN_PAGE } from './run-data.ts';

/** No event tells what the queues do. */
const JOBS_MS = 2000;

export const jobsQuery = () =>
  queryOptions({
    queryKey: [...keys.jobs, 'queues'],
    queryFn: () => get<Queues>('/jobs'),
    refetchInterval: JOBS_MS,
  });

export const runsQuery = (skip: number) =>
  queryOptions({
    queryKey: [...keys.jobs, 'runs', skip],
    queryFn: () => get<JobRunPage>('/jobs/runs', { skip, take: RUN_PAGE }),
    refetchInterval: JOBS_MS,
  });

export const runItemsQuery = (runId: string, skip: number) =>
  queryOptions({
    queryKey: [...keys.jobs, 'run-items', runId, skip],
    queryFn: () => get<JobRunItemPage>(`/jobs/runs/${runId}/items`, { skip, take: RUN_PAGE }),
    refetchInterval: JOBS_MS,
  });

export const failedJobsQuery = (queue: keyof Queues) =>
  infiniteQueryOptions({
    queryKey: [...keys.jobs, 'failed', queue],
    queryFn: ({ pageParam }) =>
      get<FailedJobPage>(`/queues/${queue}/failures`, {
        size: RUN_PAGE,
        ...(pageParam && { cursor: pageParam }),
      }),
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
  });

export const commandQueue = (name: keyof Queues, command: string): Promise<unknown> =>
  mutate(() => put(`/jobs/${name}`, { command }), { invalidates: [keys.jobs] });

/** No event tells how the accounts grow. */
const STATISTICS_MS = 60_000;

export const statisticsQuery = () =>
  queryOptions({
    queryKey: [...keys.server, 'statistics'],
    queryFn: () => get<ServerStats>('/server/statistics'),
    refetchInterval: STATISTICS_MS,
  });

export const forecastQuery = () =>
  queryOptions({
    queryKey: [...keys.server, 'storage-forecast'],
    queryFn: () => get<StorageForecast>('/admin/storage-forecast'),
  });

export const machineQuery = () =>
  queryOptions({
    queryKey: [...keys.server, 'machine'],
    queryFn: () => get<Machine>('/admin/machine'),
  });

/** A file beside the page, not of the API. It changes with the release only. */
export const licencesQuery = () =>
  queryOptions({
    queryKey: [...keys.server, 'licences'],
    queryFn: () => getFile<LicenceList>('/licences.json'),
    staleTime: Infinity,
  });

/** All accounts, also those that are being deleted. */
export const usersQuery = () =>
  queryOptions({
    queryKey: [...keys.users, 'admin'],
    queryFn: () => get<Me[]>('/admin/users', { withDeleted: true }),
  });

const USERS = { invalidates: [keys.users] };
export const createUser = (user: object): Promise<Me> =>
  mutate(() => post('/admin/users', user), USERS);
export const changeUser = (id: string, change: object): Promise<Me> =>
  mutate(() => put(`/admin/users/${id}`, change), USERS);
/** Changes an account with a new password: whoever knows the old one is logged out everywhere. */
export const replacePassword = (id: string, change: object): Promise<void> =>
  mutate(async () => {
    await put(`/admin/users/${id}`, change);
    await remove(`/admin/users/${id}/sessions`);
  }, USERS);
export const deleteUser = (id: string): Promise<Me> =>
  mutate(() => remove(`/admin/users/${id}`, {}), USERS);
export const restoreUser = (id: string): Promise<Me> =>
  mutate(() => post(`/admin/users/${id}/restore`), USERS);
