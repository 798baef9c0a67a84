import { Elysia } from 'elysia';
import type { Guard } from '../../http/guard.ts';
import { jsonBytesResponse, jsonTextResponse } from '../../http/json.ts';
import { renderSearch, formatSearchResponse, searchSorted, formatSearchAssets } from './domain.ts';
import { GuestOnlyQuery, MetadataSearchDto, SearchResponseDto } from './schemas.ts';
import { SortedSearchDto } from './sorted/sorted.schemas.ts';
import { ask } from './query/ask.domain.ts';
import { searchSmart } from './semantic/smart.domain.ts';
import { AskSearchDto, AskSearchResponseDto, SmartSearchDto } from './semantic/smart.schemas.ts';

export const smartSearchRoutes = (guard: Guard) =>
  new Elysia({ prefix: '/search', tags: ['Search'] })
    .use(guard)
    .post(
      '/smart',
      async ({ ctx, body, request }) =>
        jsonTextResponse(request, formatSearchResponse(await searchSmart(ctx, body))),
      {
        permission: 'asset.read',
        body: SmartSearchDto,
        response: { 200: SearchResponseDto },
        detail: { operationId: 'searchSmart', summary: 'Search items by content' },
      },
    )
    .post(
      '/ask',
      async ({ ctx, body, request }) => {
        const { interpretation, found } = await ask(ctx, body);
        const assets = formatSearchAssets(found);
        const text = `{"interpretation":${JSON.stringify(interpretation)},"assets":${assets}}`;
        return jsonTextResponse(request, text);
      },
      {
        permission: 'asset.read',
        body: AskSearchDto,
        response: { 200: AskSearchResponseDto },
        detail: {
          operationId: 'askSearch',
          summary: 'Search items by a natural-language question',
        },
      },
    );

export const sortedSearchRoutes = (guard: Guard) =>
  new Elysia({ prefix: '/search', tags: ['Search'] })
    .use(guard)
    .post(
      '/sorted',
      async ({ ctx, body, request }) =>
        jsonTextResponse(request, formatSearchResponse(await searchSorted(ctx, body))),
      {
        permission: 'asset.read',
        body: SortedSearchDto,
        response: { 200: SearchResponseDto },
        detail: { operationId: 'searchSorted', summary: 'List the results of a search by time' },
      },
    );

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
