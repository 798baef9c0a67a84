import { Elysia, t } from 'elysia';
import type { Guard } from '../../http/guard.ts';
import { jsonBytesResponse } from '../../http/json.ts';
import { BulkIdResponseDto, BulkIdsDto, IdParams, NoContent } from '../../http/schemas.ts';
import {
  addAssets,
  countMemories,
  createMemory,
  deleteMemory,
  getMemory,
  getReadiness,
  removeAssets,
  renderMemories,
  updateMemory,
} from './domain.ts';
import {
  MemoriesQuery,
  MemoryCreateDto,
  MemoryReadinessResponseDto,
  MemoryResponseDto,
  MemoryStatisticsResponseDto,
  MemoryUpdateDto,
} from './schemas.ts';
import { pickLanguage } from '../../core/languages.ts';
import { addRule, listRules, removeRule } from './show-less/domain.ts';
import { MemoryShowLessDto, MemoryShowLessResponseDto } from './show-less/schemas.ts';

const Rules = t.Array(MemoryShowLessResponseDto);

export const showLessRoutes = (guard: Guard) =>
  new Elysia({ prefix: '/memories/show-less', tags: ['Memories'] })
    .use(guard)
    .get('', ({ ctx }) => listRules(ctx), {
      permission: 'memory.read',
      response: { 200: Rules },
      detail: { operationId: 'getMemoryShowLess', summary: 'List the subjects to show less of' },
    })
    .post('', async ({ ctx, body, status }) => status(200, await addRule(ctx, body)), {
      permission: 'memory.update',
      body: MemoryShowLessDto,
      response: { 200: Rules },
      detail: { operationId: 'addMemoryShowLess', summary: 'Show less of a subject' },
    })
    .delete('', ({ ctx, body }) => removeRule(ctx, body), {
      permission: 'memory.update',
      body: MemoryShowLessDto,
      response: { 200: Rules },
      detail: { operationId: 'removeMemoryShowLess', summary: 'Show a subject again' },
    });

const getLanguage = ({ headers }: Request) => pickLanguage(headers.get('accept-language'));

export const memoryRoutes = (guard: Guard) =>
  new Elysia({ prefix: '/memories', tags: ['Memories'] })
    .use(guard)
    .get(
      '',
      async ({ ctx, query, request }) =>
        jsonBytesResponse(request, await renderMemories(ctx, query, getLanguage(request))),
      {
        permission: 'memory.read',
        query: MemoriesQuery,
        response: { 200: t.Array(MemoryResponseDto) },
        detail: { operationId: 'searchMemories', summary: "List the caller's memories" },
      },
    )
    .post(
      '',
      async ({ ctx, body, request, status }) =>
        status(201, await createMemory(ctx, body, getLanguage(request))),
      {
        permission: 'memory.create',
        body: MemoryCreateDto,
        response: { 201: MemoryResponseDto },
        detail: { operationId: 'createMemory', summary: 'Create a memory' },
      },
    )
    .get('/statistics', ({ ctx, query }) => countMemories(ctx, query), {
      permission: 'memory.statistics',
      query: MemoriesQuery,
      response: { 200: MemoryStatisticsResponseDto },
      detail: { operationId: 'memoriesStatistics', summary: 'Count memories' },
    })
    .get('/readiness', ({ ctx }) => getReadiness(ctx), {
      permission: 'memory.read',
      response: { 200: MemoryReadinessResponseDto },
      detail: { operationId: 'getMemoryReadiness', summary: 'Why there may be no memory yet' },
    })
    .get('/:id', ({ ctx, params, request }) => getMemory(ctx, params.id, getLanguage(request)), {
      permission: 'memory.read',
      params: IdParams,
      response: { 200: MemoryResponseDto },
      detail: { operationId: 'getMemory', summary: 'Get one memory' },
    })
    .put(
      '/:id',
      ({ ctx, params, body, request }) => updateMemory(ctx, params.id, body, getLanguage(request)),
      {
        permission: 'memory.update',
        params: IdParams,
        body: MemoryUpdateDto,
        response: { 200: MemoryResponseDto },
        detail: {
          operationId: 'updateMemory',
          summary: 'Name, save, hide or date a memory',
          deprecated: true,
        },
      },
    )
    .delete(
      '/:id',
      async ({ ctx, params, status }) => {
        await deleteMemory(ctx, params.id);
        return status(204, undefined);
      },
      {
        permission: 'memory.delete',
        params: IdParams,
        response: { 204: NoContent },
        detail: { operationId: 'deleteMemory', summary: 'Delete a memory; its assets stay' },
      },
    )
    .put('/:id/assets', ({ ctx, params, body }) => addAssets(ctx, params.id, body.ids), {
      permission: 'memoryAsset.create',
      params: IdParams,
      body: BulkIdsDto,
      response: { 200: t.Array(BulkIdResponseDto) },
      detail: { operationId: 'addMemoryAssets', summary: 'Put assets into a memory' },
    })
    .delete('/:id/assets', ({ ctx, params, body }) => removeAssets(ctx, params.id, body.ids), {
      permission: 'memoryAsset.delete',
      params: IdParams,
      body: BulkIdsDto,
      response: { 200: t.Array(BulkIdResponseDto) },
      detail: { operationId: 'removeMemoryAssets', summary: 'Take assets out of a memory' },
    });
