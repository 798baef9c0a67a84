import { Elysia } from 'elysia';
import type { Guard } from '../../../http/guard.ts';
import { NoContent } from '../../../http/schemas.ts';
import { MetadataChangeResponseDto } from '../schemas.ts';
import { acceptProposals, dismissProposals, listProposals } from './domain.ts';
import {
  ProposalPageDto,
  ProposalsAcceptDto,
  ProposalsDismissDto,
  ProposalsQuery,
} from './schemas.ts';

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
