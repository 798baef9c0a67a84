import { Elysia } from 'elysia';
import type { Guard } from '../../http/guard.ts';
import { jsonTextResponse } from '../../http/json.ts';
import { searchMetadata } from './domain.ts';
import { formatSearchResponse } from './page-json.ts';
import { GuestOnlyQuery, MetadataSearchDto, SearchResponseDto } from './schemas.ts';

export const searchRoutes = (guard: Guard) =>
  new Elysia({ prefix: '/search', tags: ['Search'] })
    .use(guard)
    .post(
      '/metadata',
      async ({ ctx, body, request }) =>
        jsonTextResponse(request, formatSearchResponse(await searchMetadata(ctx, body))),
      {
        permission: { of: 'asset.read', guest: true },
        query: GuestOnlyQuery,
        body: MetadataSearchDto,
        response: { 200: SearchResponseDto },
        detail: { operationId: 'searchAssets', summary: 'Search assets by metadata' },
      },
    );
