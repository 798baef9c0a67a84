import { Elysia, t } from 'elysia';
import type { Guard } from '../../http/guard.ts';
import { IdParams, NoContent } from '../../http/schemas.ts';
import {
  createChild,
  deleteOtherSessions,
  deleteSession,
  listSessions,
  lockSession,
  updateSession,
} from './domain.ts';
import {
  SessionCreateDto,
  SessionCreateResponseDto,
  SessionResponseDto,
  SessionUpdateDto,
} from './schemas.ts';

export const sessionRoutes = (guard: Guard) =>
  new Elysia({ prefix: '/sessions', tags: ['Sessions'] })
    .use(guard)
    .get('', ({ ctx }) => listSessions(ctx), {
      permission: 'session.read',
      response: { 200: t.Array(SessionResponseDto) },
      detail: { operationId: 'getSessions', summary: 'List where the caller is logged in' },
    })
    .post('', async ({ ctx, body, status }) => status(201, await createChild(ctx, body)), {
      permission: 'session.create',
      body: SessionCreateDto,
      response: { 201: SessionCreateResponseDto },
      detail: { operationId: 'createSession', summary: 'Create a session for another device' },
    })
    .delete(
      '',
      async ({ ctx, status }) => {
        await deleteOtherSessions(ctx);
        return status(204, undefined);
      },
      {
        permission: 'session.delete',
        response: { 204: NoContent },
        detail: { operationId: 'deleteAllSessions', summary: 'End all other sessions' },
      },
    )
    .put('/:id', ({ ctx, params, body }) => updateSession(ctx, params.id, body), {
      permission: 'session.update',
      params: IdParams,
      body: SessionUpdateDto,
      response: { 200: SessionResponseDto },
      detail: {
        operationId: 'updateSession',
        summary: 'Ask a device to sync from the start',
        deprecated: true,
      },
    })
    .delete(
      '/:id',
      async ({ ctx, params, status }) => {
        await deleteSession(ctx, params.id);
        return status(204, undefined);
      },
      {
        permission: 'session.delete',
        params: IdParams,
        response: { 204: NoContent },
        detail: { operationId: 'deleteSession', summary: 'End a session' },
      },
    )
    .post(
      '/:id/lock',
      async ({ ctx, params, status }) => {
        await lockSession(ctx, params.id);
        return status(204, undefined);
      },
      {
        permission: 'session.lock',
        params: IdParams,
        response: { 204: NoContent },
        detail: { operationId: 'lockSession', summary: 'Hide Locked media in a session' },
      },
    );
