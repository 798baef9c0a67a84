import { Elysia } from 'elysia';
import type { Guard } from '../../../http/guard.ts';
import { jsonTextResponse } from '../../../http/json.ts';
import { formatSearchResponse } from '../domain.ts';
import { SearchResponseDto } from '../schemas.ts';
import { searchSorted } from './sorted.domain.ts';
import { SortedSearchDto } from './sorted.schemas.ts';

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
