import { Elysia } from 'elysia';
import type { Guard } from '../../http/guard.ts';
import { ErrorResponseDto, NoContent } from '../../http/schemas.ts';
import {
  deleteServerLicense,
  deleteUserLicense,
  getServerLicense,
  getUserLicense,
  setServerLicense,
  setUserLicense,
} from './domain.ts';
import { LicenseKeyDto, UserLicense } from './schemas.ts';

export const productKeyRoutes = (guard: Guard) =>
  new Elysia({ tags: ['Product keys'] })
    .use(guard)
    .get('/server/license', ({ ctx }) => getServerLicense(ctx), {
      permission: { of: 'serverLicense.read', admin: true },
      response: { 200: UserLicense, 404: ErrorResponseDto },
      detail: { operationId: 'getServerLicense', summary: 'Get the product key of the server' },
    })
    .put('/server/license', ({ ctx, body }) => setServerLicense(ctx, body), {
      permission: { of: 'serverLicense.update', admin: true },
      body: LicenseKeyDto,
      response: { 200: UserLicense },
      detail: { operationId: 'setServerLicense', summary: 'Set the product key of the server' },
    })
    .delete(
      '/server/license',
      async ({ ctx, status }) => {
        await deleteServerLicense(ctx);
        return status(204, undefined);
      },
      {
        permission: { of: 'serverLicense.delete', admin: true },
        response: { 204: NoContent },
        detail: {
          operationId: 'deleteServerLicense',
          summary: 'Remove the product key of the server',
        },
      },
    )
    .get('/users/me/license', ({ ctx }) => getUserLicense(ctx), {
      permission: 'userLicense.read',
      response: { 200: UserLicense, 404: ErrorResponseDto },
      detail: { operationId: 'getUserLicense', summary: 'Get the product key of the caller' },
    })
    .put('/users/me/license', ({ ctx, body }) => setUserLicense(ctx, body), {
      permission: 'userLicense.update',
      body: LicenseKeyDto,
      response: { 200: UserLicense },
      detail: { operationId: 'setUserLicense', summary: 'Set the product key of the caller' },
    })
    .delete(
      '/users/me/license',
      async ({ ctx, status }) => {
        await deleteUserLicense(ctx);
        return status(204, undefined);
      },
      {
        permission: 'userLicense.delete',
        response: { 204: NoContent },
        detail: {
          operationId: 'deleteUserLicense',
          summary: 'Remove the product key of the caller',
        },
      },
    );
