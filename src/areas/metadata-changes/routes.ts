import { Elysia } from 'elysia';
import type { Guard } from '../../http/guard.ts';
import { IdParams, NoContent } from '../../http/schemas.ts';
import { createChange, previewChange, undoChange } from './domain.ts';
import {
  MetadataChangeDto,
  MetadataChangeResponseDto,
  MetadataPreviewResponseDto,
  MetadataUndoResponseDto,
} from './schemas.ts';
import { acceptProposals, dismissProposals, listProposals } from './proposals/domain.ts';
import {
  ProposalPageDto,
  ProposalsAcceptDto,
  ProposalsDismissDto,
  ProposalsQuery,
} from './proposals/schemas.ts';

export const metadataProposalRoutes = (guard: Guard) =>
  new Elysia({ prefix: '/metadata-proposals', tags: ['Metadata changes'] })
    .use(guard)
    .get('', ({ ctx, query }) => listProposals(ctx, query), {
      permission: 'asset.read',
      cancelOnDisconnect: true,
      query: ProposalsQuery,
      response: { 200: ProposalPageDto },
      detail: {
        operationId: 'listMetadataProposals',
        summary: 'List items without a date or place, and what these may be',
      },
    })
    .post(
      '/accept',
      async ({ ctx, body, status }) => status(201, await acceptProposals(ctx, body)),
      {
        permission: 'asset.update',
        body: ProposalsAcceptDto,
        response: { 201: MetadataChangeResponseDto },
        detail: { operationId: 'acceptMetadataProposals', summary: 'Save what is proposed' },
      },
    )
    .put(
      '/dismissed',
      async ({ ctx, body, status }) => {
        await dismissProposals(ctx, body);
        return status(204, undefined);
      },
      {
        permission: 'asset.update',
        body: ProposalsDismissDto,
        response: { 204: NoContent },
        detail: {
          operationId: 'dismissMetadataProposals',
          summary: 'Leave items out of the list, or show them again',
        },
      },
    );

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
