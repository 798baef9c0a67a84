import { Elysia } from 'elysia';
import { getClientOrigin } from '../../http/forwarded.ts';
import type { Guard } from '../../http/guard.ts';
import { ErrorResponseDto, NoContent } from '../../http/schemas.ts';
import { detectInstall } from '../../maintenance/storage-folders.ts';
import { toCookie } from '../../maintenance/token.ts';
import { createNotInMaintenance, setMaintenanceMode, STATUS } from './domain.ts';
import {
  MaintenanceAuthDto,
  MaintenanceDetectInstallResponseDto,
  MaintenanceLoginDto,
  MaintenanceStatusResponseDto,
  SetMaintenanceModeDto,
} from './schemas.ts';

const permission = { of: 'maintenance', admin: true } as const;

/** In maintenance mode itself, src/maintenance serves these operations. */
export const maintenanceRoutes = (guard: Guard) =>
  new Elysia({ prefix: '/admin/maintenance', tags: ['Maintenance'] })
    .use(guard)
    .post(
      '',
      async ({ ctx, body, request, set }) => {
        const token = await setMaintenanceMode(ctx, body);
        const { isEncrypted } = getClientOrigin(request, ctx.settings);
        if (token) set.headers['set-cookie'] = toCookie(token, isEncrypted);
        set.status = 201;
      },
      {
        permission,
        body: SetMaintenanceModeDto,
        response: { 201: NoContent },
        detail: { operationId: 'setMaintenanceMode', summary: 'Start maintenance mode' },
      },
    )
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
