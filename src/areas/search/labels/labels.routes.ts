import { Elysia, t } from 'elysia';
import type { Guard } from '../../../http/guard.ts';
import { IdParams, NoContent } from '../../../http/schemas.ts';
import { listAssetLabels, updateAssetLabel } from './labels.domain.ts';
import { AssetLabelDto, AssetLabelUpdateDto, LabelsQuery } from './labels.schemas.ts';

export const labelRoutes = (guard: Guard) =>
  new Elysia({ prefix: '/assets', tags: ['Search'] })
    .use(guard)
    .get(
      '/:id/labels',
      ({ ctx, params, query }) => listAssetLabels(ctx, params.id, query.language),
      {
        permission: 'asset.read',
        params: IdParams,
        query: LabelsQuery,
        response: { 200: t.Array(AssetLabelDto) },
        detail: { operationId: 'getAssetLabels', summary: 'List what models see in a picture' },
      },
    )
    .put(
      '/:id/labels',
      async ({ ctx, params, body, status }) => {
        await updateAssetLabel(ctx, params.id, body);
        return status(204, undefined);
      },
      {
        permission: 'asset.update',
        params: IdParams,
        body: AssetLabelUpdateDto,
        response: { 204: NoContent },
        detail: { operationId: 'updateAssetLabel', summary: 'Confirm or remove a label' },
      },
    );
