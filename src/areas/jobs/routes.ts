import { Elysia, t } from 'elysia';
import type { Guard } from '../../http/guard.ts';
import { jsonBytesResponse } from '../../http/json.ts';
import { ErrorResponseDto, NoContent } from '../../http/schemas.ts';
import { listItems, listRuns } from './runs/runs.domain.ts';
import { JobRunItemPageDto, JobRunPageDto, JobRunParams, PageQuery } from './runs/runs.schemas.ts';
import {
  listFailedJobs,
  commandQueue,
  getQueue,
  listQueues,
  renderQueuesLegacy,
  updateQueue,
} from './domain.ts';
import { FailedJobPageDto, FailedJobsQuery } from './failed-jobs/failed-jobs.schemas.ts';
import { emptyQueue, listQueueJobs } from './queue-jobs/queue-jobs.domain.ts';
import {
  QueueDeleteDto,
  QueueJobResponseDto,
  QueueJobsQuery,
} from './queue-jobs/queue-jobs.schemas.ts';
import { createJob } from './manual.domain.ts';
import {
  JobCreateDto,
  QueueCommandDto,
  QueueParams,
  QueueResponseDto,
  QueueResponseLegacyDto,
  QueuesResponseLegacyDto,
  QueueUpdateDto,
} from './schemas.ts';

/** One table of operations, each with its permission and schemas. */
export const jobRoutes = (guard: Guard) =>
  new Elysia({ tags: ['Jobs'] })
    .use(guard)
    .get(
      '/jobs',
      async ({ ctx, request }) => jsonBytesResponse(request, await renderQueuesLegacy(ctx)),
      {
        permission: { of: 'job.read', admin: true },
        response: { 200: QueuesResponseLegacyDto },
        detail: {
          operationId: 'getQueuesLegacy',
          summary: 'List all queues with their progress',
          deprecated: true,
        },
      },
    )
    .post(
      '/jobs',
      async ({ ctx, body, status }) => {
        await createJob(ctx, body);
        return status(204, undefined);
      },
      {
        permission: { of: 'job.create', admin: true },
        body: JobCreateDto,
        response: { 204: NoContent },
        detail: { operationId: 'createJob', summary: 'Start a job by hand' },
      },
    )
    .get('/jobs/runs', ({ ctx, query }) => listRuns(ctx, query), {
      permission: { of: 'job.read', admin: true },
      query: PageQuery,
      response: { 200: JobRunPageDto },
      detail: { operationId: 'getJobRuns', summary: 'List what was started, newest first' },
    })
    .get('/jobs/runs/:id/items', ({ ctx, params, query }) => listItems(ctx, params.id, query), {
      permission: { of: 'job.read', admin: true },
      params: JobRunParams,
      query: PageQuery,
      response: { 200: JobRunItemPageDto, 404: ErrorResponseDto },
      detail: { operationId: 'getJobRunItems', summary: 'List the items of a run' },
    })
    .put('/jobs/:name', ({ ctx, params, body }) => commandQueue(ctx, params.name, body), {
      permission: { of: 'job.create', admin: true },
      params: QueueParams,
      body: QueueCommandDto,
      response: { 200: QueueResponseLegacyDto },
      detail: {
        operationId: 'runQueueCommandLegacy',
        summary: 'Start, pause, resume or empty a queue',
        deprecated: true,
      },
    })
    .get('/queues', ({ ctx }) => listQueues(ctx), {
      permission: { of: 'queue.read', admin: true },
      response: { 200: t.Array(QueueResponseDto) },
      detail: { operationId: 'getQueues', summary: 'List all queues' },
    })
    .get('/queues/:name', ({ ctx, params }) => getQueue(ctx, params.name), {
      permission: { of: 'queue.read', admin: true },
      params: QueueParams,
      response: { 200: QueueResponseDto },
      detail: { operationId: 'getQueue', summary: 'Get one queue' },
    })
    .put('/queues/:name', ({ ctx, params, body }) => updateQueue(ctx, params.name, body), {
      permission: { of: 'queue.update', admin: true },
      params: QueueParams,
      body: QueueUpdateDto,
      response: { 200: QueueResponseDto },
      detail: { operationId: 'updateQueue', summary: 'Pause or resume a queue' },
    })
    .get('/queues/:name/jobs', ({ ctx, params, query }) => listQueueJobs(ctx, params.name, query), {
      permission: { of: 'queueJob.read', admin: true },
      params: QueueParams,
      query: QueueJobsQuery,
      response: { 200: t.Array(QueueJobResponseDto) },
      detail: { operationId: 'getQueueJobs', summary: 'List the jobs of a queue' },
    })
    .get(
      '/queues/:name/failures',
      ({ ctx, params, query }) => listFailedJobs(ctx, params.name, query),
      {
        permission: { of: 'job.read', admin: true },
        params: QueueParams,
        query: FailedJobsQuery,
        response: { 200: FailedJobPageDto },
        detail: {
          operationId: 'getQueueFailures',
          summary: 'List the failed jobs of a queue with their errors, newest first',
        },
      },
    )
    .delete(
      '/queues/:name/jobs',
      async ({ ctx, params, body, status }) => {
        await emptyQueue(ctx, params.name, body);
        return status(204, undefined);
      },
      {
        permission: { of: 'queueJob.delete', admin: true },
        params: QueueParams,
        body: QueueDeleteDto,
        response: { 204: NoContent },
        detail: { operationId: 'emptyQueue', summary: 'Delete the waiting jobs of a queue' },
      },
    );
