import { Elysia, t } from 'elysia';
import type { Guard } from '../../http/guard.ts';
import { ErrorResponseDto, IdParams, NoContent } from '../../http/schemas.ts';
import { listBackfills, startBackfill, updateBackfill } from './backfill/backfill.domain.ts';
import {
  WorkflowBackfillParams,
  WorkflowBackfillResponseDto,
  WorkflowBackfillUpdateDto,
} from './backfill/backfill.schemas.ts';
import { listLogs, retryRun } from './log/log.domain.ts';
import { STEP_PERMISSIONS } from './methods/catalogue.ts';
import { startUndo } from './undo/undo.domain.ts';
import { WorkflowLogEntryDto, WorkflowLogsQuery, WorkflowRunParams } from './schemas.ts';

/** The runs of a workflow: their log, and those for the items of the library. */
export const workflowRunRoutes = (guard: Guard) =>
  new Elysia({ prefix: '/workflows', tags: ['Workflows'] })
    .use(guard)
    .get('/:id/logs', ({ ctx, params, query }) => listLogs(ctx, params.id, query), {
      permission: 'workflow.logs',
      params: IdParams,
      query: WorkflowLogsQuery,
      response: { 200: t.Array(WorkflowLogEntryDto) },
      detail: { operationId: 'getWorkflowLogs', summary: 'List the logged runs, newest first' },
    })
    .post(
      '/:id/runs/:runId/retry',
      async ({ ctx, params, status }) => {
        await retryRun(ctx, params.id, params.runId);
        return status(204, undefined);
      },
      {
        permission: { of: 'workflow.update', mayNeed: STEP_PERMISSIONS },
        params: WorkflowRunParams,
        response: { 204: NoContent, 404: ErrorResponseDto, 409: ErrorResponseDto },
        detail: { operationId: 'retryWorkflowRun', summary: 'Run again for the same item' },
      },
    )
    .get('/:id/backfills', ({ ctx, params }) => listBackfills(ctx, params.id), {
      permission: 'workflow.read',
      params: IdParams,
      response: { 200: t.Array(WorkflowBackfillResponseDto) },
      detail: {
        operationId: 'getWorkflowBackfills',
        summary: 'List the latest runs for the items of the library, newest first',
      },
    })
    .post(
      '/:id/backfills',
      async ({ ctx, params, status }) => status(201, await startBackfill(ctx, params.id)),
      {
        permission: { of: 'workflow.update', mayNeed: STEP_PERMISSIONS },
        params: IdParams,
        response: { 201: WorkflowBackfillResponseDto, 409: ErrorResponseDto },
        detail: {
          operationId: 'startWorkflowBackfill',
          summary: 'Run a workflow for the items of the library',
        },
      },
    )
    .put(
      '/:id/backfills/:backfillId',
      ({ ctx, params, body }) => updateBackfill(ctx, params.id, params.backfillId, body),
      {
        permission: { of: 'workflow.update', mayNeed: STEP_PERMISSIONS },
        params: WorkflowBackfillParams,
        body: WorkflowBackfillUpdateDto,
        response: {
          200: WorkflowBackfillResponseDto,
          404: ErrorResponseDto,
          409: ErrorResponseDto,
        },
        detail: {
          operationId: 'updateWorkflowBackfill',
          summary: 'Pause, resume or cancel a run for the items of the library',
        },
      },
    )
    .post(
      '/:id/backfills/:backfillId/undo',
      ({ ctx, params }) => startUndo(ctx, params.id, params.backfillId),
      {
        permission: {
          of: 'workflow.update',
          also: ['asset.update', 'tag.asset', 'albumAsset.delete'],
        },
        params: WorkflowBackfillParams,
        response: {
          200: WorkflowBackfillResponseDto,
          404: ErrorResponseDto,
          409: ErrorResponseDto,
        },
        detail: {
          operationId: 'undoWorkflowBackfill',
          summary: 'Take back what a run for the items of the library has changed',
        },
      },
    );
