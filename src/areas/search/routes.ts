import { Elysia, t } from 'elysia';
import type { Guard } from '../../http/guard.ts';
import { jsonBytesResponse, jsonTextResponse } from '../../http/json.ts';
import { renderSearch, formatSearchResponse, searchSorted, formatSearchAssets } from './domain.ts';
import { GuestOnlyQuery, MetadataSearchDto, SearchResponseDto } from './schemas.ts';
import { SortedSearchDto } from './sorted/sorted.schemas.ts';
import { ask } from './query/ask.domain.ts';
import { searchSmart } from './semantic/smart.domain.ts';
import { AskSearchDto, AskSearchResponseDto, SmartSearchDto } from './semantic/smart.schemas.ts';
import { IdParams, NoContent } from '../../http/schemas.ts';
import { deleteSavedSearch, listSavedSearches, saveSearch } from './saved/saved.domain.ts';
import { SavedSearchCreateDto, SavedSearchDto } from './saved/saved.schemas.ts';

export const savedSearchRoutes = (guard: Guard) =>
  new Elysia({ prefix: '/search/saved', tags: ['Search'] })
    .use(guard)
    .get('', ({ ctx }) => listSavedSearches(ctx), {
      permission: 'userPreference.read',
      response: { 200: t.Array(SavedSearchDto) },
      detail: { operationId: 'getSavedSearches', summary: "List the caller's saved searches" },
    })
    .post('', async ({ ctx, body, status }) => status(201, await saveSearch(ctx, body)), {
      permission: 'userPreference.update',
      body: SavedSearchCreateDto,
      response: { 201: SavedSearchDto },
      detail: { operationId: 'saveSearch', summary: 'Save a search under a name' },
    })
    .delete(
      '/:id',
      async ({ ctx, params, status }) => {
        await deleteSavedSearch(ctx, params.id);
        return status(204, undefined);
      },
      {
        permission: 'userPreference.update',
        params: IdParams,
        response: { 204: NoContent },
        detail: { operationId: 'deleteSavedSearch', summary: 'Delete a saved search' },
      },
    );

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
