import { Elysia, t } from 'elysia';
import type { Guard } from '../../../http/guard.ts';
import { saveAssets } from './save.domain.ts';
import { SaveAssetsDto, SavedAssetDto } from './save.schemas.ts';

export const saveRoutes = (guard: Guard) =>
  new Elysia({ prefix: '/assets', tags: ['Assets'] })
    .use(guard)
    .post('/save', ({ ctx, body }) => saveAssets(ctx, body.ids), {
      permission: { of: 'asset.upload', also: ['asset.download'], renewable: true },
      body: SaveAssetsDto,
      response: { 200: t.Array(SavedAssetDto) },
      detail: {
        operationId: 'saveAssets',
        summary: "Add copies of others' assets to the caller's own library",
      },
    });
