import { Elysia, t } from 'elysia';
import type { Guard } from '../../../http/guard.ts';
import { NoContent } from '../../../http/schemas.ts';
import { updateAssets } from './bulk-update.domain.ts';
import {
  AssetBulkUpdateDto,
  AssetCopyDto,
  AssetJobsDto,
  AssetMetadataBulkDeleteDto,
  AssetMetadataBulkResponseDto,
  AssetMetadataBulkUpsertDto,
} from './bulk.schemas.ts';
import { copyAsset } from '../copy/copy.domain.ts';
import { deleteManyMetadata, upsertManyMetadata } from '../key-values/key-values.domain.ts';
import { runAssetJobs } from '../processing/requested-jobs.domain.ts';

export const bulkRoutes = (guard: Guard) =>
  new Elysia()
    .use(guard)
    .put(
      '',
      async ({ ctx, body, status }) => {
        await updateAssets(ctx, body);
        return status(204, undefined);
      },
      {
        permission: 'asset.update',
        body: AssetBulkUpdateDto,
        response: { 204: NoContent },
        detail: { operationId: 'updateAssets', summary: 'Change many assets', deprecated: true },
      },
    )
    .put(
      '/copy',
      async ({ ctx, body, status }) => {
        await copyAsset(ctx, body);
        return status(204, undefined);
      },
      {
        permission: { of: 'asset.copy', mayNeed: ['asset.download'] },
        body: AssetCopyDto,
        response: { 204: NoContent },
        detail: {
          operationId: 'copyAsset',
          summary: 'Copy albums, links and metadata to another asset',
        },
      },
    )
    .post(
      '/jobs',
      async ({ ctx, body, status }) => {
        await runAssetJobs(ctx, body);
        return status(204, undefined);
      },
      {
        permission: 'job.create',
        body: AssetJobsDto,
        response: { 204: NoContent },
        detail: { operationId: 'runAssetJobs', summary: 'Process assets again' },
      },
    )
    .put('/metadata', ({ ctx, body }) => upsertManyMetadata(ctx, body), {
      permission: 'asset.update',
      body: AssetMetadataBulkUpsertDto,
      response: { 200: t.Array(AssetMetadataBulkResponseDto) },
      detail: {
        operationId: 'updateBulkAssetMetadata',
        summary: 'Set key-value metadata of many assets',
      },
    })
    .delete(
      '/metadata',
      async ({ ctx, body, status }) => {
        await deleteManyMetadata(ctx, body);
        return status(204, undefined);
      },
      {
        permission: 'asset.update',
        body: AssetMetadataBulkDeleteDto,
        response: { 204: NoContent },
        detail: {
          operationId: 'deleteBulkAssetMetadata',
          summary: 'Delete key-value metadata of many assets',
        },
      },
    );
