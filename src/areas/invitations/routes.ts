import { Elysia, t } from 'elysia';
import { getClientOrigin } from '../../http/forwarded.ts';
import type { Guard } from '../../http/guard.ts';
import { IdParams, NoContent } from '../../http/schemas.ts';
import { loginCookies, LoginResponseDto, readDevice, refuseOtherSites } from '../auth/index.ts';
import {
  acceptInvitation,
  createInvitation,
  listInvitations,
  openInvitation,
  revokeInvitation,
} from './domain.ts';
import {
  InvitationAcceptDto,
  InvitationCreateDto,
  InvitationDto,
  InvitationTokenDto,
  NewInvitationDto,
  OpenInvitationDto,
} from './schemas.ts';

export const invitationAdminRoutes = (guard: Guard) =>
  new Elysia({ prefix: '/admin/invitations', tags: ['Users (admin)'] })
    .use(guard)
    .get('', ({ ctx }) => listInvitations(ctx), {
      permission: { of: 'adminUser.read', admin: true },
      response: { 200: t.Array(InvitationDto) },
      detail: { operationId: 'listInvitations', summary: 'List the open invitations' },
    })
    .post('', async ({ ctx, body, status }) => status(201, await createInvitation(ctx, body)), {
      permission: { of: 'adminUser.create', admin: true },
      body: InvitationCreateDto,
      response: { 201: NewInvitationDto },
      detail: { operationId: 'createInvitation', summary: 'Invite a person by a link, once' },
    })
    .delete(
      '/:id',
      async ({ ctx, params, status }) => {
        await revokeInvitation(ctx, params.id);
        return status(204, undefined);
      },
      {
        permission: { of: 'adminUser.delete', admin: true },
        params: IdParams,
        response: { 204: NoContent },
        detail: { operationId: 'revokeInvitation', summary: 'Revoke an invitation' },
      },
    );

// The token is part of the body: addresses are written to logs.
export const invitationRoutes = (guard: Guard) =>
  new Elysia({ prefix: '/invitations', tags: ['Authentication'] })
    .use(guard)
    .post(
      '/open',
      async ({ ctx, body, request }) => {
        const { address } = getClientOrigin(request, ctx.settings);
        return openInvitation(ctx, body.token, address);
      },
      {
        open: true,
        body: InvitationTokenDto,
        response: { 200: OpenInvitationDto },
        detail: { operationId: 'openInvitation', summary: 'Get the invitation of a link' },
      },
    )
    .post(
      '/accept',
      async ({ ctx, body, request, set, status }) => {
        const caller = getClientOrigin(request, ctx.settings);
        refuseOtherSites(request, caller);
        const { address, isEncrypted } = caller;
        const device = readDevice(request.headers);
        const login = await acceptInvitation(ctx, body, { address, device });
        set.headers['set-cookie'] = loginCookies(login.accessToken, isEncrypted);
        return status(201, login);
      },
      {
        open: true,
        body: InvitationAcceptDto,
        response: { 201: LoginResponseDto },
        detail: { operationId: 'acceptInvitation', summary: 'Make the account of an invitation' },
      },
    );
