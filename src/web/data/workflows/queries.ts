import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import { ApiError, get, post, put, remove } from '../../base/api.ts';
import { mutate, updateData } from '../../base/query-client.ts';
import { keys } from '../query-keys.ts';
import type {
  Workflow,
  WorkflowBackfill,
  WorkflowCreate,
  WorkflowLogEntry,
  WorkflowMethod,
  WorkflowPreview,
  WorkflowTemplate,
  WorkflowUpdate,
} from '../types.ts';
import { type Draft, type Faults, toFaults, toSteps } from './draft.ts';

/** The own workflows. */
export const workflowsQuery = () =>
  queryOptions({
    queryKey: [...keys.workflows, 'list'],
    queryFn: () => get<Workflow[]>('/workflows'),
  });

export const workflowQuery = (id: string) =>
  queryOptions({
    queryKey: [...keys.workflows, 'workflow', id],
    queryFn: () => get<Workflow>(`/workflows/${id}`),
    // A form begins with it, which must not be that of an earlier visit.
    gcTime: 0,
  });

/** The filters and actions that a step can be. They change with the release only. */
export const methodsQuery = () =>
  queryOptions({
    queryKey: [...keys.plugins, 'methods'],
    queryFn: () => get<WorkflowMethod[]>('/plugins/methods'),
    staleTime: Infinity,
  });

export const templatesQuery = () =>
  queryOptions({
    queryKey: [...keys.plugins, 'templates'],
    queryFn: () => get<WorkflowTemplate[]>('/plugins/templates'),
    staleTime: Infinity,
  });

export type PreviewAnswer = { result?: WorkflowPreview; faults?: Faults };

/** The items that steps would have matched, or why the steps cannot run. */
export const previewQuery = (steps: Draft['steps'], items?: number) =>
  queryOptions({
    queryKey: [...keys.workflows, 'preview', steps, items ?? null],
    queryFn: () => previewSteps(steps, items),
    placeholderData: keepPreviousData,
  });

async function previewSteps(
  steps: Draft['steps'],
  items: number | undefined,
): Promise<PreviewAnswer> {
  try {
    const body = { steps: toSteps(steps), items };
    return { result: await post<WorkflowPreview>('/workflows/preview', body) };
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 400) throw error;
    return { faults: toFaults(error, steps) };
  }
}

const LOG_PAGE = 50;
/** No event tells that a run has ended. */
const LOG_MS = 5000;

export type LogResult = WorkflowLogEntry['result'] | undefined;

/** The logged runs of a workflow, newest first, page by page. */
export const logQuery = (id: string, result: LogResult) =>
  infiniteQueryOptions({
    queryKey: [...keys.workflows, 'log', id, result ?? null],
    queryFn: ({ pageParam }) =>
      get<WorkflowLogEntry[]>(`/workflows/${id}/logs`, {
        limit: LOG_PAGE,
        result,
        before: pageParam,
      }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: getLogContinuation,
    select: ({ pages }) => pages.flat(),
    refetchInterval: LOG_MS,
  });

/** Returns the time before which older entries lie; undefined after the last page. */
const getLogContinuation = (page: readonly WorkflowLogEntry[]): string | undefined =>
  page.length < LOG_PAGE ? undefined : page.at(-1)?.at;

const WORKFLOWS = { invalidates: [keys.workflows] };

export const createWorkflow = (workflow: WorkflowCreate): Promise<Workflow> =>
  mutate(() => post<Workflow>('/workflows', workflow), WORKFLOWS);
export const changeWorkflow = (id: string, change: WorkflowUpdate): Promise<Workflow> =>
  mutate(() => put<Workflow>(`/workflows/${id}`, change), WORKFLOWS);
export const deleteWorkflow = (id: string): Promise<void> =>
  mutate(() => remove(`/workflows/${id}`), WORKFLOWS);

export const enableWorkflow = (id: string, enabled: boolean): Promise<Workflow> =>
  mutate(() => put<Workflow>(`/workflows/${id}`, { enabled }), {
    ...WORKFLOWS,
    apply: () =>
      updateData<Workflow[]>(workflowsQuery().queryKey, (list) =>
        list.map((workflow) => (workflow.id === id ? { ...workflow, enabled } : workflow)),
      ),
  });

/** Runs a workflow again for the item of a run. */
export const retryRun = (id: string, runId: string): Promise<void> =>
  mutate(() => post(`/workflows/${id}/runs/${runId}/retry`), WORKFLOWS);

/** No event tells how far a backfill is. */
const BACKFILL_MS = 1500;

export const isActive = ({ status }: WorkflowBackfill): boolean =>
  status === 'running' || status === 'paused';

/** The latest runs of a workflow for existing photos. */
export const backfillsQuery = (id: string) =>
  queryOptions({
    queryKey: [...keys.workflows, 'backfills', id],
    queryFn: () => get<WorkflowBackfill[]>(`/workflows/${id}/backfills`),
    refetchInterval: ({ state: { data } }) =>
      data?.some(({ status, undo }) => status === 'running' || undo?.status === 'running')
        ? BACKFILL_MS
        : false,
  });

export const startBackfill = (id: string): Promise<WorkflowBackfill> =>
  mutate(() => post<WorkflowBackfill>(`/workflows/${id}/backfills`), WORKFLOWS);

export const changeBackfill = (
  { id, workflowId }: WorkflowBackfill,
  status: 'running' | 'paused' | 'cancelled',
): Promise<WorkflowBackfill> =>
  mutate(
    () => put<WorkflowBackfill>(`/workflows/${workflowId}/backfills/${id}`, { status }),
    WORKFLOWS,
  );

/** Takes back what a run has changed. */
export const undoBackfill = ({ id, workflowId }: WorkflowBackfill): Promise<WorkflowBackfill> =>
  mutate(() => post<WorkflowBackfill>(`/workflows/${workflowId}/backfills/${id}/undo`), WORKFLOWS);
