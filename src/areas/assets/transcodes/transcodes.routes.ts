import { Elysia } from 'elysia';
import type { Guard } from '../../../http/guard.ts';
import { NoContent } from '../../../http/schemas.ts';
import { getTranscodes, startDeletion } from './transcodes.domain.ts';
import { DeleteTranscodesQuery, TranscodesDto } from './transcodes.schemas.ts';

export const transcodeRoutes = (guard: Guard) =>
  new Elysia({ prefix: '/admin/storage/transcodes', tags: ['Server'] })
    .use(guard)
    .get('', ({ ctx }) => getTranscodes(ctx), {
      permission: { of: 'server.statistics', admin: true },
      response: { 200: TranscodesDto },
      detail: { operationId: 'getTranscodes', summary: 'Count converted videos' },
    })
    .delete(
      '',
      async ({ ctx, query, status }) => {
        await startDeletion(ctx, query);
        return status(204, undefined);
      },
      {
        permission: { of: 'maintenance', admin: true },
        query: DeleteTranscodesQuery,
        response: { 204: NoContent },
        detail: {
          operationId: 'deleteTranscodes',
          summary: 'Delete converted videos, which are made again when they are played',
        },
      },
    );
