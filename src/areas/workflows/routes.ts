import { Elysia, t } from 'elysia';
import type { Guard } from '../../http/guard.ts';
import { ErrorResponseDto, IdParams, NoContent } from '../../http/schemas.ts';
import { listBackfills, startBackfill, updateBackfill } from './backfill/backfill.domain.ts';
import {
  WorkflowBackfillParams,
  WorkflowBackfillResponseDto,
  WorkflowBackfillUpdateDto,
} from './backfill/backfill.schemas.ts';
import {
  createWorkflow,
  deleteWorkflow,
  getWorkflow,
  listTriggers,
  listWorkflows,
  shareWorkflow,
  updateWorkflow,
} from './domain.ts';
import { listLogs, retryRun } from './log/log.domain.ts';
import { STEP_PERMISSIONS } from './methods/catalogue.ts';
import { previewWorkflow } from './preview/preview.domain.ts';
import { WorkflowPreviewDto, WorkflowPreviewResponseDto } from './preview/preview.schemas.ts';
import {
  WorkflowCreateDto,
  WorkflowLogEntryDto,
  WorkflowLogsQuery,
  WorkflowResponseDto,
  WorkflowRunParams,
  WorkflowSearchQuery,
  WorkflowShareResponseDto,
  WorkflowTriggerResponseDto,
  WorkflowUpdateDto,
} from './schemas.ts';

export const workflowRoutes = (guard: Guard) =>
  new Elysia({ prefix: '/workflows', tags: ['Workflows'] })
    .use(guard)
    .get('', ({ ctx, query }) => listWorkflows(ctx, query), {
      permission: 'workflow.read',
      query: WorkflowSearchQuery,
      response: { 200: t.Array(WorkflowResponseDto) },
      detail: { operationId: 'searchWorkflows', summary: "List the caller's workflows" },
    })
    .post('', async ({ ctx, body, status }) => status(201, await createWorkflow(ctx, body)), {
      permission: { of: 'workflow.create', mayNeed: STEP_PERMISSIONS },
      body: WorkflowCreateDto,
      response: { 201: WorkflowResponseDto },
      detail: { operationId: 'createWorkflow', summary: 'Create a workflow' },
    })
    .get('/triggers', () => listTriggers(), {
      permission: { of: 'any' },
      response: { 200: t.Array(WorkflowTriggerResponseDto) },
      detail: { operationId: 'getWorkflowTriggers', summary: 'List what can start a workflow' },
    })
    .post('/preview', ({ ctx, body }) => previewWorkflow(ctx, body), {
      permission: 'asset.read',
      body: WorkflowPreviewDto,
      response: { 200: WorkflowPreviewResponseDto },
      detail: {
        operationId: 'previewWorkflow',
        summary: 'Tell which of the newest items the filters of steps let pass',
      },
    })
    .get('/:id', ({ ctx, params }) => getWorkflow(ctx, params.id), {
      permission: 'workflow.read',
      params: IdParams,
      response: { 200: WorkflowResponseDto },
      detail: { operationId: 'getWorkflow', summary: 'Get a workflow' },
    })
    .put('/:id', ({ ctx, params, body }) => updateWorkflow(ctx, params.id, body), {
      permission: { of: 'workflow.update', mayNeed: STEP_PERMISSIONS },
      params: IdParams,
      body: WorkflowUpdateDto,
      response: { 200: WorkflowResponseDto },
      detail: { operationId: 'updateWorkflow', summary: 'Change a workflow', deprecated: true },
    })
    .delete(
      '/:id',
      async ({ ctx, params, status }) => {
        await deleteWorkflow(ctx, params.id);
        return status(204, undefined);
      },
      {
        permission: 'workflow.delete',
        params: IdParams,
        response: { 204: NoContent },
        detail: { operationId: 'deleteWorkflow', summary: 'Delete a workflow' },
      },
    )
    .get('/:id/share', ({ ctx, params }) => shareWorkflow(ctx, params.id), {
      permission: 'workflow.read',
      params: IdParams,
      response: { 200: WorkflowShareResponseDto },
      detail: {
        operationId: 'getWorkflowForShare',
        summary: 'Get a workflow without ids and default values',
      },
    })
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
    );
