import { Elysia } from 'elysia';
import type { Guard } from '../../../http/guard.ts';
import { IdParams, NoContent } from '../../../http/schemas.ts';
import { editAsset, getEdits, removeEdits } from './change.domain.ts';
import { AssetEditsCreateDto, AssetEditsResponseDto } from './edits.schemas.ts';
import {
  getPictureEdits,
  pastePictureEdits,
  putManyPictureEdits,
  putPictureEdits,
} from './adjustments.domain.ts';
import {
  PictureEditsBulkUpdateDto,
  PictureEditsChangeDto,
  PictureEditsPasteDto,
  PictureEditsResponseDto,
  PictureEditsUpdateDto,
} from './adjustments.schemas.ts';

export const adjustmentRoutes = (guard: Guard) =>
  new Elysia()
    .use(guard)
    .get('/:id/adjustments', ({ ctx, params }) => getPictureEdits(ctx, params.id), {
      permission: 'asset.edit.get',
      params: IdParams,
      response: { 200: PictureEditsResponseDto },
      detail: {
        operationId: 'getPictureEdits',
        summary: 'Get the edits and adjustments of a picture, and their revision',
      },
    })
    .put('/:id/adjustments', ({ ctx, params, body }) => putPictureEdits(ctx, params.id, body), {
      permission: 'asset.edit.create',
      params: IdParams,
      body: PictureEditsUpdateDto,
      response: { 200: PictureEditsResponseDto },
      detail: {
        operationId: 'putPictureEdits',
        summary: 'Crop, turn, straighten and adjust light and colour; the original stays',
      },
    })
    .put('/adjustments', ({ ctx, body }) => putManyPictureEdits(ctx, body), {
      permission: 'asset.edit.create',
      body: PictureEditsBulkUpdateDto,
      response: { 200: PictureEditsChangeDto },
      detail: {
        operationId: 'putManyPictureEdits',
        summary: 'Replace the edits and adjustments of pictures that have not changed since',
      },
    })
    .post('/adjustments/paste', ({ ctx, body }) => pastePictureEdits(ctx, body), {
      permission: 'asset.edit.create',
      body: PictureEditsPasteDto,
      response: { 200: PictureEditsChangeDto },
      detail: {
        operationId: 'pastePictureEdits',
        summary: 'Paste the edits and adjustments of one picture on others',
      },
    });

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
