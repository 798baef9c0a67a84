import { Elysia, t } from 'elysia';
import type { Guard } from '../../http/guard.ts';
import { IdParams, NoContent } from '../../http/schemas.ts';
import { createPartner, listPartners, removePartner, updatePartner } from './domain.ts';
import { PartnerCreateDto, PartnerQuery, PartnerResponseDto, PartnerUpdateDto } from './schemas.ts';

export const partnerRoutes = (guard: Guard) =>
  new Elysia({ prefix: '/partners', tags: ['Partners'] })
    .use(guard)
    .get('', ({ ctx, query }) => listPartners(ctx, query.direction), {
      permission: 'partner.read',
      query: PartnerQuery,
      response: { 200: t.Array(PartnerResponseDto) },
      detail: { operationId: 'getPartners', summary: 'List partners of one direction' },
    })
    .post('', async ({ ctx, body, status }) => status(201, await createPartner(ctx, body)), {
      permission: 'partner.create',
      body: PartnerCreateDto,
      response: { 201: PartnerResponseDto },
      detail: { operationId: 'createPartner', summary: 'Share the own Timeline with an account' },
    })
    .post(
      '/:id',
      async ({ ctx, params, status }) =>
        status(201, await createPartner(ctx, { sharedWithId: params.id })),
      {
        permission: 'partner.create',
        params: IdParams,
        response: { 201: PartnerResponseDto },
        detail: {
          operationId: 'createPartnerDeprecated',
          summary: 'The same, with the account in the path',
          deprecated: true,
        },
      },
    )
    .put('/:id', ({ ctx, params, body }) => updatePartner(ctx, params.id, body), {
      permission: 'partner.update',
      params: IdParams,
      body: PartnerUpdateDto,
      response: { 200: PartnerResponseDto },
      detail: {
        operationId: 'updatePartner',
        summary: "Mix a partner's items into the Timeline, or hide the own places",
      },
    })
    .delete(
      '/:id',
      async ({ ctx, params, status }) => {
        await removePartner(ctx, params.id);
        return status(204, undefined);
      },
      {
        permission: 'partner.delete',
        params: IdParams,
        response: { 204: NoContent },
        detail: { operationId: 'removePartner', summary: 'Stop sharing with an account, at once' },
      },
    );
