import { Elysia } from 'elysia';
import type { Guard } from '../../../http/guard.ts';
import { BulkIdsDto, NoContent } from '../../../http/schemas.ts';
import { lockAssets, unlockAssets } from './lock.domain.ts';

export const lockRoutes = (guard: Guard) =>
  new Elysia()
    .use(guard)
    .post(
      '/lock',
      async ({ ctx, body, status }) => {
        await lockAssets(ctx, body.ids);
        return status(204, undefined);
      },
      {
        permission: 'asset.update',
        body: BulkIdsDto,
        response: { 204: NoContent },
        detail: { operationId: 'lockAssets', summary: 'Hide assets behind the PIN' },
      },
    )
    .post(
      '/unlock',
      async ({ ctx, body, status }) => {
        await unlockAssets(ctx, body.ids);
        return status(204, undefined);
      },
      {
        permission: { of: 'asset.update', unlocked: true },
        body: BulkIdsDto,
        response: { 204: NoContent },
        detail: { operationId: 'unlockAssets', summary: 'Put locked assets back where they were' },
      },
    );
