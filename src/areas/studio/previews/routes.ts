import { Elysia } from 'elysia';
import { fileResponse } from '../../../http/files.ts';
import type { Guard } from '../../../http/guard.ts';
import { Binary, ErrorResponseDto } from '../../../http/schemas.ts';
import { createPreview, getFrame, getPreview, retirePreview, waitForPreview } from './domain.ts';
import {
  ConsumerQuery,
  PreviewParams,
  RetireQuery,
  StudioPreviewDto,
  StudioPreviewRequestDto,
  StudioPreviewResponseDto,
} from './schemas.ts';

export const studioPreviewRoutes = (guard: Guard) =>
  new Elysia({ prefix: '/studio/previews', tags: ['Studio previews'] })
    .use(guard)
    .post('', async ({ ctx, body, status }) => status(200, await createPreview(ctx, body)), {
      permission: 'all',
      body: StudioPreviewRequestDto,
      response: { 200: StudioPreviewResponseDto, 404: ErrorResponseDto, 409: ErrorResponseDto },
      detail: { operationId: 'createStudioPreview', summary: 'Ask for a frame' },
    })
    .get('/:id', ({ ctx, params, query }) => getPreview(ctx, params.id, query.consumerRequestId), {
      permission: 'all',
      params: PreviewParams,
      query: ConsumerQuery,
      response: { 200: StudioPreviewDto, 404: ErrorResponseDto },
      detail: { operationId: 'getStudioPreview', summary: 'Get the state of a preview' },
    })
    .get(
      '/:id/outcome',
      ({ ctx, params, query, request }) =>
        waitForPreview(ctx, params.id, query.consumerRequestId, request.signal),
      {
        permission: 'all',
        params: PreviewParams,
        query: ConsumerQuery,
        response: { 200: StudioPreviewDto, 404: ErrorResponseDto },
        detail: {
          operationId: 'waitForStudioPreview',
          summary: 'Wait until the frame is ready or over, at most three seconds',
        },
      },
    )
    .delete('/:id', ({ ctx, params, query }) => retirePreview(ctx, params.id, query), {
      permission: 'all',
      params: PreviewParams,
      query: RetireQuery,
      response: { 200: StudioPreviewDto, 404: ErrorResponseDto, 409: ErrorResponseDto },
      detail: { operationId: 'deleteStudioPreview', summary: 'Retire a preview' },
    })
    .get(
      '/:id/frame',
      async ({ ctx, params, query, request }) => {
        const frame = await getFrame(ctx, params.id, query.consumerRequestId);
        return fileResponse(request, {
          ...frame,
          cacheControl: 'private, no-cache',
          disposition: { kind: 'inline', fileName: 'frame' },
        });
      },
      {
        permission: 'all',
        params: PreviewParams,
        query: ConsumerQuery,
        response: { 200: Binary, 404: ErrorResponseDto, 409: ErrorResponseDto },
        detail: { operationId: 'getStudioPreviewFrame', summary: 'Get the frame' },
      },
    );
