import { Elysia, t } from 'elysia';
import type { Guard } from '../../http/guard.ts';
import { NoContent, Uuid } from '../../http/schemas.ts';
import { deleteAssets } from '../trash/index.ts';

const AssetBulkDeleteDto = t.Object(
  { ids: t.Array(Uuid, { maxItems: 65_000 }), force: t.Optional(t.Boolean()) },
  { title: 'AssetBulkDeleteDto' },
);

export const deleteRoutes = (guard: Guard) =>
  new Elysia().use(guard).delete(
    '',
    async ({ ctx, body, status }) => {
      await deleteAssets(ctx, body.ids, { force: body.force ?? false });
      return status(204, undefined);
    },
    {
      permission: 'asset.delete',
      body: AssetBulkDeleteDto,
      response: { 204: NoContent },
      detail: { operationId: 'deleteAssets', summary: 'Trash assets, or delete them for good' },
    },
  );
