import { Elysia, t } from 'elysia';
import type { Guard } from '../../http/guard.ts';
import { ErrorResponseDto, IdParams } from '../../http/schemas.ts';
import { decideField, deleteFieldDecision } from './decisions.domain.ts';
import { getDocument, listDocuments, listAssetOcr } from './domain.ts';
import { editLine, deleteLineEdit } from './lines.domain.ts';
import {
  AssetOcrResponseDto,
  DocumentFieldEditDto,
  DocumentLineEditDto,
  DocumentResponseDto,
  DocumentSearchResponseDto,
  DocumentsQuery,
  EditParams,
  FieldParams,
  RevisionQuery,
} from './schemas.ts';

export const documentRoutes = (guard: Guard) =>
  new Elysia({ tags: ['Documents'] })
    .use(guard)
    .get('/documents', ({ ctx, query }) => listDocuments(ctx, query), {
      permission: 'asset.read',
      cancelOnDisconnect: true,
      query: DocumentsQuery,
      response: { 200: DocumentSearchResponseDto },
      detail: {
        operationId: 'getDocuments',
        summary: "List the caller's documents, or all photos that show a text",
      },
    })
    .get('/documents/:id', ({ ctx, params }) => getDocument(ctx, params.id), {
      permission: 'asset.read',
      params: IdParams,
      response: { 200: DocumentResponseDto },
      detail: { operationId: 'getDocument', summary: 'Get the text of a photo, line by line' },
    })
    .put(
      '/documents/:id/fields/:field',
      ({ ctx, params, body }) => decideField(ctx, params.id, params.field, body),
      {
        permission: 'asset.update',
        params: FieldParams,
        body: DocumentFieldEditDto,
        response: { 200: DocumentResponseDto, 409: ErrorResponseDto },
        detail: {
          operationId: 'decideDocumentField',
          summary: 'Confirm, correct or dismiss a suggested value',
        },
      },
    )
    .delete(
      '/documents/:id/fields/:field',
      ({ ctx, params, query }) => deleteFieldDecision(ctx, params.id, params.field, query.revision),
      {
        permission: 'asset.update',
        params: FieldParams,
        query: RevisionQuery,
        response: { 200: DocumentResponseDto, 409: ErrorResponseDto },
        detail: {
          operationId: 'deleteDocumentField',
          summary: 'Delete the decision about a field',
        },
      },
    )
    .put('/documents/:id/lines', ({ ctx, params, body }) => editLine(ctx, params.id, body), {
      permission: 'asset.update',
      params: IdParams,
      body: DocumentLineEditDto,
      response: { 200: DocumentResponseDto, 409: ErrorResponseDto },
      detail: { operationId: 'editDocumentLine', summary: 'Correct or dismiss a recognized line' },
    })
    .delete(
      '/documents/:id/lines/:editId',
      ({ ctx, params, query }) => deleteLineEdit(ctx, params.id, params.editId, query.revision),
      {
        permission: 'asset.update',
        params: EditParams,
        query: RevisionQuery,
        response: { 200: DocumentResponseDto, 409: ErrorResponseDto },
        detail: {
          operationId: 'deleteDocumentLineEdit',
          summary: 'Show a line again as it was recognized',
        },
      },
    )
    .get('/assets/:id/ocr', ({ ctx, params }) => listAssetOcr(ctx, params.id), {
      permission: 'asset.read',
      params: IdParams,
      response: { 200: t.Array(AssetOcrResponseDto) },
      detail: {
        operationId: 'getAssetOcr',
        summary: 'Recognized lines of an asset',
        tags: ['Assets'],
      },
    });
