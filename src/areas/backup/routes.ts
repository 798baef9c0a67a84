import { Elysia } from 'elysia';
import type { Guard } from '../../http/guard.ts';
import { ErrorResponseDto, IdParams, NoContent } from '../../http/schemas.ts';
import { listDevices, listRuns, removeDevice, reportDevice } from './devices.domain.ts';
import { checkBucket, startReconciliation } from './reconciliation.domain.ts';
import {
  BackupDeviceDto,
  BackupDeviceListDto,
  BackupDeviceWriteDto,
  BucketParams,
  PageQuery,
  ReconciliationBucketDto,
  ReconciliationHistoryDto,
  ReconciliationResultDto,
  ReconciliationStartDto,
} from './schemas.ts';

export const backupRoutes = (guard: Guard) =>
  new Elysia({ prefix: '/users/me/backup-devices', tags: ['Users'] })
    .use(guard)
    .get('', ({ ctx, query }) => listDevices(ctx, query), {
      permission: 'user.read',
      query: PageQuery,
      response: { 200: BackupDeviceListDto },
      detail: { operationId: 'getBackupDevices', summary: 'List the devices that back up' },
    })
    .post('', ({ ctx, body }) => reportDevice(ctx, body), {
      permission: 'user.update',
      body: BackupDeviceWriteDto,
      response: { 200: BackupDeviceDto },
      detail: {
        operationId: 'reportBackupDevice',
        summary: 'Register a device, or note what it reports',
      },
    })
    .delete(
      '/:id',
      async ({ ctx, params, status }) => {
        await removeDevice(ctx, params.id);
        return status(204, undefined);
      },
      {
        permission: 'user.update',
        params: IdParams,
        response: { 204: NoContent },
        detail: {
          operationId: 'removeBackupDevice',
          summary: 'Take a device off the list; its history stays',
        },
      },
    )
    .get('/:id/reconciliations', ({ ctx, params, query }) => listRuns(ctx, params.id, query), {
      permission: { of: 'asset.read', unlocked: true },
      params: IdParams,
      query: PageQuery,
      response: { 200: ReconciliationHistoryDto },
      detail: { operationId: 'getReconciliations', summary: 'List reconciliations, newest first' },
    })
    .post(
      '/:id/reconciliations',
      ({ ctx, params, body }) => startReconciliation(ctx, params.id, body),
      {
        permission: { of: 'asset.read', unlocked: true },
        params: IdParams,
        body: ReconciliationStartDto,
        response: { 200: ReconciliationResultDto, 409: ErrorResponseDto },
        detail: {
          operationId: 'startReconciliation',
          summary: 'Compare the files of a device with the library, bucket by bucket',
        },
      },
    )
    .post(
      '/:id/reconciliations/:runId/buckets',
      ({ ctx, params: { id, runId }, body }) => checkBucket(ctx, { deviceId: id, runId }, body),
      {
        permission: { of: 'asset.read', unlocked: true },
        params: BucketParams,
        body: ReconciliationBucketDto,
        response: { 200: ReconciliationResultDto, 409: ErrorResponseDto },
        detail: {
          operationId: 'checkReconciliationBucket',
          summary: 'Send the hashes of a bucket that differs',
        },
      },
    );
