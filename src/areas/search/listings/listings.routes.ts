import { toJsonArray } from '../../../core/json-bytes.ts';
import { Elysia, t } from 'elysia';
import type { Guard } from '../../../http/guard.ts';
import { jsonBytesResponse, jsonTextResponse } from '../../../http/json.ts';
import { AssetPersonDto, AssetResponseDto } from '../../assets/index.ts';
import { listCompletions } from '../completions/completions.domain.ts';
import { CompletionsParameters, SearchCompletionDto } from '../completions/completions.schemas.ts';
import { renderCities, renderExplore } from '../counts/cities.domain.ts';
import { listLargeAssets, searchRandom, suggest, findPlaces } from './listings.domain.ts';
import {
  LargeAssetsParameters,
  PersonParameters,
  PlacesParameters,
  PlacesResponseDto,
  RandomSearchDto,
  SearchExploreResponseDto,
  Suggestions,
  SuggestionsParameters,
} from './listings.schemas.ts';
import { findPeopleByName } from '../../people/index.ts';

const Assets = t.Array(AssetResponseDto);

/** Lists without pages. */
export const listingRoutes = (guard: Guard) =>
  new Elysia({ prefix: '/search', tags: ['Search'] })
    .use(guard)
    .get(
      '/cities',
      async ({ ctx, request }) => jsonBytesResponse(request, await renderCities(ctx)),
      {
        permission: { of: 'asset.read', isRemembered: true },
        response: { 200: Assets },
        detail: { operationId: 'getAssetsByCity', summary: 'List one item of each city' },
      },
    )
    .get(
      '/explore',
      async ({ ctx, request }) => jsonBytesResponse(request, await renderExplore(ctx)),
      {
        permission: { of: 'asset.read', isRemembered: true },
        response: { 200: t.Array(SearchExploreResponseDto) },
        detail: { operationId: 'getExploreData', summary: 'List the cities with the most items' },
      },
    )
    .post(
      '/large-assets',
      async ({ ctx, query, request }) =>
        jsonTextResponse(request, toJsonArray(await listLargeAssets(ctx, query))),
      {
        permission: 'asset.read',
        query: LargeAssetsParameters,
        response: { 200: Assets },
        detail: { operationId: 'searchLargeAssets', summary: 'List the largest files' },
      },
    )
    .post(
      '/random',
      async ({ ctx, body, request }) =>
        jsonTextResponse(request, toJsonArray(await searchRandom(ctx, body))),
      {
        permission: 'asset.read',
        body: RandomSearchDto,
        response: { 200: Assets },
        detail: { operationId: 'searchRandom', summary: 'List random items' },
      },
    )
    .get('/suggestions', ({ ctx, query }) => suggest(ctx, query), {
      permission: 'asset.read',
      query: SuggestionsParameters,
      response: { 200: Suggestions },
      detail: { operationId: 'getSearchSuggestions', summary: 'List the values of a field' },
    })
    .get('/completions', ({ ctx, query }) => listCompletions(ctx, query), {
      permission: 'asset.read',
      query: CompletionsParameters,
      response: { 200: t.Array(SearchCompletionDto) },
      detail: {
        operationId: 'getSearchCompletions',
        summary: 'Complete what was typed by names of the library',
      },
    })
    .get('/places', ({ query }) => findPlaces(query.name), {
      permission: 'asset.read',
      query: PlacesParameters,
      response: { 200: t.Array(PlacesResponseDto) },
      detail: { operationId: 'searchPlaces', summary: 'Find towns of the world by name' },
    })
    .get(
      '/person',
      ({ ctx, query }) => findPeopleByName(ctx, query.name, query.withHidden === true),
      {
        permission: 'person.read',
        query: PersonParameters,
        response: { 200: t.Array(AssetPersonDto) },
        detail: { operationId: 'searchPerson', summary: 'Find people by name' },
      },
    );
