import { Elysia, t } from 'elysia';
import type { Guard } from '../../http/guard.ts';
import { jsonResponse } from '../../http/json.ts';
import { BulkIdResponseDto, BulkIdsDto, IdParams, NoContent } from '../../http/schemas.ts';
import {
  createTag,
  deleteTag,
  getTag,
  listTags,
  tagAssets,
  tagManyAssets,
  getTagStatistics,
  untagAssets,
  updateTag,
  upsertTags,
} from './domain.ts';
import {
  TagBulkAssetsDto,
  TagBulkAssetsResponseDto,
  TagCreateDto,
  TagResponseDto,
  TagStatisticsResponseDto,
  TagUpdateDto,
  TagUpsertDto,
} from './schemas.ts';

export const tagRoutes = (guard: Guard) =>
  new Elysia({ prefix: '/tags', tags: ['Tags'] })
    .use(guard)
    .get('', async ({ ctx, request }) => jsonResponse(request, await listTags(ctx)), {
      permission: 'tag.read',
      response: { 200: t.Array(TagResponseDto) },
      detail: { operationId: 'getAllTags', summary: "List the caller's tags" },
    })
    .post('', async ({ ctx, body, status }) => status(201, await createTag(ctx, body)), {
      permission: 'tag.create',
      body: TagCreateDto,
      response: { 201: TagResponseDto },
      detail: { operationId: 'createTag', summary: 'Create a tag, optionally under another one' },
    })
    .put('', ({ ctx, body }) => upsertTags(ctx, body.tags), {
      permission: 'tag.create',
      body: TagUpsertDto,
      response: { 200: t.Array(TagResponseDto) },
      detail: { operationId: 'upsertTags', summary: 'Create the missing tags of these paths' },
    })
    .put('/assets', async ({ ctx, body }) => ({ count: await tagManyAssets(ctx, body) }), {
      permission: 'tag.asset',
      body: TagBulkAssetsDto,
      response: { 200: TagBulkAssetsResponseDto },
      detail: { operationId: 'bulkTagAssets', summary: 'Put many tags on many assets' },
    })
    .get(
      '/statistics',
      async ({ ctx, request }) => jsonResponse(request, await getTagStatistics(ctx)),
      {
        permission: 'tag.read',
        response: { 200: t.Array(TagStatisticsResponseDto) },
        detail: { operationId: 'getTagStatistics', summary: 'Count Timeline items per tag' },
      },
    )
    .get('/:id', ({ ctx, params }) => getTag(ctx, params.id), {
      permission: 'tag.read',
      params: IdParams,
      response: { 200: TagResponseDto },
      detail: { operationId: 'getTagById', summary: 'Get one tag' },
    })
    .put('/:id', ({ ctx, params, body }) => updateTag(ctx, params.id, body), {
      permission: 'tag.update',
      params: IdParams,
      body: TagUpdateDto,
      response: { 200: TagResponseDto },
      detail: { operationId: 'updateTag', summary: 'Rename or recolor a tag', deprecated: true },
    })
    .delete(
      '/:id',
      async ({ ctx, params, status }) => {
        await deleteTag(ctx, params.id);
        return status(204, undefined);
      },
      {
        permission: 'tag.delete',
        params: IdParams,
        response: { 204: NoContent },
        detail: { operationId: 'deleteTag', summary: 'Delete a tag and the tags under it' },
      },
    )
    .put('/:id/assets', ({ ctx, params, body }) => tagAssets(ctx, params.id, body.ids), {
      permission: 'tag.asset',
      params: IdParams,
      body: BulkIdsDto,
      response: { 200: t.Array(BulkIdResponseDto) },
      detail: { operationId: 'tagAssets', summary: 'Put a tag on assets' },
    })
    .delete('/:id/assets', ({ ctx, params, body }) => untagAssets(ctx, params.id, body.ids), {
      permission: 'tag.asset',
      params: IdParams,
      body: BulkIdsDto,
      response: { 200: t.Array(BulkIdResponseDto) },
      detail: { operationId: 'untagAssets', summary: 'Take a tag off assets' },
    });
