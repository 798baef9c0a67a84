import { Elysia, t } from 'elysia';
import type { Guard } from '../../http/guard.ts';
import { BulkIdResponseDto, BulkIdsDto, IdParams, NoContent } from '../../http/schemas.ts';
import { keepAll, listDuplicates, resolveDuplicates } from './domain.ts';
import { DuplicateResolveDto, DuplicateResponseDto } from './schemas.ts';

export const duplicateRoutes = (guard: Guard) =>
  new Elysia({ prefix: '/duplicates', tags: ['Duplicates'] })
    .use(guard)
    .get('', ({ ctx }) => listDuplicates(ctx), {
      permission: 'duplicate.read',
      response: { 200: t.Array(DuplicateResponseDto) },
      detail: { operationId: 'getAssetDuplicates', summary: 'List sets of assets that look alike' },
    })
    .delete(
      '',
      async ({ ctx, body, status }) => {
        await keepAll(ctx, body.ids);
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
      detail: { operationId: 'resolveDuplicates', summary: 'Keep some of a set, trash others' },
    })
    .delete(
      '/:id',
      async ({ ctx, params, status }) => {
        await keepAll(ctx, [params.id]);
        return status(204, undefined);
      },
      {
        permission: 'duplicate.delete',
        params: IdParams,
        response: { 204: NoContent },
        detail: { operationId: 'deleteDuplicate', summary: 'Keep everything in a set' },
      },
    );
