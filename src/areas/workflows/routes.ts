import { Elysia, t } from 'elysia';
import type { Guard } from '../../http/guard.ts';
import { IdParams, NoContent } from '../../http/schemas.ts';
import {
  createWorkflow,
  deleteWorkflow,
  getWorkflow,
  listTriggers,
  listWorkflows,
  shareWorkflow,
  updateWorkflow,
} from './domain.ts';
import { STEP_PERMISSIONS } from './methods/catalogue.ts';
import { previewWorkflow } from './preview/preview.domain.ts';
import { WorkflowPreviewDto, WorkflowPreviewResponseDto } from './preview/preview.schemas.ts';
import {
  WorkflowCreateDto,
  WorkflowResponseDto,
  WorkflowSearchQuery,
  WorkflowShareResponseDto,
  WorkflowTriggerResponseDto,
  WorkflowUpdateDto,
} from './schemas.ts';
import { getPlugin, listMethods, listPlugins, listTemplates } from './plugins/plugins.domain.ts';
import {
  PluginMethodQuery,
  PluginMethodResponseDto,
  PluginQuery,
  PluginResponseDto,
  PluginTemplateResponseDto,
} from './plugins/plugins.schemas.ts';

export const pluginRoutes = (guard: Guard) =>
  new Elysia({ prefix: '/plugins', tags: ['Plugins'] })
    .use(guard)
    .get('', ({ query }) => listPlugins(query), {
      permission: 'plugin.read',
      query: PluginQuery,
      response: { 200: t.Array(PluginResponseDto) },
      detail: { operationId: 'searchPlugins', summary: 'List the groups of workflow methods' },
    })
    .get('/methods', ({ query }) => listMethods(query), {
      permission: 'plugin.read',
      query: PluginMethodQuery,
      response: { 200: t.Array(PluginMethodResponseDto) },
      detail: { operationId: 'searchPluginMethods', summary: 'List what a workflow step can do' },
    })
    .get('/templates', () => listTemplates(), {
      permission: 'plugin.read',
      response: { 200: t.Array(PluginTemplateResponseDto) },
      detail: { operationId: 'searchPluginTemplates', summary: 'List workflows to start from' },
    })
    .get('/:id', ({ params }) => getPlugin(params.id), {
      permission: 'plugin.read',
      params: IdParams,
      response: { 200: PluginResponseDto },
      detail: { operationId: 'getPlugin', summary: 'Get a group of workflow methods' },
    });

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
    });
