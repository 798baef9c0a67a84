import { Elysia } from 'elysia';
import type { Guard } from '../../../http/guard.ts';
import { listRawPairs } from './raw-pairs.domain.ts';
import { RawPairsDto, RawPairsQuery } from './raw-pairs.schemas.ts';

export const rawPairRoutes = (guard: Guard) =>
  new Elysia().use(guard).get('/raw-pairs', ({ ctx, query }) => listRawPairs(ctx, query), {
    permission: 'asset.read',
    cancelOnDisconnect: true,
    query: RawPairsQuery,
    response: { 200: RawPairsDto },
    detail: {
      operationId: 'listRawPairs',
      summary: "List the caller's raw photos of which there is a picture, too",
      description:
        'Newest first: uploaded raw photos of the timeline, each with an uploaded picture of the same name, but for ' +
        'its extension, and the same time of capture. The picture may be archived; trashed, locked and hidden ' +
        'assets are left out.',
    },
  });
