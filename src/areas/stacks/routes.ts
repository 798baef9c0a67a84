import { Elysia, t } from 'elysia';
import type { Guard } from '../../http/guard.ts';
import { jsonListResponse } from '../../http/json-list.ts';
import { jsonTextResponse } from '../../http/json.ts';
import { BulkIdsDto, IdParams, NoContent } from '../../http/schemas.ts';
import {
  createStack,
  deleteStacks,
  getStack,
  removeFromStack,
  updateStack,
  listStacks,
  renderStacksByPrimary,
} from './domain.ts';
import {
  StackAssetParams,
  StackCreateDto,
  StackQuery,
  StackResponseDto,
  StackUpdateDto,
} from './schemas.ts';

export const stackRoutes = (guard: Guard) =>
  new Elysia({ prefix: '/stacks', tags: ['Stacks'] })
    .use(guard)
    .get(
      '',
      async ({ ctx, query: { primaryAssetId: id }, request }) => {
        if (id !== undefined)
          return jsonTextResponse(request, await renderStacksByPrimary(ctx, id));
        return jsonListResponse(request, listStacks(ctx), (stack) => stack);
      },
      {
        permission: 'stack.read',
        cancelOnDisconnect: true,
        query: StackQuery,
        response: { 200: t.Array(StackResponseDto) },
        detail: { operationId: 'searchStacks', summary: "List the caller's stacks" },
      },
    )
    .post('', async ({ ctx, body, status }) => status(201, await createStack(ctx, body.assetIds)), {
      permission: 'stack.create',
      body: StackCreateDto,
      response: { 201: StackResponseDto },
      detail: { operationId: 'createStack', summary: 'Stack assets; the first stands for all' },
    })
    .delete(
      '',
      async ({ ctx, body, status }) => {
        await deleteStacks(ctx, body.ids);
        return status(204, undefined);
      },
      {
        permission: 'stack.delete',
        body: BulkIdsDto,
        response: { 204: NoContent },
        detail: { operationId: 'deleteStacks', summary: 'Dissolve stacks; their assets stay' },
      },
    )
    .get('/:id', ({ ctx, params }) => getStack(ctx, params.id), {
      permission: 'stack.read',
      params: IdParams,
      response: { 200: StackResponseDto },
      detail: { operationId: 'getStack', summary: 'Get one stack' },
    })
    .put('/:id', ({ ctx, params, body }) => updateStack(ctx, params.id, body), {
      permission: 'stack.update',
      params: IdParams,
      body: StackUpdateDto,
      response: { 200: StackResponseDto },
      detail: { operationId: 'updateStack', summary: 'Choose another primary', deprecated: true },
    })
    .delete(
      '/:id',
      async ({ ctx, params, status }) => {
        await deleteStacks(ctx, [params.id]);
        return status(204, undefined);
      },
      {
        permission: 'stack.delete',
        params: IdParams,
        response: { 204: NoContent },
        detail: { operationId: 'deleteStack', summary: 'Dissolve a stack; its assets stay' },
      },
    )
    .delete(
      '/:id/assets/:assetId',
      async ({ ctx, params, status }) => {
        await removeFromStack(ctx, params.id, params.assetId);
        return status(204, undefined);
      },
      {
        permission: 'stack.update',
        params: StackAssetParams,
        response: { 204: NoContent },
        detail: { operationId: 'removeAssetFromStack', summary: 'Take one asset out of a stack' },
      },
    );
