import { Elysia, t } from 'elysia';
import { findCookie } from '../../access/credentials.ts';
import { LINK_COOKIE, LINK_UNLOCK_SECONDS, addUnlockToken } from '../../access/link-unlock.ts';
import { getClientOrigin } from '../../http/forwarded.ts';
import type { Guard } from '../../http/guard.ts';
import { jsonResponse } from '../../http/json.ts';
import { GuestQuery, IdParams, NoContent } from '../../http/schemas.ts';
import {
  addLinkAssets,
  createLink,
  deleteLink,
  getLink,
  listLinks,
  removeLinkAssets,
  updateLink,
  listLinkStatistics,
} from './domain.ts';
import { unlockLink, getLinkOwner, getMyLink } from './guests.domain.ts';
import {
  AssetIdsDto,
  AssetIdsResponseDto,
  SharedLinkCreateDto,
  SharedLinkEditDto,
  SharedLinkLoginDto,
  SharedLinkOwnerDto,
  SharedLinkQuery,
  SharedLinkResponseDto,
  SharedLinkStatisticsDto,
} from './schemas.ts';

/** A link allows its guests no more than the key of its owner; the first two are for items of others. */
const GRANTS = {
  mayNeed: ['asset.read', 'asset.view', 'asset.download', 'asset.upload'],
} as const;

export const sharedLinkRoutes = (guard: Guard) =>
  new Elysia({ prefix: '/shared-links', tags: ['Shared links'] })
    .use(guard)
    .get(
      '',
      async ({ ctx, query, request }) => jsonResponse(request, await listLinks(ctx, query)),
      {
        permission: 'sharedLink.read',
        query: SharedLinkQuery,
        response: { 200: t.Array(SharedLinkResponseDto) },
        detail: { operationId: 'getAllSharedLinks', summary: "List the caller's links" },
      },
    )
    .post('', async ({ ctx, body, status }) => status(201, await createLink(ctx, body)), {
      permission: { of: 'sharedLink.create', ...GRANTS },
      body: SharedLinkCreateDto,
      response: { 201: SharedLinkResponseDto },
      detail: { operationId: 'createSharedLink', summary: 'Share an album or assets by a link' },
    })
    .get('/statistics', ({ ctx }) => listLinkStatistics(ctx), {
      permission: 'sharedLink.read',
      response: { 200: t.Array(SharedLinkStatisticsDto) },
      detail: {
        operationId: 'getSharedLinkStatistics',
        summary: "List how often guests used the caller's links",
      },
    })
    .use(guestRoutes(guard))
    .get('/:id', ({ ctx, params }) => getLink(ctx, params.id), {
      permission: 'sharedLink.read',
      params: IdParams,
      response: { 200: SharedLinkResponseDto },
      detail: { operationId: 'getSharedLinkById', summary: 'Get one link' },
    })
    .patch('/:id', ({ ctx, params, body }) => updateLink(ctx, params.id, body), {
      permission: { of: 'sharedLink.update', ...GRANTS },
      params: IdParams,
      body: SharedLinkEditDto,
      response: { 200: SharedLinkResponseDto },
      detail: { operationId: 'updateSharedLink', summary: 'Change what a link allows and shows' },
    })
    .delete(
      '/:id',
      async ({ ctx, params, status }) => {
        await deleteLink(ctx, params.id);
        return status(204, undefined);
      },
      {
        permission: 'sharedLink.delete',
        params: IdParams,
        response: { 204: NoContent },
        detail: { operationId: 'removeSharedLink', summary: 'Delete a link; nobody gets in by it' },
      },
    )
    .put('/:id/assets', ({ ctx, params, body }) => addLinkAssets(ctx, params.id, body.assetIds), {
      permission: { of: 'sharedLink.update', ...GRANTS },
      params: IdParams,
      body: AssetIdsDto,
      response: { 200: t.Array(AssetIdsResponseDto) },
      detail: { operationId: 'addSharedLinkAssets', summary: 'Put assets into a link' },
    })
    .delete(
      '/:id/assets',
      ({ ctx, params, body }) => removeLinkAssets(ctx, params.id, body.assetIds),
      {
        permission: 'sharedLink.update',
        params: IdParams,
        body: AssetIdsDto,
        response: { 200: t.Array(AssetIdsResponseDto) },
        detail: { operationId: 'removeSharedLinkAssets', summary: 'Take assets out of a link' },
      },
    );

const guestRoutes = (guard: Guard) =>
  new Elysia()
    .use(guard)
    // Both skip the schema: of a link without metadata, pictures are shown with fewer members.
    .get('/me', async ({ ctx, request }) => jsonResponse(request, await getMyLink(ctx)), {
      permission: { of: 'all', guest: 'only' },
      query: t.Object(GuestQuery),
      response: { 200: SharedLinkResponseDto },
      detail: { operationId: 'getMySharedLink', summary: 'The link that the caller came by' },
    })
    .get('/me/owner', ({ ctx }) => getLinkOwner(ctx), {
      permission: { of: 'all', guest: 'only' },
      query: t.Object(GuestQuery),
      response: { 200: SharedLinkOwnerDto },
      detail: {
        operationId: 'getSharedLinkOwner',
        summary: 'Who shares the link that the caller came by',
      },
    })
    .post(
      '/login',
      async ({ ctx, body, request }) => {
        const { address, isEncrypted } = getClientOrigin(request, ctx.settings);
        const { link, token } = await unlockLink(ctx, body.password, address);
        const value = addUnlockToken(findCookie(request, LINK_COOKIE), token, ctx.now());
        const secure = isEncrypted ? '; Secure' : '';
        const cookie = `${LINK_COOKIE}=${value}; HttpOnly; Path=/; Max-Age=${LINK_UNLOCK_SECONDS}; SameSite=Lax${secure}`;
        return Response.json(link, { status: 201, headers: { 'set-cookie': cookie } });
      },
      {
        permission: { of: 'all', guest: 'only', beforePassword: true },
        query: t.Object(GuestQuery),
        body: SharedLinkLoginDto,
        response: { 201: SharedLinkResponseDto },
        detail: { operationId: 'sharedLinkLogin', summary: 'Enter the password of a link' },
      },
    );
