import { Elysia } from 'elysia';
import { getClientOrigin } from '../../../http/forwarded.ts';
import type { Guard } from '../../../http/guard.ts';
import { ErrorResponseDto } from '../../../http/schemas.ts';
import {
  answerStream,
  deleteStream,
  getStream,
  moveStream,
  openStream,
  reconnectStream,
} from './domain.ts';
import {
  StreamParams,
  StudioPreviewStreamAnswerDto,
  StudioPreviewStreamDto,
  StudioPreviewStreamOpenDto,
  StudioPreviewStreamPositionDto,
} from './schemas.ts';

export const studioStreamRoutes = (guard: Guard) =>
  new Elysia({ prefix: '/studio/preview-streams', tags: ['Studio previews'] })
    .use(guard)
    .post('', async ({ ctx, body, status }) => status(201, await openStream(ctx, body)), {
      permission: 'all',
      body: StudioPreviewStreamOpenDto,
      response: {
        201: StudioPreviewStreamDto,
        404: ErrorResponseDto,
        409: ErrorResponseDto,
        429: ErrorResponseDto,
      },
      detail: { operationId: 'openStudioPreviewStream', summary: 'Open a preview stream' },
    })
    .get('/:id', ({ ctx, params }) => getStream(ctx, params.id), {
      permission: 'all',
      params: StreamParams,
      response: { 200: StudioPreviewStreamDto, 404: ErrorResponseDto },
      detail: {
        operationId: 'getStudioPreviewStream',
        summary: 'Get the state of a stream, and keep it open',
      },
    })
    .delete('/:id', ({ ctx, params }) => deleteStream(ctx, params.id), {
      permission: 'all',
      params: StreamParams,
      response: { 200: StudioPreviewStreamDto, 404: ErrorResponseDto },
      detail: { operationId: 'deleteStudioPreviewStream', summary: 'Close a stream' },
    })
    .put(
      '/:id/answer',
      ({ ctx, params, body, request }) =>
        answerStream(ctx, params.id, body, getClientOrigin(request, ctx.settings).address),
      {
        permission: 'all',
        params: StreamParams,
        body: StudioPreviewStreamAnswerDto,
        response: { 200: StudioPreviewStreamDto, 404: ErrorResponseDto, 409: ErrorResponseDto },
        detail: {
          operationId: 'answerStudioPreviewStream',
          summary: 'Answer the offer of a stream',
        },
      },
    )
    .put('/:id/position', ({ ctx, params, body }) => moveStream(ctx, params.id, body), {
      permission: 'all',
      params: StreamParams,
      body: StudioPreviewStreamPositionDto,
      response: { 200: StudioPreviewStreamDto, 404: ErrorResponseDto },
      detail: {
        operationId: 'moveStudioPreviewStream',
        summary: 'Show another moment of the film, and go on from there or stand still',
      },
    })
    .post('/:id/reconnect', ({ ctx, params }) => reconnectStream(ctx, params.id), {
      permission: 'all',
      params: StreamParams,
      response: { 200: StudioPreviewStreamDto, 404: ErrorResponseDto, 409: ErrorResponseDto },
      detail: {
        operationId: 'reconnectStudioPreviewStream',
        summary: 'Ask for another offer after the connection was lost',
      },
    });
