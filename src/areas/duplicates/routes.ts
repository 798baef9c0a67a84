import { Elysia, t } from 'elysia';
import type { Guard } from '../../http/guard.ts';
import { BulkIdResponseDto, BulkIdsDto, IdParams, NoContent } from '../../http/schemas.ts';
import { keepDuplicates, reopenDuplicates, resolveDuplicates } from './decisions.domain.ts';
import { listDuplicates, getSummary } from './domain.ts';
import {
  DuplicateResolveDto,
  DuplicateResponseDto,
  DuplicatesQuery,
  DuplicateSummaryDto,
} from './schemas.ts';

export const duplicateRoutes = (guard: Guard) =>
  new Elysia({ prefix: '/duplicates', tags: ['Duplicates'] })
    .use(guard)
    .get('', ({ ctx, query }) => listDuplicates(ctx, query), {
      permission: 'duplicate.read',
      query: DuplicatesQuery,
      response: { 200: t.Array(DuplicateResponseDto) },
      detail: { operationId: 'getAssetDuplicates', summary: 'List sets of assets that look alike' },
    })
    .get('/summary', ({ ctx }) => getSummary(ctx), {
      permission: 'duplicate.read',
      response: { 200: DuplicateSummaryDto },
      detail: { operationId: 'getDuplicateSummary', summary: 'Count sets and their sizes' },
    })
    .delete(
      '/decisions',
      async ({ ctx, body, status }) => {
        await reopenDuplicates(ctx, body.ids);
        return status(204, undefined);
      },
      {
        permission: 'duplicate.delete',
        body: BulkIdsDto,
        response: { 204: NoContent },
        detail: {
          operationId: 'reopenDuplicates',
          summary: 'Withdraw decisions about sets',
        },
      },
    )
    .delete(
      '',
      async ({ ctx, body, status }) => {
        await keepDuplicates(ctx, body.ids);
        return status(204, undefined);
      },
      {
        permission: 'duplicate.delete',
        body: BulkIdsDto,
        response: { 204: NoContent },
        detail: { operationId: 'deleteDuplicates', summary: 'Keep everything in these sets' },
      },
    )
    .post('/resolve', ({ ctx, body }) => resolveDuplicates(ctx, body.groups), {
      permission: 'duplicate.delete',
      body: DuplicateResolveDto,
      response: { 200: t.Array(BulkIdResponseDto) },
      detail: {
        operationId: 'resolveDuplicates',
        summary: 'Keep some assets of a set, trash the others',
      },
    })
    .delete(
      '/:id',
      async ({ ctx, params, status }) => {
        await keepDuplicates(ctx, [params.id]);
        return status(204, undefined);
      },
      {
        permission: 'duplicate.delete',
        params: IdParams,
        response: { 204: NoContent },
        detail: { operationId: 'deleteDuplicate', summary: 'Keep everything in a set' },
      },
    );
