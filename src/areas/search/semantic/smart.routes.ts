import { Elysia } from 'elysia';
import type { Guard } from '../../../http/guard.ts';
import { jsonTextResponse } from '../../../http/json.ts';
import { formatSearchAssets, formatSearchResponse } from '../domain.ts';
import { ask } from '../query/ask.domain.ts';
import { SearchResponseDto } from '../schemas.ts';
import { searchSmart } from './smart.domain.ts';
import { AskSearchDto, AskSearchResponseDto, SmartSearchDto } from './smart.schemas.ts';

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
