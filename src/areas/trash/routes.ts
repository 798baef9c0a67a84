import { Elysia } from 'elysia';
import type { Guard } from '../../http/guard.ts';
import { ErrorResponseDto } from '../../http/schemas.ts';
import { listActivity } from './activity/activity.domain.ts';
import { emptyTrash, restoreAll, restoreAssets, getTrashSummary } from './domain.ts';
import { listItems } from './items/items.domain.ts';
import { applyReview, reviewTrash } from './review/review.domain.ts';
import {
  ActivityQuery,
  RestoreDto,
  TrashApplyDto,
  TrashItemsQuery,
  TrashItemsResponseDto,
  TrashResponseDto,
  TrashReviewDto,
  TrashReviewResponseDto,
  TrashSummaryResponseDto,
  UtilityActivityResponseDto,
} from './schemas.ts';

export const trashRoutes = (guard: Guard) =>
  new Elysia({ prefix: '/trash', tags: ['Trash'] })
    .use(guard)
    .get('/items', ({ ctx, query }) => listItems(ctx, query), {
      permission: 'asset.read',
      query: TrashItemsQuery,
      response: { 200: TrashItemsResponseDto },
      detail: { operationId: 'getTrashItems', summary: 'List the trash, page by page' },
    })
    .get('/summary', ({ ctx }) => getTrashSummary(ctx), {
      permission: 'asset.read',
      response: { 200: TrashSummaryResponseDto },
      detail: { operationId: 'getTrashSummary', summary: 'Get the size of the trash' },
    })
    .get('/activity', ({ ctx, query }) => listActivity(ctx, query.tool), {
      permission: 'asset.read',
      query: ActivityQuery,
      response: { 200: UtilityActivityResponseDto },
      detail: {
        operationId: 'getTrashActivity',
        summary: 'List what a utility moved to the trash',
      },
    })
    .post('/review', ({ ctx, body }) => reviewTrash(ctx, body), {
      permission: 'asset.delete',
      body: TrashReviewDto,
      response: { 200: TrashReviewResponseDto },
      detail: { operationId: 'reviewTrash', summary: 'Preview an action on the trash' },
    })
    .post('/apply', ({ ctx, body }) => applyReview(ctx, body), {
      permission: 'asset.delete',
      body: TrashApplyDto,
      response: { 200: TrashResponseDto, 409: ErrorResponseDto },
      detail: {
        operationId: 'applyTrash',
        summary: 'Apply a reviewed action to exactly the reviewed set',
      },
    })
    .post('/empty', ({ ctx }) => emptyTrash(ctx), {
      permission: 'asset.delete',
      response: { 200: TrashResponseDto },
      detail: { operationId: 'emptyTrash', summary: 'Delete everything in the trash permanently' },
    })
    .post('/restore', ({ ctx }) => restoreAll(ctx), {
      permission: 'asset.delete',
      response: { 200: TrashResponseDto },
      detail: { operationId: 'restoreTrash', summary: 'Restore everything in the trash' },
    })
    .post('/restore/assets', ({ ctx, body }) => restoreAssets(ctx, body.ids), {
      permission: 'asset.delete',
      body: RestoreDto,
      response: { 200: TrashResponseDto },
      detail: { operationId: 'restoreAssets', summary: 'Restore assets from the trash' },
    });
