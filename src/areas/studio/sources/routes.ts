import { Elysia } from 'elysia';
import { fileResponse } from '../../../http/files.ts';
import type { Guard } from '../../../http/guard.ts';
import { Binary, ErrorResponseDto } from '../../../http/schemas.ts';
import { getSource, getStrip } from './domain.ts';
import { SourceParams, StudioSourceDto } from './schemas.ts';

export const studioSourceRoutes = (guard: Guard) =>
  new Elysia({ prefix: '/studio/sources', tags: ['Studio previews'] })
    .use(guard)
    .get('/:id', ({ ctx, params }) => getSource(ctx, params.id), {
      permission: 'all',
      params: SourceParams,
      response: { 200: StudioSourceDto, 404: ErrorResponseDto },
      detail: {
        operationId: 'getStudioSource',
        summary: 'Get how a video looks and sounds on a timeline',
      },
    })
    .get(
      '/:id/strip',
      async ({ ctx, params, request }) =>
        fileResponse(request, {
          ...(await getStrip(ctx, params.id)),
          cacheControl: 'private, no-cache',
          disposition: { kind: 'inline', fileName: 'strip.jpg' },
        }),
      {
        permission: 'all',
        params: SourceParams,
        response: { 200: Binary, 404: ErrorResponseDto },
        detail: {
          operationId: 'getStudioSourceStrip',
          summary: 'Get frames of a video side by side',
        },
      },
    );
