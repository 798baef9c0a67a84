import { Elysia } from 'elysia';
import type { Guard } from '../../http/guard.ts';
import { ErrorResponseDto, IdParams, NoContent } from '../../http/schemas.ts';
import { cancelPull, chooseModel, confirmModel, getOverview, startPull } from './domain.ts';
import {
  ModelOverviewDto,
  ModelPullCreateDto,
  ModelPullDto,
  SearchModelChoiceDto,
} from './schemas.ts';

export const modelRoutes = (guard: Guard) =>
  new Elysia({ prefix: '/admin/models', tags: ['Models'] })
    .use(guard)
    .get('', ({ ctx }) => getOverview(ctx), {
      permission: { of: 'adminConfig.read', admin: true },
      response: { 200: ModelOverviewDto },
      detail: {
        operationId: 'getModels',
        summary: 'List the models that can be downloaded, and those of the search',
      },
    })
    .post('/pulls', async ({ ctx, body, status }) => status(201, await startPull(ctx, body.set)), {
      permission: { of: 'adminConfig.update', admin: true },
      body: ModelPullCreateDto,
      response: { 201: ModelPullDto, 507: ErrorResponseDto },
      detail: { operationId: 'startModelPull', summary: 'Download a set of models' },
    })
    .delete(
      '/pulls/:id',
      async ({ ctx, params, status }) => {
        await cancelPull(ctx, params.id);
        return status(204, undefined);
      },
      {
        permission: { of: 'adminConfig.update', admin: true },
        params: IdParams,
        response: { 204: NoContent, 404: ErrorResponseDto },
        detail: {
          operationId: 'cancelModelPull',
          summary: 'Cancel a download; the next one goes on where it stopped',
        },
      },
    )
    .put('/search', ({ ctx, body }) => chooseModel(ctx, body.name), {
      permission: { of: 'adminConfig.update', admin: true },
      body: SearchModelChoiceDto,
      response: { 200: ModelOverviewDto },
      detail: { operationId: 'chooseSearchModel', summary: 'Choose the model of the search' },
    })
    .post('/search/confirm', ({ ctx }) => confirmModel(ctx), {
      permission: { of: 'adminConfig.update', admin: true },
      response: { 200: ModelOverviewDto, 409: ErrorResponseDto },
      detail: {
        operationId: 'confirmSearchModel',
        summary: 'Keep the model of the search, and delete what others have found',
      },
    });
