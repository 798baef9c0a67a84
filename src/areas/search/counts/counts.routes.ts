import { Elysia, t } from 'elysia';
import type { Guard } from '../../../http/guard.ts';
import { jsonResponse } from '../../../http/json.ts';
import { countByCity } from './cities.domain.ts';
import { getHistogram, searchStatistics } from './counts.domain.ts';
import {
  SearchCityCountResponseDto,
  SearchFacetsDto,
  SearchFacetsResponseDto,
  SearchHistogramDto,
  SearchHistogramResponseDto,
  SearchStatisticsResponseDto,
  StatisticsSearchDto,
} from './counts.schemas.ts';
import { getFacets } from './facets.domain.ts';

/** Counts of matching items: statistics, facets, histogram. */
export const searchCountRoutes = (guard: Guard) =>
  new Elysia({ prefix: '/search', tags: ['Search'] })
    .use(guard)
    .post('/statistics', ({ ctx, body }) => searchStatistics(ctx, body), {
      permission: 'asset.statistics',
      body: StatisticsSearchDto,
      response: { 200: SearchStatisticsResponseDto },
      detail: { operationId: 'searchAssetStatistics', summary: 'Count the results of a search' },
    })
    .post(
      '/facets',
      async ({ ctx, body, request }) => jsonResponse(request, await getFacets(ctx, body)),
      {
        permission: 'asset.read',
        body: SearchFacetsDto,
        response: { 200: SearchFacetsResponseDto },
        detail: { operationId: 'searchFacets', summary: 'Count the results of a search by value' },
      },
    )
    .post(
      '/histogram',
      async ({ ctx, body, request }) => jsonResponse(request, await getHistogram(ctx, body)),
      {
        permission: 'asset.read',
        body: SearchHistogramDto,
        response: { 200: SearchHistogramResponseDto },
        detail: {
          operationId: 'searchHistogram',
          summary: 'Count the results of a search by date',
        },
      },
    )
    .get(
      '/cities/counts',
      async ({ ctx, request }) => jsonResponse(request, await countByCity(ctx)),
      {
        permission: 'asset.read',
        response: { 200: t.Array(SearchCityCountResponseDto) },
        detail: { operationId: 'getCityCounts', summary: 'Count the items of each city' },
      },
    );
