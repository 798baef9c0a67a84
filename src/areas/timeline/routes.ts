import { Elysia, t } from 'elysia';
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
        const bytes = Buffer.from(JSON.stringify(await listBuckets(ctx, query)));
        return json(request, bytes, `"${Bun.hash(bytes).toString(36)}"`, NOT_STORED(query));
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
        return json(request, reply.bytes ?? NOTHING, reply.etag, reply.isSecret);
      },
      {
        permission: { of: 'asset.read', guest: true },
        query: BucketQuery,
        response: { 200: TimeBucketAssetResponseDto },
        detail: { operationId: 'getTimeBucket', summary: 'List the items of a month by column' },
      },
    );

const NOTHING = new Uint8Array(0);
const NOT_STORED = ({ visibility, isTrashed }: typeof BucketsQuery.static) =>
  visibility === 'locked' || isTrashed === true;

/**
 * The body is finished JSON, so it does not pass through the response schema: what is in it is
 * listed by name where it is made.
 */
const json = (request: Request, bytes: Uint8Array<ArrayBuffer>, etag: string, isSecret: boolean) =>
  bytesResponse(request, {
    bytes,
    type: 'application/json; charset=utf-8',
    etag,
    cacheControl: isSecret ? 'private, no-store' : 'private, no-cache',
  });
