import { Elysia } from 'elysia';
import type { Guard } from '../../http/guard.ts';
import { fileResponse } from '../../http/files.ts';
import { Binary, IdParams, NoContent } from '../../http/schemas.ts';
import { getFrameFile, getMoments, setCover, refreshVideo } from './domain.ts';
import { createMoment, deleteMoment, updateMoment } from './moments.domain.ts';
import {
  FrameParams,
  MomentParams,
  SimilarQuery,
  VideoMomentCoverDto,
  VideoMomentCreateDto,
  VideoMomentDto,
  VideoMomentSearchDto,
  VideoMomentSearchResponseDto,
  VideoMomentsResponseDto,
  VideoMomentUpdateDto,
} from './schemas.ts';
import { searchMoments, findSimilarFrames } from './search/search.domain.ts';
import { getCaptions } from './transcript/captions.domain.ts';

/** One table of operations, each with its permission and schemas. */
export const enrichmentRoutes = (guard: Guard) =>
  new Elysia({ prefix: '/enrichment', tags: ['Video enrichment'] })
    .use(guard)
    .get(
      '/frames/:id',
      async ({ ctx, params, request }) => fileResponse(request, await getFrameFile(ctx, params.id)),
      {
        permission: 'asset.read',
        params: FrameParams,
        response: { 200: Binary },
        detail: { operationId: 'getVideoFrame', summary: 'Get the picture of a frame' },
      },
    )
    .get(
      '/frames/:id/similar',
      ({ ctx, params, query }) => findSimilarFrames(ctx, params.id, query.limit),
      {
        permission: 'asset.read',
        params: FrameParams,
        query: SimilarQuery,
        response: { 200: VideoMomentSearchResponseDto },
        detail: {
          operationId: 'getSimilarVideoFrames',
          summary: "Moments of the caller's videos that look like a frame",
        },
      },
    )
    .post('/moments/search', ({ ctx, body }) => searchMoments(ctx, body), {
      permission: 'asset.read',
      body: VideoMomentSearchDto,
      response: { 200: VideoMomentSearchResponseDto },
      detail: {
        operationId: 'searchVideoMoments',
        summary: 'Search moments by content and by words',
      },
    })
    .put('/videos/:id/cover', ({ ctx, params, body }) => setCover(ctx, params.id, body.timeMs), {
      permission: 'asset.update',
      params: IdParams,
      body: VideoMomentCoverDto,
      response: { 200: VideoMomentsResponseDto },
      detail: { operationId: 'setVideoCover', summary: 'Choose the cover of a video' },
    })
    .post(
      '/videos/:id/refresh',
      async ({ ctx, params, status }) => {
        await refreshVideo(ctx, params.id);
        return status(204, undefined);
      },
      {
        permission: 'asset.update',
        params: IdParams,
        response: { 204: NoContent },
        detail: {
          operationId: 'refreshVideoMoments',
          summary: 'Refresh frames and moments of a video',
        },
      },
    )
    .get('/videos/:id/moments', ({ ctx, params }) => getMoments(ctx, params.id), {
      permission: 'asset.read',
      params: IdParams,
      response: { 200: VideoMomentsResponseDto },
      detail: { operationId: 'getVideoMoments', summary: 'Frames, cover and moments of a video' },
    })
    .get(
      '/videos/:id/captions.vtt',
      async ({ ctx, params }) =>
        new Response(await getCaptions(ctx, params.id), {
          headers: {
            'content-type': 'text/vtt; charset=utf-8',
            'x-content-type-options': 'nosniff',
            // Captions of Locked leave no copy in the browser's cache.
            'cache-control': 'private, no-store',
          },
        }),
      {
        permission: 'asset.read',
        params: IdParams,
        response: { 200: Binary },
        detail: {
          operationId: 'getVideoCaptions',
          summary: 'Transcript of a video as WebVTT captions',
        },
      },
    )
    .post(
      '/videos/:id/moments',
      async ({ ctx, params, body, status }) =>
        status(201, await createMoment(ctx, params.id, body)),
      {
        permission: 'asset.update',
        params: IdParams,
        body: VideoMomentCreateDto,
        response: { 201: VideoMomentDto },
        detail: { operationId: 'createVideoMoment', summary: 'Create a manual moment' },
      },
    )
    .put(
      '/videos/:id/moments/:momentId',
      ({ ctx, params, body }) => updateMoment(ctx, params, body),
      {
        permission: 'asset.update',
        params: MomentParams,
        body: VideoMomentUpdateDto,
        response: { 200: VideoMomentDto },
        detail: { operationId: 'updateVideoMoment', summary: 'Update a manual moment' },
      },
    )
    .delete(
      '/videos/:id/moments/:momentId',
      async ({ ctx, params, status }) => {
        await deleteMoment(ctx, params);
        return status(204, undefined);
      },
      {
        permission: 'asset.update',
        params: MomentParams,
        response: { 204: NoContent },
        detail: { operationId: 'deleteVideoMoment', summary: 'Delete a manual moment' },
      },
    );
