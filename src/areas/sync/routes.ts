import { Elysia, t } from 'elysia';
import type { Guard } from '../../http/guard.ts';
import { toByteStream } from '../../http/json-list.ts';
import { Binary, NoContent } from '../../http/schemas.ts';
import { deleteAcks, listAcks, saveAcks } from './domain.ts';
import { SyncAckDeleteDto, SyncAckDto, SyncAckSetDto, SyncStreamDto } from './schemas.ts';
import { openStream } from './stream.domain.ts';

export const syncRoutes = (guard: Guard) =>
  new Elysia({ prefix: '/sync', tags: ['Sync'] })
    .use(guard)
    .post('/stream', async ({ ctx, body }) => streamed(await openStream(ctx, body)), {
      permission: { of: 'sync.stream', session: true },
      body: SyncStreamDto,
      response: { 200: Binary },
      detail: { operationId: 'getSyncStream', summary: 'Bring a copy of the library up to date' },
    })
    .get('/ack', ({ ctx }) => listAcks(ctx), {
      permission: { of: 'syncCheckpoint.read', session: true },
      response: { 200: t.Array(SyncAckDto) },
      detail: { operationId: 'getSyncAck', summary: 'List how far the copy of this session is' },
    })
    .post(
      '/ack',
      async ({ ctx, body, status }) => {
        await saveAcks(ctx, body.acks);
        return status(204, undefined);
      },
      {
        permission: { of: 'syncCheckpoint.update', session: true },
        body: SyncAckSetDto,
        response: { 204: NoContent },
        detail: { operationId: 'sendSyncAck', summary: 'Say what the copy has kept' },
      },
    )
    .delete(
      '/ack',
      async ({ ctx, body, status }) => {
        await deleteAcks(ctx, body.types);
        return status(204, undefined);
      },
      {
        permission: { of: 'syncCheckpoint.delete', session: true },
        body: SyncAckDeleteDto,
        response: { 204: NoContent },
        detail: { operationId: 'deleteSyncAck', summary: 'Have types sent from the start' },
      },
    );

/** A page is made when the client has taken the one before it. */
const streamed = (lines: AsyncGenerator<string, void>): Response =>
  new Response(toByteStream(lines), {
    headers: { 'content-type': 'application/jsonlines+json', 'cache-control': 'no-store' },
  });
