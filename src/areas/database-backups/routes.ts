import { Elysia } from 'elysia';
import { isFromOtherSite } from '../../access/credentials.ts';
import { forbidden } from '../../core/errors.ts';
import { fileResponse } from '../../http/files.ts';
import { getClientOrigin } from '../../http/forwarded.ts';
import type { Guard } from '../../http/guard.ts';
import { Binary, ErrorResponseDto, multipartForm, NoContent } from '../../http/schemas.ts';
import { toCookie } from '../../maintenance/token.ts';
import { startRestoreFlow, getBackupState, startDrill } from './domain.ts';
import { saveUploadedBackup } from '../../maintenance/backup-files.ts';
import {
  deleteAllBackups,
  getBackupDownload,
  listAllBackups,
} from '../../maintenance/stored-backups.ts';
import {
  BackupStateDto,
  DatabaseBackupDeleteDto,
  DatabaseBackupListResponseDto,
  DatabaseBackupUploadDto,
  FilenameParams,
  RestoreDrillStartDto,
} from './schemas.ts';

/** As `x-safelight-restore-code: k7mq-4xwz-9tbn`. The operation has no body. */
const CODE_HEADER = 'x-safelight-restore-code';

/** In maintenance mode itself, src/maintenance serves these operations. */
export const databaseBackupRoutes = (guard: Guard) =>
  new Elysia({ prefix: '/admin/database-backups', tags: ['Database backups'] })
    .use(guard)
    .get('', ({ ctx }) => listAllBackups(ctx), {
      permission: { of: 'maintenance', admin: true },
      response: { 200: DatabaseBackupListResponseDto },
      detail: { operationId: 'listDatabaseBackups', summary: 'List the backups of the database' },
    })
    .get('/state', ({ ctx }) => getBackupState(ctx), {
      permission: { of: 'maintenance', admin: true },
      response: { 200: BackupStateDto },
      detail: {
        operationId: 'getDatabaseBackupState',
        summary: 'Tell when the next backup is due, and what the last restore drill has found',
      },
    })
    .post(
      '/restore-drill',
      async ({ ctx, body, status }) => {
        await startDrill(ctx, body.filename);
        return status(204, undefined);
      },
      {
        permission: { of: 'maintenance', admin: true },
        body: RestoreDrillStartDto,
        response: { 204: NoContent, 404: ErrorResponseDto },
        detail: {
          operationId: 'startRestoreDrill',
          summary: 'Prove a backup by restoring it beside the database',
        },
      },
    )
    .delete('', ({ ctx, body }) => deleteAllBackups(ctx, body.backups), {
      permission: { of: 'backup.delete', admin: true },
      body: DatabaseBackupDeleteDto,
      response: { 200: NoContent, 404: ErrorResponseDto },
      detail: { operationId: 'deleteDatabaseBackup', summary: 'Delete backups of the database' },
    })
    .get(
      '/:filename',
      async ({ ctx, params: { filename }, request }) =>
        fileResponse(request, await getBackupDownload(ctx, filename)),
      {
        permission: { of: 'backup.download', admin: true },
        params: FilenameParams,
        response: { 200: Binary, 404: ErrorResponseDto },
        detail: { operationId: 'downloadDatabaseBackup', summary: 'Download a backup' },
      },
    )
    .post(
      '/upload',
      async ({ ctx, request, set }) => {
        const form = { contentType: request.headers.get('content-type'), body: request.body };
        await saveUploadedBackup(ctx.paths.backups, ctx.settings.reserveBytes, form);
        set.status = 201;
      },
      {
        permission: { of: 'backup.upload', admin: true },
        parse: 'none',
        response: { 201: NoContent },
        detail: {
          operationId: 'uploadDatabaseBackup',
          summary: 'Upload a backup, to restore it',
          ...multipartForm(DatabaseBackupUploadDto),
        } as object,
      },
    )
    .post(
      '/start-restore',
      async ({ ctx, request, set }) => {
        const { host, isEncrypted } = getClientOrigin(request, ctx.settings);
        if (isFromOtherSite(request.headers, host)) throw forbidden('Cross-site request refused');
        const token = await startRestoreFlow(ctx, request.headers.get(CODE_HEADER));
        set.headers['set-cookie'] = toCookie(token, isEncrypted);
        set.status = 201;
      },
      {
        open: true,
        response: { 201: NoContent, 409: ErrorResponseDto },
        detail: {
          operationId: 'startDatabaseRestoreFlow',
          summary: 'Start maintenance mode on a server without accounts, to restore a backup',
          description:
            'Needs the code that the server prints on its console when this is called without one, in ' +
            `the header ${CODE_HEADER}.`,
        },
      },
    );
