import { Elysia } from 'elysia';
import type { Guard } from '../../http/guard.ts';
import { IdParams } from '../../http/schemas.ts';
import { createChange, previewChange, undoChange } from './domain.ts';
import {
  MetadataChangeDto,
  MetadataChangeResponseDto,
  MetadataPreviewResponseDto,
  MetadataUndoResponseDto,
} from './schemas.ts';

export const metadataChangeRoutes = (guard: Guard) =>
  new Elysia({ prefix: '/metadata-changes', tags: ['Metadata changes'] })
    .use(guard)
    .post('', async ({ ctx, body, status }) => status(201, await createChange(ctx, body)), {
      permission: 'asset.update',
      body: MetadataChangeDto,
      response: { 201: MetadataChangeResponseDto },
      detail: {
        operationId: 'createMetadataChange',
        summary: 'Change dates, places, ratings and descriptions of many items',
      },
    })
    .post('/preview', ({ ctx, body }) => previewChange(ctx, body), {
      permission: 'asset.update',
      body: MetadataChangeDto,
      response: { 200: MetadataPreviewResponseDto },
      detail: { operationId: 'previewMetadataChange', summary: 'Show what a change would do' },
    })
    .post('/:id/undo', ({ ctx, params }) => undoChange(ctx, params.id), {
      permission: 'asset.update',
      params: IdParams,
      response: { 200: MetadataUndoResponseDto },
      detail: { operationId: 'undoMetadataChange', summary: 'Restore what a change replaced' },
    });
