import { Elysia } from 'elysia';
import type { Ctx } from '../../core/context.ts';
import { getClientOrigin } from '../../http/forwarded.ts';
import type { Guard } from '../../http/guard.ts';
import { Binary, ErrorResponseDto, NoContent } from '../../http/schemas.ts';
import { logResponse } from '../../maintenance/log-response.ts';
import { getPostgresUpgrade } from '../../maintenance/postgres-upgrade.ts';
import { detectInstall } from '../../maintenance/storage-folders.ts';
import { toCookie } from '../../maintenance/token.ts';
import {
  createNotInMaintenance,
  setMaintenanceMode,
  startPostgresUpgrade,
  STATUS,
} from './domain.ts';
import {
  MaintenanceAuthDto,
  MaintenanceDetectInstallResponseDto,
  MaintenanceLoginDto,
  MaintenanceStatusResponseDto,
  PostgresUpgradeDto,
  SetMaintenanceModeDto,
} from './schemas.ts';

const permission = { of: 'maintenance', admin: true } as const;
/** In maintenance mode the caller may replace the database, and with it all accounts. */
const provenPermission = { ...permission, proof: true } as const;

const createCookie = ({ settings }: Ctx, request: Request, token: string): string =>
  toCookie(token, getClientOrigin(request, settings).isEncrypted);

/** In maintenance mode itself, src/maintenance serves these operations. */
export const maintenanceRoutes = (guard: Guard) =>
  new Elysia({ prefix: '/admin/maintenance', tags: ['Maintenance'] })
    .use(guard)
    .post(
      '',
      async ({ ctx, body, request, set }) => {
        const token = await setMaintenanceMode(ctx, body);
        if (token) set.headers['set-cookie'] = createCookie(ctx, request, token);
        set.status = 201;
      },
      {
        permission: provenPermission,
        body: SetMaintenanceModeDto,
        response: { 201: NoContent, 409: ErrorResponseDto },
        detail: { operationId: 'setMaintenanceMode', summary: 'Start maintenance mode' },
      },
    )
    .get('/postgres-upgrade', ({ ctx }) => getPostgresUpgrade(ctx.paths, ctx.settings), {
      permission,
      response: { 200: PostgresUpgradeDto },
      detail: {
        operationId: 'getPostgresUpgrade',
        summary: 'Tell whether a newer PostgreSQL is installed than the one of the database',
      },
    })
    .post(
      '/postgres-upgrade',
      async ({ ctx, request, set }) => {
        set.headers['set-cookie'] = createCookie(ctx, request, await startPostgresUpgrade(ctx));
        set.status = 201;
      },
      {
        permission: provenPermission,
        response: { 201: NoContent, 404: ErrorResponseDto },
        detail: {
          operationId: 'startPostgresUpgrade',
          summary: 'Move the database to the newest PostgreSQL that is installed',
        },
      },
    )
    .get('/logs', () => logResponse(), {
      permission,
      response: { 200: Binary },
      detail: { operationId: 'downloadLogs', summary: 'Download the last lines of the log' },
    })
    .get('/status', () => STATUS, {
      open: true,
      response: { 200: MaintenanceStatusResponseDto },
      detail: { operationId: 'getMaintenanceStatus', summary: 'Is maintenance mode on?' },
    })
    .get('/detect-install', ({ ctx }) => detectInstall(ctx.paths), {
      permission,
      response: { 200: MaintenanceDetectInstallResponseDto },
      detail: {
        operationId: 'detectPriorInstall',
        summary: 'Tell what an installation has left in the folders',
      },
    })
    .post(
      '/login',
      () => {
        throw createNotInMaintenance();
      },
      {
        open: true,
        body: MaintenanceLoginDto,
        response: { 201: MaintenanceAuthDto, 400: ErrorResponseDto },
        detail: { operationId: 'maintenanceLogin', summary: 'Log in to maintenance mode' },
      },
    );
