import { Elysia, t } from 'elysia';
import type { Guard } from '../../http/guard.ts';
import { ErrorResponseDto, GuestQuery, IdParams } from '../../http/schemas.ts';
import { changeOrder, getOrder, listItems, moveItems } from './domain.ts';
import {
  AlbumItemsQuery,
  AlbumItemsResponseDto,
  AlbumMoveDto,
  AlbumOrderDto,
  AlbumOrderResponseDto,
} from './schemas.ts';

export const albumOrderRoutes = (guard: Guard) =>
  new Elysia({ prefix: '/albums', tags: ['Albums'] })
    .use(guard)
    .get('/:id/order', ({ ctx, params }) => getOrder(ctx, params.id), {
      permission: { of: 'album.read', guest: true },
      params: IdParams,
      query: t.Object(GuestQuery),
      response: { 200: AlbumOrderResponseDto },
      detail: { operationId: 'getAlbumOrder', summary: 'Get the order of the items of an album' },
    })
    .put('/:id/order', ({ ctx, params, body }) => changeOrder(ctx, params.id, body), {
      permission: 'album.update',
      params: IdParams,
      body: AlbumOrderDto,
      response: { 200: AlbumOrderResponseDto, 409: ErrorResponseDto },
      detail: { operationId: 'setAlbumOrder', summary: 'Show an album by date or by hand' },
    })
    .get('/:id/items', ({ ctx, params, query }) => listItems(ctx, params.id, query), {
      permission: { of: 'album.read', guest: true },
      params: IdParams,
      query: AlbumItemsQuery,
      response: { 200: AlbumItemsResponseDto, 409: ErrorResponseDto },
      detail: {
        operationId: 'getAlbumItems',
        summary: 'List the items of an album in their order by hand',
      },
    })
    .post('/:id/items/move', ({ ctx, params, body }) => moveItems(ctx, params.id, body), {
      permission: 'album.update',
      params: IdParams,
      body: AlbumMoveDto,
      response: { 200: AlbumOrderResponseDto, 409: ErrorResponseDto },
      detail: { operationId: 'moveAlbumItems', summary: 'Move items within an album' },
    });
