import { Elysia } from 'elysia';
import type { Guard } from '../../../http/guard.ts';
import { IdParams, NoContent } from '../../../http/schemas.ts';
import { editAsset, getEdits, removeEdits } from './edits.domain.ts';
import { AssetEditsCreateDto, AssetEditsResponseDto } from './edits.schemas.ts';

export const editRoutes = (guard: Guard) =>
  new Elysia()
    .use(guard)
    .get('/:id/edits', ({ ctx, params }) => getEdits(ctx, params.id), {
      permission: 'asset.edit.get',
      params: IdParams,
      response: { 200: AssetEditsResponseDto },
      detail: { operationId: 'getAssetEdits', summary: 'Get the edits of a picture' },
    })
    .put('/:id/edits', ({ ctx, params, body }) => editAsset(ctx, params.id, body), {
      permission: 'asset.edit.create',
      params: IdParams,
      body: AssetEditsCreateDto,
      response: { 200: AssetEditsResponseDto },
      detail: { operationId: 'editAsset', summary: 'Crop, rotate and mirror; the original stays' },
    })
    .delete(
      '/:id/edits',
      async ({ ctx, params, status }) => {
        await removeEdits(ctx, params.id);
        return status(204, undefined);
      },
      {
        permission: 'asset.edit.delete',
        params: IdParams,
        response: { 204: NoContent },
        detail: { operationId: 'removeAssetEdits', summary: 'Show the picture as it was taken' },
      },
    );
