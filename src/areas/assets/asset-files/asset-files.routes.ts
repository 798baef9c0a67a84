import { Elysia, t } from 'elysia';
import { fileResponse } from '../../../http/files.ts';
import type { Guard } from '../../../http/guard.ts';
import { Binary, IdParams, NoContent } from '../../../http/schemas.ts';
import {
  deleteAssetFile,
  downloadAssetFile,
  getAssetFile,
  searchAssetFiles,
} from './asset-files.domain.ts';
import { AssetFileQuery, AssetFileResponseDto } from './asset-files.schemas.ts';

export const assetFileRoutes = (guard: Guard) =>
  new Elysia({ prefix: '/asset-files', tags: ['Asset files'] })
    .use(guard)
    .get('', ({ ctx, query }) => searchAssetFiles(ctx, query), {
      permission: 'assetFile.read',
      query: AssetFileQuery,
      response: { 200: t.Array(AssetFileResponseDto) },
      detail: { operationId: 'searchAssetFiles', summary: 'List the files of an asset' },
    })
    .get('/:id', ({ ctx, params }) => getAssetFile(ctx, params.id), {
      permission: 'assetFile.read',
      params: IdParams,
      response: { 200: AssetFileResponseDto },
      detail: { operationId: 'getAssetFile', summary: 'Get one file of an asset' },
    })
    .get(
      '/:id/download',
      async ({ ctx, params, request }) =>
        fileResponse(request, await downloadAssetFile(ctx, params.id)),
      {
        permission: 'assetFile.download',
        params: IdParams,
        response: { 200: Binary },
        detail: { operationId: 'downloadAssetFile', summary: 'Download one file of an asset' },
      },
    )
    .delete(
      '/:id',
      async ({ ctx, params, status }) => {
        await deleteAssetFile(ctx, params.id);
        return status(204, undefined);
      },
      {
        permission: 'assetFile.delete',
        params: IdParams,
        response: { 204: NoContent },
        detail: { operationId: 'deleteAssetFile', summary: 'Delete a derived file of an asset' },
      },
    );
