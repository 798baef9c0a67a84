import { Elysia, t } from 'elysia';
import { bytesResponse } from '../../http/files.ts';
import type { Guard } from '../../http/guard.ts';
import { Binary, IdParams, NoContent } from '../../http/schemas.ts';
import { endStream, getMainPlaylist, getMediaPlaylist, getSegment } from './domain.ts';
import {
  PlaylistHeaders,
  PlaylistParams,
  readStreamHeader,
  SegmentHeaders,
  SegmentParams,
  SessionParams,
  StreamQuery,
} from './schemas.ts';

const VIEW = { of: 'asset.view', guest: true, renewable: true } as const;

/** Videos that are transcoded while they are watched (HTTP Live Streaming, RFC 8216). */
export const videoStreamRoutes = (guard: Guard) =>
  new Elysia({ prefix: '/assets/:id/video/stream', tags: ['Assets'] })
    .use(guard)
    .get(
      '/main.m3u8',
      async ({ ctx, params, query, request }) =>
        playlistResponse(request, await getMainPlaylist(ctx, params.id, query)),
      {
        permission: VIEW,
        params: IdParams,
        query: StreamQuery,
        response: { 200: t.String() },
        detail: { operationId: 'getMainPlaylist', summary: 'Get the qualities of a video stream' },
      },
    )
    .get(
      '/:sessionId/:variantIndex/playlist.m3u8',
      async ({ ctx, params, query, request }) => {
        const position = readStreamHeader(request.headers, 'x-immich-hls-pos');
        return playlistResponse(
          request,
          await getMediaPlaylist(ctx, params, { ...query, position }),
        );
      },
      {
        permission: VIEW,
        params: PlaylistParams,
        query: StreamQuery,
        headers: PlaylistHeaders,
        response: { 200: t.String() },
        detail: { operationId: 'getMediaPlaylist', summary: 'Get one quality of a video stream' },
      },
    )
    .get(
      '/:sessionId/:variantIndex/:filename',
      async ({ ctx, params, request }) =>
        bytesResponse(request, {
          bytes: await getSegment(ctx, params, {
            target: readStreamHeader(request.headers, 'x-immich-hls-msn'),
            signal: request.signal,
          }),
          type: params.filename === 'init.mp4' ? 'video/mp4' : 'video/iso.segment',
          cacheControl: NEVER_STORED,
        }),
      {
        permission: VIEW,
        params: SegmentParams,
        query: StreamQuery,
        headers: SegmentHeaders,
        response: { 200: Binary },
        detail: { operationId: 'getSegment', summary: 'Get a segment of a video stream' },
      },
    )
    .delete(
      '/:sessionId',
      async ({ ctx, params, status }) => {
        await endStream(ctx, params);
        return status(204, undefined);
      },
      {
        permission: VIEW,
        params: SessionParams,
        query: StreamQuery,
        response: { 204: NoContent },
        detail: { operationId: 'endSession', summary: 'End a video stream' },
      },
    );

/** The rights of the caller are checked for each part. */
const NEVER_STORED = 'private, no-store';

const playlistResponse = (request: Request, text: string): Response =>
  bytesResponse(request, {
    bytes: new TextEncoder().encode(text),
    type: 'application/vnd.apple.mpegurl',
    cacheControl: NEVER_STORED,
  });
