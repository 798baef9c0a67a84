import { Elysia, t } from 'elysia';
import type { Guard } from '../../http/guard.ts';
import { formatContentDisposition } from '../../core/content-disposition.ts';
import { invalidField } from '../../core/errors.ts';
import { getTransfer } from '../../http/transfer.ts';
import { toByteStream } from '../../http/json-list.ts';
import { Binary, ErrorResponseDto, IdParams, NoContent } from '../../http/schemas.ts';
import {
  createMoveIn,
  deleteMoveIn,
  getMoveInReport,
  listMoveInFailures,
  listMoveIns,
  pauseMoveIn,
  startMoveIn,
} from './domain.ts';
import { createArchivesMoveIn } from './archives/create.domain.ts';
import { receiveArchive } from './archives/receive.domain.ts';
import { createFolderMoveIn } from './folder.domain.ts';
import {
  MoveInArchiveParams,
  MoveInArchivesDto,
  MoveInCreateDto,
  MoveInDto,
  MoveInFailurePageDto,
  MoveInFailuresQuery,
  MoveInFolderDto,
  MoveInStartDto,
} from './schemas.ts';

/** A move does all of this, by the rights of the account. */
const WRITES = {
  of: 'asset.upload',
  also: [
    'asset.update',
    'album.create',
    'album.update',
    'albumAsset.create',
    'tag.create',
    'tag.asset',
    'stack.create',
    'person.update',
  ],
} as const;
/** A folder of this machine is read into any library, as by an external library. */
const FOLDER = 'library.create';

function parseOffset(headers: Headers): number {
  const text = headers.get('upload-offset') ?? '';
  if (!/^\d{1,15}$/.test(text)) throw invalidField('Upload-Offset', 'Must be a whole number');
  return Number(text);
}

export const moveInRoutes = (guard: Guard) =>
  new Elysia({ prefix: '/move-ins', tags: ['Moves from other servers'] })
    .use(guard)
    .get('', ({ ctx }) => listMoveIns(ctx), {
      permission: 'asset.upload',
      response: { 200: t.Array(MoveInDto) },
      detail: { operationId: 'listMoveIns', summary: 'List the moves, newest first' },
    })
    .post('', async ({ ctx, body, status }) => status(201, await createMoveIn(ctx, body)), {
      permission: WRITES,
      body: MoveInCreateDto,
      response: { 201: MoveInDto, 409: ErrorResponseDto, 429: ErrorResponseDto },
      detail: {
        operationId: 'createMoveIn',
        summary: 'Look at an account of an Immich server, and prepare to take it in',
      },
    })
    .post(
      '/folder',
      async ({ ctx, body, status }) => status(201, await createFolderMoveIn(ctx, body)),
      {
        permission: { ...WRITES, also: [...WRITES.also, FOLDER], admin: true },
        body: MoveInFolderDto,
        response: { 201: MoveInDto, 409: ErrorResponseDto },
        detail: {
          operationId: 'createFolderMoveIn',
          summary: 'Look at a folder of this machine, and prepare to take it in',
        },
      },
    )
    .post(
      '/archives',
      async ({ ctx, body, status }) => status(201, await createArchivesMoveIn(ctx, body)),
      {
        permission: WRITES,
        body: MoveInArchivesDto,
        response: {
          201: MoveInDto,
          409: ErrorResponseDto,
          413: ErrorResponseDto,
          507: ErrorResponseDto,
        },
        detail: {
          operationId: 'createArchivesMoveIn',
          summary: 'Prepare to take in ZIP files, whose bytes are uploaded next',
        },
      },
    )
    .patch(
      '/:id/archives/:index',
      async ({ ctx, params, request }) => {
        const offset = parseOffset(request.headers);
        const transfer = getTransfer(request);
        const received = await receiveArchive(ctx, params, { offset, transfer });
        return new Response(null, { status: 204, headers: { 'upload-offset': String(received) } });
      },
      {
        permission: 'asset.upload',
        params: MoveInArchiveParams,
        // The bytes are written to disk as they arrive.
        parse: 'none',
        response: {
          204: NoContent,
          404: ErrorResponseDto,
          409: ErrorResponseDto,
          503: ErrorResponseDto,
        },
        detail: {
          operationId: 'uploadArchive',
          summary: 'Append bytes to a ZIP file of a move, behind those that are there',
          parameters: [
            {
              in: 'header',
              name: 'Upload-Offset',
              required: true,
              schema: { type: 'integer', minimum: 0 },
              description: 'Where these bytes begin; 409 says in this header where they should',
            },
          ],
          requestBody: {
            content: {
              'application/octet-stream': { schema: { type: 'string', format: 'binary' } },
            },
          },
        } as object,
      },
    )
    .post('/:id/start', ({ ctx, params, body }) => startMoveIn(ctx, params.id, body.key), {
      permission: { ...WRITES, mayNeed: [FOLDER] },
      params: IdParams,
      body: MoveInStartDto,
      response: {
        200: MoveInDto,
        409: ErrorResponseDto,
        429: ErrorResponseDto,
        503: ErrorResponseDto,
      },
      detail: { operationId: 'startMoveIn', summary: 'Start a move, or continue it' },
    })
    .post('/:id/pause', ({ ctx, params }) => pauseMoveIn(ctx, params.id), {
      permission: 'asset.upload',
      params: IdParams,
      response: { 200: MoveInDto, 409: ErrorResponseDto },
      detail: { operationId: 'pauseMoveIn', summary: 'Pause a move' },
    })
    .delete(
      '/:id',
      async ({ ctx, params, status }) => {
        await deleteMoveIn(ctx, params.id);
        return status(204, undefined);
      },
      {
        permission: 'asset.upload',
        params: IdParams,
        response: { 204: NoContent, 404: ErrorResponseDto },
        detail: {
          operationId: 'deleteMoveIn',
          summary: 'Cancel a move that was started, or remove it from the list',
        },
      },
    )
    .get('/:id/failures', ({ ctx, params, query }) => listMoveInFailures(ctx, params.id, query), {
      permission: 'asset.upload',
      params: IdParams,
      query: MoveInFailuresQuery,
      response: { 200: MoveInFailurePageDto, 404: ErrorResponseDto },
      detail: {
        operationId: 'getMoveInFailures',
        summary: 'List the files that could not be taken in',
      },
    })
    .get(
      '/:id/report',
      async ({ ctx, params }) =>
        new Response(toByteStream(await getMoveInReport(ctx, params.id)), {
          headers: {
            'content-type': 'text/csv; charset=utf-8; header=present',
            'x-content-type-options': 'nosniff',
            'content-disposition': formatContentDisposition({
              kind: 'attachment',
              fileName: 'move-in.csv',
            }),
          },
        }),
      {
        permission: 'asset.upload',
        params: IdParams,
        response: { 200: Binary, 404: ErrorResponseDto },
        detail: {
          operationId: 'getMoveInReport',
          summary: 'Download the files that failed, or that an export says too little of, as CSV',
        },
      },
    );
