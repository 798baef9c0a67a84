import { Elysia, t } from 'elysia';
import type { Guard } from '../../http/guard.ts';
import { ErrorResponseDto, IdParams } from '../../http/schemas.ts';
import {
  confirmOperation,
  createOperation,
  getOperation,
  listOperations,
  prepareOperation,
  undoOperation,
} from './domain.ts';
import {
  ArchiveOperationConfirmDto,
  ArchiveOperationCreateDto,
  ArchiveOperationPrepareDto,
  ArchiveOperationResponseDto,
  ArchiveOperationUndoDto,
} from './schemas.ts';

export const archiveOperationRoutes = (guard: Guard) =>
  new Elysia({ prefix: '/archive-operations', tags: ['Archive operations'] })
    .use(guard)
    .get('', ({ ctx }) => listOperations(ctx), {
      permission: 'asset.update',
      response: { 200: t.Array(ArchiveOperationResponseDto) },
      detail: { operationId: 'listArchiveOperations', summary: 'List the latest operations' },
    })
    .post('', async ({ ctx, body, status }) => status(201, await createOperation(ctx, body)), {
      permission: 'asset.update',
      body: ArchiveOperationCreateDto,
      response: { 201: ArchiveOperationResponseDto },
      detail: { operationId: 'createArchiveOperation', summary: 'Archive a selection' },
    })
    .post(
      '/prepare',
      async ({ ctx, body, status }) => status(201, await prepareOperation(ctx, body.requestId)),
      {
        permission: 'asset.update',
        body: ArchiveOperationPrepareDto,
        response: { 201: ArchiveOperationResponseDto },
        detail: {
          operationId: 'prepareArchiveOperation',
          summary: 'Prepare archiving the whole timeline',
        },
      },
    )
    .get('/:id', ({ ctx, params }) => getOperation(ctx, params.id), {
      permission: 'asset.update',
      params: IdParams,
      response: { 200: ArchiveOperationResponseDto },
      detail: { operationId: 'getArchiveOperation', summary: 'Get one operation' },
    })
    .post(
      '/:id/confirm',
      ({ ctx, params, body }) => confirmOperation(ctx, params.id, body.expectedCount),
      {
        permission: 'asset.update',
        params: IdParams,
        body: ArchiveOperationConfirmDto,
        response: { 200: ArchiveOperationResponseDto, 409: ErrorResponseDto },
        detail: { operationId: 'confirmArchiveOperation', summary: 'Start a prepared operation' },
      },
    )
    .post(
      '/:id/undo',
      ({ ctx, params, body }) => undoOperation(ctx, params.id, body.expectedRevision),
      {
        permission: 'asset.update',
        params: IdParams,
        body: ArchiveOperationUndoDto,
        response: { 200: ArchiveOperationResponseDto, 409: ErrorResponseDto },
        detail: { operationId: 'undoArchiveOperation', summary: 'Undo an archive operation' },
      },
    );
