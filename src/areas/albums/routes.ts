import { Elysia, t } from 'elysia';
import { SHARED } from '../../access/permissions.ts';
import type { Guard } from '../../http/guard.ts';
import { jsonResponse } from '../../http/json.ts';
import {
  BulkIdResponseDto,
  BulkIdsDto,
  GuestQuery,
  IdParams,
  NoContent,
} from '../../http/schemas.ts';
import {
  addAssets,
  addAssetsToAlbums,
  getAlbumStatistics,
  createAlbum,
  deleteAlbum,
  getAlbum,
  listAlbums,
  removeAssets,
  updateAlbum,
} from './domain.ts';
import { removeMember, setMemberRole, shareAlbum } from './members.domain.ts';
import {
  AddUsersDto,
  AlbumQuery,
  AlbumResponseDto,
  AlbumsAddAssetsDto,
  AlbumsAddAssetsResponseDto,
  AlbumStatisticsResponseDto,
  AlbumUserParams,
  CreateAlbumDto,
  UpdateAlbumDto,
  UpdateAlbumUserDto,
} from './schemas.ts';

/** One table of operations, each with its permission and schemas. */
export const albumRoutes = (guard: Guard) =>
  new Elysia({ prefix: '/albums', tags: ['Albums'] })
    .use(guard)
    .get(
      '',
      async ({ ctx, query, request }) => jsonResponse(request, await listAlbums(ctx, query)),
      {
        permission: 'album.read',
        query: AlbumQuery,
        response: { 200: t.Array(AlbumResponseDto) },
        detail: { operationId: 'getAllAlbums', summary: 'List own and shared albums' },
      },
    )
    .post('', async ({ ctx, body, status }) => status(201, await createAlbum(ctx, body)), {
      permission: {
        of: 'album.create',
        mayNeed: SHARED,
      },
      body: CreateAlbumDto,
      response: { 201: AlbumResponseDto },
      detail: { operationId: 'createAlbum', summary: 'Create an album' },
    })
    .get('/statistics', ({ ctx }) => getAlbumStatistics(ctx), {
      permission: 'album.statistics',
      response: { 200: AlbumStatisticsResponseDto },
      detail: { operationId: 'getAlbumStatistics', summary: 'Count own and shared albums' },
    })
    .put('/assets', ({ ctx, body }) => addAssetsToAlbums(ctx, body.albumIds, body.assetIds), {
      permission: 'albumAsset.create',
      body: AlbumsAddAssetsDto,
      response: { 200: AlbumsAddAssetsResponseDto },
      detail: { operationId: 'addAssetsToAlbums', summary: 'Put assets into several albums' },
    })
    .get('/:id', ({ ctx, params }) => getAlbum(ctx, params.id), {
      permission: { of: 'album.read', guest: true },
      params: IdParams,
      query: t.Object(GuestQuery),
      response: { 200: AlbumResponseDto },
      detail: { operationId: 'getAlbumInfo', summary: 'Get one album' },
    })
    .patch('/:id', ({ ctx, params, body }) => updateAlbum(ctx, params.id, body), {
      permission: 'album.update',
      params: IdParams,
      body: UpdateAlbumDto,
      response: { 200: AlbumResponseDto },
      detail: { operationId: 'updateAlbumInfo', summary: 'Change name, description, cover, order' },
    })
    .delete(
      '/:id',
      async ({ ctx, params, status }) => {
        await deleteAlbum(ctx, params.id);
        return status(204, undefined);
      },
      {
        permission: 'album.delete',
        params: IdParams,
        response: { 204: NoContent },
        detail: { operationId: 'deleteAlbum', summary: 'Delete an album; its assets stay' },
      },
    )
    .put('/:id/assets', ({ ctx, params, body }) => addAssets(ctx, params.id, body.ids), {
      permission: 'albumAsset.create',
      params: IdParams,
      body: BulkIdsDto,
      response: { 200: t.Array(BulkIdResponseDto) },
      detail: { operationId: 'addAssetsToAlbum', summary: 'Put assets into an album' },
    })
    .delete('/:id/assets', ({ ctx, params, body }) => removeAssets(ctx, params.id, body.ids), {
      permission: 'albumAsset.delete',
      params: IdParams,
      body: BulkIdsDto,
      response: { 200: t.Array(BulkIdResponseDto) },
      detail: { operationId: 'removeAssetFromAlbum', summary: 'Take assets out of an album' },
    })
    .put('/:id/users', ({ ctx, params, body }) => shareAlbum(ctx, params.id, body), {
      permission: { of: 'albumUser.create', mayNeed: SHARED },
      params: IdParams,
      body: AddUsersDto,
      response: { 200: AlbumResponseDto },
      detail: { operationId: 'addUsersToAlbum', summary: 'Share an album with accounts' },
    })
    .put(
      '/:id/user/:userId',
      async ({ ctx, params, body, status }) => {
        await setMemberRole(ctx, params.id, params.userId, body.role);
        return status(204, undefined);
      },
      {
        permission: 'albumUser.update',
        params: AlbumUserParams,
        body: UpdateAlbumUserDto,
        response: { 204: NoContent },
        detail: { operationId: 'updateAlbumUser', summary: "Change a member's role" },
      },
    )
    .delete(
      '/:id/user/:userId',
      async ({ ctx, params, status }) => {
        await removeMember(ctx, params.id, params.userId);
        return status(204, undefined);
      },
      {
        permission: 'albumUser.delete',
        params: AlbumUserParams,
        response: { 204: NoContent },
        detail: { operationId: 'removeUserFromAlbum', summary: 'Remove a member, or leave' },
      },
    );
