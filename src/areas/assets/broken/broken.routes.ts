import { Elysia } from 'elysia';
import type { Guard } from '../../../http/guard.ts';
import { getBrokenCount, listBroken } from './broken.domain.ts';
import { BrokenAssetCountDto, BrokenAssetsDto, BrokenAssetsQuery } from './broken.schemas.ts';

export const brokenRoutes = (guard: Guard) =>
  new Elysia()
    .use(guard)
    .get('/broken', ({ ctx, query }) => listBroken(ctx, query), {
      permission: 'asset.read',
      query: BrokenAssetsQuery,
      response: { 200: BrokenAssetsDto },
      detail: {
        operationId: 'listBrokenAssets',
        summary: "List the caller's assets whose files could not be decoded",
        description:
          'Latest uploads first. Trashed assets are left out, and locked ones unless Locked is open. The job ' +
          '`regenerate-thumbnail` of `POST /assets/jobs` tries again.',
      },
    })
    .get('/broken/count', ({ ctx }) => getBrokenCount(ctx), {
      permission: { of: 'server.statistics', admin: true },
      response: { 200: BrokenAssetCountDto },
      detail: {
        operationId: 'countBrokenAssets',
        summary: 'Count the assets of all accounts whose files could not be decoded',
        description: 'Trashed and locked assets are left out.',
      },
    });
