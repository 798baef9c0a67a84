import { Elysia } from 'elysia';
import type { Guard } from '../../http/guard.ts';
import { toByteStream } from '../../http/json-list.ts';
import { ErrorResponseDto, IdParams, NoContent } from '../../http/schemas.ts';
import { renderPreview, startPreview } from './preview.domain.ts';
import { restoreCopies, verifyApply } from './restore.domain.ts';
import { reviewPlan } from './review.domain.ts';
import {
  PreviewQuery,
  PreviewRequestDto,
  PreviewResponseDto,
  RestoreRequestDto,
  ReviewRequestDto,
  ReviewResponseDto,
  VerificationDto,
} from './schemas.ts';

const read = { of: 'job.read', admin: true } as const;
const create = { of: 'job.create', admin: true } as const;

export const physicalDeduplicationRoutes = (guard: Guard) =>
  new Elysia({ prefix: '/admin/physical-deduplication', tags: ['Maintenance'] })
    .use(guard)
    .get(
      '/preview',
      ({ ctx, query }) =>
        new Response(toByteStream(renderPreview(ctx, query)), {
          headers: {
            'content-type': 'application/json; charset=utf-8',
            'cache-control': 'no-store',
          },
        }),
      {
        permission: read,
        query: PreviewQuery,
        response: { 200: PreviewResponseDto },
        detail: {
          operationId: 'getPhysicalDeduplicationPreview',
          summary: 'Get the latest plan to deduplicate files, and its runs',
        },
      },
    )
    .post(
      '/preview',
      async ({ ctx, body, status }) => {
        await startPreview(ctx, body);
        return status(204, undefined);
      },
      {
        permission: create,
        body: PreviewRequestDto,
        response: { 204: NoContent },
        detail: {
          operationId: 'createPhysicalDeduplicationPreview',
          summary: 'Look for files with the same content; changes nothing',
        },
      },
    )
    .post('/plan/review', ({ ctx, body }) => reviewPlan(ctx, body), {
      permission: create,
      body: ReviewRequestDto,
      response: { 200: ReviewResponseDto, 404: ErrorResponseDto, 409: ErrorResponseDto },
      detail: {
        operationId: 'reviewPhysicalDeduplicationPlan',
        summary: 'Decide about the copies of the latest plan',
      },
    })
    .post('/applies/:id/verify', ({ ctx, params }) => verifyApply(ctx, params.id), {
      permission: read,
      params: IdParams,
      response: { 200: VerificationDto, 404: ErrorResponseDto },
      detail: {
        operationId: 'verifyPhysicalDeduplicationApply',
        summary: 'Read the files of a run again; writes nothing',
      },
    })
    .post(
      '/applies/:id/restore',
      ({ ctx, params, body }) => restoreCopies(ctx, params.id, body.copyIds),
      {
        permission: create,
        params: IdParams,
        body: RestoreRequestDto,
        response: { 200: VerificationDto, 404: ErrorResponseDto, 409: ErrorResponseDto },
        detail: {
          operationId: 'restorePhysicalDeduplicationCopies',
          summary: 'Let items be read from their own files again',
        },
      },
    );
