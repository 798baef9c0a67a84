import { Elysia } from 'elysia';
import type { Guard } from '../../http/guard.ts';
import { jsonBytesResponse } from '../../http/json.ts';
import { renderSearch } from './domain.ts';
import { GuestOnlyQuery, MetadataSearchDto, SearchResponseDto } from './schemas.ts';

export const searchRoutes = (guard: Guard) =>
  new Elysia({ prefix: '/search', tags: ['Search'] })
    .use(guard)
    .post(
      '/metadata',
      async ({ ctx, body, request }) => jsonBytesResponse(request, await renderSearch(ctx, body)),
      {
        permission: { of: 'asset.read', guest: true, isRemembered: true },
        query: GuestOnlyQuery,
        body: MetadataSearchDto,
        response: { 200: SearchResponseDto },
        detail: { operationId: 'searchAssets', summary: 'Search assets by metadata' },
      },
    );
