import { Elysia, t } from 'elysia';
import { fileResponse } from '../../http/files.ts';
import type { Guard } from '../../http/guard.ts';
import { jsonResponse } from '../../http/json.ts';
import { Binary, IdParams, NoContent } from '../../http/schemas.ts';
import { brokenRoutes } from './broken/broken.routes.ts';
import { rawPairRoutes } from './raw-pairs/raw-pairs.routes.ts';
import { bulkRoutes } from './update/bulk.routes.ts';
import { deleteRoutes } from './delete.routes.ts';
import { getAsset } from './domain.ts';
import { adjustmentRoutes } from './edits/adjustments.routes.ts';
import { editRoutes } from './edits/edits.routes.ts';
import { getOriginal, getPlayback, getThumbnail } from './files/files.domain.ts';
import { lockRoutes } from './locked/lock.routes.ts';
import {
  deleteMetadata,
  getMetadata,
  listMetadata,
  upsertMetadata,
} from './key-values/key-values.domain.ts';
import {
  AssetMetadataResponseDto,
  AssetMetadataUpsertDto,
  AssetResponseDto,
  AssetStatsResponseDto,
  GuestOnlyQuery,
  MetadataParams,
  OriginalQuery,
  StatisticsQuery,
  ThumbnailQuery,
  UpdateAssetDto,
} from './schemas.ts';
import { getAssetStatistics } from './counts/statistics.domain.ts';
import { updateAsset } from './update/update.domain.ts';

export const assetRoutes = (guard: Guard) =>
  new Elysia({ prefix: '/assets', tags: ['Assets'] })
    .use(guard)
    .get(
      '/statistics',
      async ({ ctx, query, request }) =>
        jsonResponse(request, await getAssetStatistics(ctx, query)),
      {
        permission: 'asset.statistics',
        query: StatisticsQuery,
        response: { 200: AssetStatsResponseDto },
        detail: { operationId: 'getAssetStatistics', summary: "Count the caller's assets" },
      },
    )
    .use(brokenRoutes(guard))
    .use(rawPairRoutes(guard))
    .get(
      '/:id',
      async ({ ctx, params, request }) => jsonResponse(request, await getAsset(ctx, params.id)),
      {
        permission: { of: 'asset.read', guest: true },
        params: IdParams,
        query: GuestOnlyQuery,
        response: { 200: AssetResponseDto },
        detail: { operationId: 'getAssetInfo', summary: 'Get one asset' },
      },
    )
    .put('/:id', ({ ctx, params, body }) => updateAsset(ctx, params.id, body), {
      permission: 'asset.update',
      params: IdParams,
      body: UpdateAssetDto,
      response: { 200: AssetResponseDto },
      detail: { operationId: 'updateAsset', summary: 'Change one asset', deprecated: true },
    })
    .use(bulkRoutes(guard))
    .use(deleteRoutes(guard))
    .use(lockRoutes(guard))
    .use(fileRoutes(guard))
    .use(editRoutes(guard))
    .use(adjustmentRoutes(guard))
    .use(metadataRoutes(guard));

const fileRoutes = (guard: Guard) =>
  new Elysia()
    .use(guard)
    .get(
      '/:id/thumbnail',
      async ({ ctx, params, query, request }) =>
        fileResponse(request, await getThumbnail(ctx, params.id, query)),
      {
        permission: { of: 'asset.view', guest: true },
        params: IdParams,
        query: ThumbnailQuery,
        response: { 200: Binary },
        detail: { operationId: 'viewAsset', summary: 'Get a picture of an asset' },
      },
    )
    .get(
      '/:id/original',
      async ({ ctx, params, query, request }) =>
        fileResponse(request, await getOriginal(ctx, params.id, query)),
      {
        permission: { of: 'asset.download', guest: true },
        params: IdParams,
        query: OriginalQuery,
        response: { 200: Binary },
        detail: { operationId: 'downloadAsset', summary: 'Get the file that was uploaded' },
      },
    )
    .get(
      '/:id/video/playback',
      async ({ ctx, params, request }) => fileResponse(request, await getPlayback(ctx, params.id)),
      {
        permission: { of: 'asset.view', guest: true },
        params: IdParams,
        query: GuestOnlyQuery,
        response: { 200: Binary },
        detail: { operationId: 'playAssetVideo', summary: 'Get a video that browsers play' },
      },
    );

const metadataRoutes = (guard: Guard) =>
  new Elysia()
    .use(guard)
    .get('/:id/metadata', ({ ctx, params }) => listMetadata(ctx, params.id), {
      permission: 'asset.read',
      params: IdParams,
      response: { 200: t.Array(AssetMetadataResponseDto) },
      detail: {
        operationId: 'getAssetMetadata',
        summary: 'Get the key-value metadata of an asset',
      },
    })
    .put('/:id/metadata', ({ ctx, params, body }) => upsertMetadata(ctx, params.id, body), {
      permission: 'asset.update',
      params: IdParams,
      body: AssetMetadataUpsertDto,
      response: { 200: t.Array(AssetMetadataResponseDto) },
      detail: { operationId: 'updateAssetMetadata', summary: 'Set key-value metadata of an asset' },
    })
    .get('/:id/metadata/:key', ({ ctx, params }) => getMetadata(ctx, params.id, params.key), {
      permission: 'asset.read',
      params: MetadataParams,
      response: { 200: AssetMetadataResponseDto },
      detail: {
        operationId: 'getAssetMetadataByKey',
        summary: "Get one key of an asset's metadata",
      },
    })
    .delete(
      '/:id/metadata/:key',
      async ({ ctx, params, status }) => {
        await deleteMetadata(ctx, params.id, params.key);
        return status(204, undefined);
      },
      {
        permission: 'asset.update',
        params: MetadataParams,
        response: { 204: NoContent },
        detail: {
          operationId: 'deleteAssetMetadata',
          summary: "Delete one key of an asset's metadata",
        },
      },
    );
