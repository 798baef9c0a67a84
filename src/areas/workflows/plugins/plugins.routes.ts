import { Elysia, t } from 'elysia';
import type { Guard } from '../../../http/guard.ts';
import { IdParams } from '../../../http/schemas.ts';
import { getPlugin, listMethods, listPlugins, listTemplates } from './plugins.domain.ts';
import {
  PluginMethodQuery,
  PluginMethodResponseDto,
  PluginQuery,
  PluginResponseDto,
  PluginTemplateResponseDto,
} from './plugins.schemas.ts';

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
