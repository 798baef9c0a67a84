import { Elysia, t } from 'elysia';
import type { Guard } from '../../http/guard.ts';
import { IdParams, NoContent } from '../../http/schemas.ts';
import {
  createKey,
  deleteKey,
  getKey,
  getMyKey,
  listKeys,
  rotateKey,
  updateKey,
} from './domain.ts';
import {
  ApiKeyCreateDto,
  ApiKeyCreateResponseDto,
  ApiKeyResponseDto,
  ApiKeyUpdateDto,
} from './schemas.ts';

export const apiKeyRoutes = (guard: Guard) =>
  new Elysia({ prefix: '/api-keys', tags: ['API keys'] })
    .use(guard)
    .get('', ({ ctx }) => listKeys(ctx), {
      permission: 'apiKey.read',
      response: { 200: t.Array(ApiKeyResponseDto) },
      detail: { operationId: 'getApiKeys', summary: "List the caller's API keys" },
    })
    .post('', async ({ ctx, body, status }) => status(201, await createKey(ctx, body)), {
      permission: 'apiKey.create',
      body: ApiKeyCreateDto,
      response: { 201: ApiKeyCreateResponseDto },
      detail: { operationId: 'createApiKey', summary: 'Create an API key; shows its secret once' },
    })
    .get('/me', ({ ctx }) => getMyKey(ctx), {
      permission: { of: 'any' },
      response: { 200: ApiKeyResponseDto },
      detail: {
        operationId: 'getMyApiKey',
        summary: 'Get the key that this request was made with',
      },
    })
    .get('/:id', ({ ctx, params }) => getKey(ctx, params.id), {
      permission: 'apiKey.read',
      params: IdParams,
      response: { 200: ApiKeyResponseDto },
      detail: { operationId: 'getApiKey', summary: 'Get an API key' },
    })
    .put('/:id', ({ ctx, params, body }) => updateKey(ctx, params.id, body), {
      permission: 'apiKey.update',
      params: IdParams,
      body: ApiKeyUpdateDto,
      response: { 200: ApiKeyResponseDto },
      detail: {
        operationId: 'updateApiKey',
        summary: 'Rename a key or change what it may do',
        deprecated: true,
      },
    })
    .post('/:id/rotate', ({ ctx, params }) => rotateKey(ctx, params.id), {
      permission: 'apiKey.rotate',
      params: IdParams,
      response: { 200: ApiKeyCreateResponseDto },
      detail: { operationId: 'rotateApiKey', summary: 'Give a key a new secret' },
    })
    .delete(
      '/:id',
      async ({ ctx, params, status }) => {
        await deleteKey(ctx, params.id);
        return status(204, undefined);
      },
      {
        permission: 'apiKey.delete',
        params: IdParams,
        response: { 204: NoContent },
        detail: { operationId: 'deleteApiKey', summary: 'Delete an API key' },
      },
    );
