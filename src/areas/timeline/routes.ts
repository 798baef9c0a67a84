import { Elysia, t } from 'elysia';
import { toJsonBytes } from '../../core/json-bytes.ts';
import { bytesResponse, matchesEtag } from '../../http/files.ts';
import type { Guard } from '../../http/guard.ts';
import { getBucket, listBuckets } from './domain.ts';
import {
  BucketQuery,
  BucketsQuery,
  TimeBucketAssetResponseDto,
  TimeBucketsResponseDto,
} from './schemas.ts';

export const timelineRoutes = (guard: Guard) =>
  new Elysia({ prefix: '/timeline', tags: ['Timeline'] })
    .use(guard)
    .get(
      '/buckets',
      async ({ ctx, query, request }) => {
        const bytes = toJsonBytes(await listBuckets(ctx, query));
        return toJsonResponse(
          request,
          bytes,
          `"${Bun.hash(bytes).toString(36)}"`,
          isPrivateListing(query),
        );
      },
      {
        permission: { of: 'asset.read', guest: true },
        query: BucketsQuery,
        response: { 200: t.Array(TimeBucketsResponseDto) },
        detail: { operationId: 'getTimeBuckets', summary: 'Count the items of each month' },
      },
    )
    .get(
      '/bucket',
      async ({ ctx, query: { timeBucket, ...filter }, request }) => {
        const known = request.headers.get('if-none-match');
        const reply = await getBucket(ctx, filter, timeBucket, (etag) => matchesEtag(known, etag));
        return toJsonResponse(request, reply.bytes ?? NO_BYTES, reply.etag, reply.isPrivate);
      },
      {
        permission: { of: 'asset.read', guest: true },
        query: BucketQuery,
        response: { 200: TimeBucketAssetResponseDto },
        detail: { operationId: 'getTimeBucket', summary: 'List the items of a month by column' },
      },
    );

const NO_BYTES = new Uint8Array(0);
const isPrivateListing = ({ visibility, isTrashed }: typeof BucketsQuery.static) =>
  visibility === 'locked' || isTrashed === true;

/** The body is JSON already and bypasses the response schema: `buildBody` lists its members by name. */
const toJsonResponse = (
  request: Request,
  bytes: Uint8Array<ArrayBuffer>,
  etag: string,
  isPrivate: boolean,
) =>
  bytesResponse(request, {
    bytes,
    type: 'application/json; charset=utf-8',
    etag,
    cacheControl: isPrivate ? 'private, no-store' : 'private, no-cache',
  });
