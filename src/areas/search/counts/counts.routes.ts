import { Elysia, t } from 'elysia';
import type { Guard } from '../../../http/guard.ts';
import { jsonBytesResponse } from '../../../http/json.ts';
import { renderCityCounts } from './cities.domain.ts';
import { renderHistogram, renderStatistics } from './counts.domain.ts';
import {
  SearchCityCountResponseDto,
  SearchFacetsDto,
  SearchFacetsResponseDto,
  SearchHistogramDto,
  SearchHistogramResponseDto,
  SearchStatisticsResponseDto,
  StatisticsSearchDto,
} from './counts.schemas.ts';
import { renderFacets } from './facets.domain.ts';

/** Counts of matching items: statistics, facets, histogram. */
export const searchCountRoutes = (guard: Guard) =>
  new Elysia({ prefix: '/search', tags: ['Search'] })
    .use(guard)
    .post(
      '/statistics',
      async ({ ctx, body, request }) =>
        jsonBytesResponse(request, await renderStatistics(ctx, body)),
      {
        permission: { of: 'asset.statistics', isRemembered: true },
        body: StatisticsSearchDto,
        response: { 200: SearchStatisticsResponseDto },
        detail: { operationId: 'searchAssetStatistics', summary: 'Count the results of a search' },
      },
    )
    .post(
      '/facets',
      async ({ ctx, body, request }) => jsonBytesResponse(request, await renderFacets(ctx, body)),
      {
        permission: {
          of: 'asset.read',
          mayNeed: ['person.read', 'tag.read'],
          isRemembered: true,
        },
        body: SearchFacetsDto,
        response: { 200: SearchFacetsResponseDto },
        detail: { operationId: 'searchFacets', summary: 'Count the results of a search by value' },
      },
    )
    .post(
      '/histogram',
      async ({ ctx, body, request }) =>
        jsonBytesResponse(request, await renderHistogram(ctx, body)),
      {
        permission: { of: 'asset.read', isRemembered: true },
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
      async ({ ctx, request }) => jsonBytesResponse(request, await renderCityCounts(ctx)),
      {
        permission: { of: 'asset.read', isRemembered: true },
        response: { 200: t.Array(SearchCityCountResponseDto) },
        detail: { operationId: 'getCityCounts', summary: 'Count the items of each city' },
      },
    );
