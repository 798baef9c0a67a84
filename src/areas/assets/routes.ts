import { Elysia, t } from 'elysia';
import { fileResponse } from '../../http/files.ts';
import type { Guard } from '../../http/guard.ts';
import { jsonResponse } from '../../http/json.ts';
import { Binary, IdParams, NoContent, Uuid, BulkIdsDto } from '../../http/schemas.ts';
import { bulkRoutes } from './update/bulk.routes.ts';
import { getAsset } from './domain.ts';
import { adjustmentRoutes, editRoutes } from './edits/edits.routes.ts';
import { getOriginal, getPlayback, getThumbnail } from './files/files.domain.ts';
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
import { deleteAssets } from '../trash/index.ts';
import { getBrokenCount, listBroken } from './broken/broken.domain.ts';
import {
  BrokenAssetCountDto,
  BrokenAssetsDto,
  BrokenAssetsQuery,
} from './broken/broken.schemas.ts';
import { lockAssets, unlockAssets } from './locked/lock.domain.ts';
import { listRawPairs } from './raw-pairs/raw-pairs.domain.ts';
import { RawPairsDto, RawPairsQuery } from './raw-pairs/raw-pairs.schemas.ts';

const rawPairRoutes = (guard: Guard) =>
  new Elysia().use(guard).get('/raw-pairs', ({ ctx, query }) => listRawPairs(ctx, query), {
    permission: 'asset.read',
    cancelOnDisconnect: true,
    query: RawPairsQuery,
    response: { 200: RawPairsDto },
    detail: {
      operationId: 'listRawPairs',
      summary: "List the caller's raw photos of which there is a picture, too",
      description:
        'Newest first: uploaded raw photos of the timeline, each with an uploaded picture of the same name, but for ' +
        'its extension, and the same time of capture. The picture may be archived; trashed, locked and hidden ' +
        'assets are left out.',
    },
  });

const lockRoutes = (guard: Guard) =>
  new Elysia()
    .use(guard)
    .post(
      '/lock',
      async ({ ctx, body, status }) => {
        await lockAssets(ctx, body.ids);
        return status(204, undefined);
      },
      {
        permission: 'asset.update',
        body: BulkIdsDto,
        response: { 204: NoContent },
        detail: { operationId: 'lockAssets', summary: 'Hide assets behind the PIN' },
      },
    )
    .post(
      '/unlock',
      async ({ ctx, body, status }) => {
        await unlockAssets(ctx, body.ids);
        return status(204, undefined);
      },
      {
        permission: { of: 'asset.update', unlocked: true },
        body: BulkIdsDto,
        response: { 204: NoContent },
        detail: { operationId: 'unlockAssets', summary: 'Put locked assets back where they were' },
      },
    );

const brokenRoutes = (guard: Guard) =>
  new Elysia()
    .use(guard)
    .get('/broken', ({ ctx, query }) => listBroken(ctx, query), {
      permission: 'asset.read',
      query: BrokenAssetsQuery,
      response: { 200: BrokenAssetsDto },
      detail: {
        operationId: 'listBrokenAssets',
        summary: "List the caller's assets whose files could not be decoded",
        description:
          'Latest uploads first. Trashed assets are left out, and locked ones unless Locked is open. The job ' +
          '`regenerate-thumbnail` of `POST /assets/jobs` tries again.',
      },
    })
    .get('/broken/count', ({ ctx }) => getBrokenCount(ctx), {
      permission: { of: 'server.statistics', admin: true },
      response: { 200: BrokenAssetCountDto },
      detail: {
        operationId: 'countBrokenAssets',
        summary: 'Count the assets of all accounts whose files could not be decoded',
        description: 'Trashed and locked assets are left out.',
      },
    });

const AssetBulkDeleteDto = t.Object(
  { ids: t.Array(Uuid, { maxItems: 65_000 }), force: t.Optional(t.Boolean()) },
  { title: 'AssetBulkDeleteDto' },
);

const deleteRoutes = (guard: Guard) =>
  new Elysia().use(guard).delete(
    '',
    async ({ ctx, body, status }) => {
      await deleteAssets(ctx, body.ids, { force: body.force ?? false });
      return status(204, undefined);
    },
    {
      permission: 'asset.delete',
      body: AssetBulkDeleteDto,
      response: { 204: NoContent },
      detail: { operationId: 'deleteAssets', summary: 'Trash assets, or delete them for good' },
    },
  );

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
