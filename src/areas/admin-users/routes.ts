import { Elysia, t } from 'elysia';
import type { Guard } from '../../http/guard.ts';
import { IdParams, NoContent } from '../../http/schemas.ts';
import { SessionResponseDto } from '../sessions/index.ts';
import {
  readPreferences,
  updatePreferences,
  UserAdminResponseDto,
  UserPreferencesResponseDto,
  UserPreferencesUpdateDto,
} from '../users/index.ts';
import {
  createUser,
  deleteUser,
  endUserSessions,
  getUser,
  listUsers,
  restoreUser,
  updateUser,
  getUserSessions,
  getUserStatistics,
} from './domain.ts';
import {
  AssetStatsResponseDto,
  StatisticsQuery,
  UserAdminCreateDto,
  UserAdminDeleteDto,
  UserAdminQuery,
  UserAdminUpdateDto,
} from './schemas.ts';

export const adminUserRoutes = (guard: Guard) =>
  new Elysia({ prefix: '/admin/users', tags: ['Users (admin)'] })
    .use(guard)
    .get('', ({ ctx, query }) => listUsers(ctx, query), {
      permission: { of: 'adminUser.read', admin: true },
      query: UserAdminQuery,
      response: { 200: t.Array(UserAdminResponseDto) },
      detail: { operationId: 'searchUsersAdmin', summary: 'List accounts' },
    })
    .post('', async ({ ctx, body, status }) => status(201, await createUser(ctx, body)), {
      permission: { of: 'adminUser.create', admin: true },
      body: UserAdminCreateDto,
      response: { 201: UserAdminResponseDto },
      detail: { operationId: 'createUserAdmin', summary: 'Create an account' },
    })
    .get('/:id', ({ ctx, params }) => getUser(ctx, params.id), {
      permission: { of: 'adminUser.read', admin: true },
      params: IdParams,
      response: { 200: UserAdminResponseDto },
      detail: { operationId: 'getUserAdmin', summary: 'Get an account' },
    })
    .put('/:id', ({ ctx, params, body }) => updateUser(ctx, params.id, body), {
      permission: { of: 'adminUser.update', admin: true },
      params: IdParams,
      body: UserAdminUpdateDto,
      response: { 200: UserAdminResponseDto },
      detail: { operationId: 'updateUserAdmin', summary: 'Change an account', deprecated: true },
    })
    .delete('/:id', ({ ctx, params, body }) => deleteUser(ctx, params.id, body.force ?? false), {
      permission: { of: 'adminUser.delete', admin: true },
      params: IdParams,
      body: UserAdminDeleteDto,
      response: { 200: UserAdminResponseDto },
      detail: { operationId: 'deleteUserAdmin', summary: 'Delete an account' },
    })
    .post('/:id/restore', ({ ctx, params }) => restoreUser(ctx, params.id), {
      permission: { of: 'adminUser.delete', admin: true },
      params: IdParams,
      response: { 200: UserAdminResponseDto },
      detail: { operationId: 'restoreUserAdmin', summary: 'Bring a deleted account back' },
    })
    .get(
      '/:id/preferences',
      ({ ctx, params }) => readPreferences(ctx, params.id, { withDeleted: true }),
      {
        permission: { of: 'adminUser.read', admin: true },
        params: IdParams,
        response: { 200: UserPreferencesResponseDto },
        detail: {
          operationId: 'getUserPreferencesAdmin',
          summary: 'Get the preferences of an account',
        },
      },
    )
    .put('/:id/preferences', ({ ctx, params, body }) => updatePreferences(ctx, params.id, body), {
      permission: { of: 'adminUser.update', admin: true },
      params: IdParams,
      body: UserPreferencesUpdateDto,
      response: { 200: UserPreferencesResponseDto },
      detail: {
        operationId: 'updateUserPreferencesAdmin',
        summary: 'Change the preferences of an account',
        deprecated: true,
      },
    })
    .get('/:id/statistics', ({ ctx, params, query }) => getUserStatistics(ctx, params.id, query), {
      permission: { of: 'adminUser.read', admin: true },
      params: IdParams,
      query: StatisticsQuery,
      response: { 200: AssetStatsResponseDto },
      detail: { operationId: 'getUserStatisticsAdmin', summary: 'Count the items of an account' },
    })
    .get('/:id/sessions', ({ ctx, params }) => getUserSessions(ctx, params.id), {
      permission: { of: 'adminSession.read', admin: true },
      params: IdParams,
      response: { 200: t.Array(SessionResponseDto) },
      detail: {
        operationId: 'getUserSessionsAdmin',
        summary: 'List where an account is logged in',
      },
    })
    .delete(
      '/:id/sessions',
      async ({ ctx, params, status }) => {
        await endUserSessions(ctx, params.id);
        return status(204, undefined);
      },
      {
        permission: { of: 'adminUser.update', admin: true },
        params: IdParams,
        response: { 204: NoContent },
        detail: {
          operationId: 'endUserSessionsAdmin',
          summary: 'Log an account out everywhere',
        },
      },
    );
