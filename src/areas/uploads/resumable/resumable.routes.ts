import { Elysia } from 'elysia';
import type { Ctx } from '../../../core/context.ts';
import type { Guard } from '../../../http/guard.ts';
import { ErrorResponseDto, NoContent } from '../../../http/schemas.ts';
import { getTransfer } from '../../../http/transfer.ts';
import { commitLivePhoto } from './live-photo.domain.ts';
import { type Answer, type HeaderValues, refusal } from './problems.ts';
import { readAppend, readCreation, readVersion } from './request.ts';
import {
  appendUpload,
  cancelUpload,
  createUpload,
  type Sender,
  showUpload,
} from './resumable.domain.ts';
import {
  AssetUploadResultDto,
  LivePhotoUploadCommitDto,
  LivePhotoUploadResultDto,
  UploadParams,
} from './resumable.schemas.ts';
import { limitsOf } from './upload-view.ts';

const inHeader = (name: string, required: boolean, schema: object, description: string) => ({
  in: 'header',
  name,
  required,
  schema,
  description,
});
const FLAG = { type: 'string', enum: ['?0', '?1'] };
const VERSION = inHeader('Upload-Draft-Interop-Version', true, { type: 'string', enum: ['9'] }, '');
const COMPLETE = inHeader('Upload-Complete', true, FLAG, 'Whether this request has the last bytes');
const LENGTH = inHeader(
  'Upload-Length',
  false,
  { type: 'integer', minimum: 1, maximum: 2 ** 31 },
  'Bytes of the whole file',
);
const CONTENT_DIGEST = inHeader(
  'Content-Digest',
  false,
  { type: 'string' },
  'sha-256 or sha-512 of the bytes of this request',
);
const CREATION_HEADERS = [
  inHeader(
    'Asset-Metadata',
    true,
    { type: 'string' },
    'Base64url of JSON: filename, fileCreatedAt, fileModifiedAt; may have duration, isFavorite, ' +
      'visibility, metadata, publication',
  ),
  inHeader('Repr-Digest', true, { type: 'string' }, 'sha-256 of the whole file'),
  COMPLETE,
  VERSION,
  LENGTH,
  CONTENT_DIGEST,
  inHeader('Content-Type', true, { type: 'string', pattern: '^(audio|image|video)/' }, ''),
];
const APPEND_HEADERS = [
  inHeader('Upload-Offset', true, { type: 'integer', minimum: 0 }, 'Where these bytes begin'),
  COMPLETE,
  { ...VERSION, required: false },
  LENGTH,
  CONTENT_DIGEST,
];
const BINARY = {
  requestBody: {
    content: { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } },
  },
};
const REFUSALS = {
  400: ErrorResponseDto,
  404: ErrorResponseDto,
  409: ErrorResponseDto,
  410: ErrorResponseDto,
  413: ErrorResponseDto,
  415: ErrorResponseDto,
  429: ErrorResponseDto,
  507: ErrorResponseDto,
} as const;

/** draft-ietf-httpbis-resumable-upload-12. Its refusals are problem details, RFC 9457. */
export const resumableRoutes = (guard: Guard) =>
  new Elysia({ prefix: '/assets/uploads', tags: ['Assets'] })
    .use(guard)
    .options('', ({ ctx }) => options(ctx), {
      permission: 'asset.upload',
      response: { 204: NoContent },
      detail: { operationId: 'getUploadOptions', summary: 'Tell the limits of resumable uploads' },
    })
    .post('', ({ ctx, request }) => answer(() => create(ctx, request), NOT_FINAL), {
      permission: 'asset.upload',
      // The bytes go to disk as they arrive.
      parse: 'none',
      response: {
        104: NoContent,
        200: AssetUploadResultDto,
        201: AssetUploadResultDto,
        202: AssetUploadResultDto,
        ...REFUSALS,
      },
      detail: {
        operationId: 'createUpload',
        summary: 'Begin a resumable upload, with all, some or none of its bytes',
        parameters: CREATION_HEADERS,
        ...BINARY,
      } as object,
    })
    .post('/live-photo/commit', ({ ctx, body }) => answer(() => commitLivePhoto(ctx, body)), {
      permission: 'asset.upload',
      body: LivePhotoUploadCommitDto,
      response: {
        200: LivePhotoUploadResultDto,
        202: LivePhotoUploadResultDto,
        404: ErrorResponseDto,
        409: ErrorResponseDto,
      },
      detail: {
        operationId: 'commitLivePhotoUpload',
        summary: 'Publish both halves of a live photo at once',
      },
    })
    .head('/:id', ({ ctx, params, request }) => answer(() => show(ctx, params.id, request)), {
      permission: 'asset.upload',
      params: UploadParams,
      response: { 204: NoContent, ...REFUSALS },
      detail: { operationId: 'getUploadOffset', summary: 'Tell where a resumable upload stands' },
    })
    .get('/:id', ({ ctx, params, request }) => answer(() => show(ctx, params.id, request)), {
      permission: 'asset.upload',
      params: UploadParams,
      response: { 200: AssetUploadResultDto, ...REFUSALS },
      detail: { operationId: 'getUpload', summary: 'Get the state of a resumable upload' },
    })
    .patch(
      '/:id',
      ({ ctx, params, request }) => answer(() => append(ctx, params.id, request), NOT_FINAL),
      {
        permission: 'asset.upload',
        parse: 'none',
        params: UploadParams,
        response: {
          104: NoContent,
          200: AssetUploadResultDto,
          202: AssetUploadResultDto,
          204: NoContent,
          ...REFUSALS,
        },
        detail: {
          operationId: 'appendUpload',
          summary: 'Append bytes to a resumable upload',
          parameters: APPEND_HEADERS,
          ...BINARY,
        } as object,
      },
    )
    .delete('/:id', ({ ctx, params, request }) => answer(() => cancel(ctx, params.id, request)), {
      permission: 'asset.upload',
      params: UploadParams,
      response: { 204: NoContent, ...REFUSALS },
      detail: { operationId: 'cancelUpload', summary: 'Give up an upload that is no asset yet' },
    });

const options = (ctx: Ctx): Response =>
  responseOf({ status: 204, headers: { 'upload-limit': limitsOf(undefined, ctx.now()) } });

const create = (ctx: Ctx, request: Request): Promise<Answer> => {
  const creation = readCreation(request.headers);
  return createUpload(ctx, creation, senderOf(ctx, request, creation.speaksDraft));
};

const append = (ctx: Ctx, id: string, request: Request): Promise<Answer> => {
  const part = readAppend(request.headers);
  return appendUpload(ctx, id, part, senderOf(ctx, request, part.speaksDraft));
};

/** Elysia may hand HEAD to the route of GET. */
const show = (ctx: Ctx, id: string, { headers, method }: Request): Promise<Answer> => {
  readVersion(headers);
  return showUpload(ctx, id, method !== 'HEAD');
};

const cancel = (ctx: Ctx, id: string, { headers }: Request): Promise<Answer> => {
  readVersion(headers);
  return cancelUpload(ctx, id);
};

/** What proxies add. Some (nginx) take an interim answer they do not know for the final one. */
const PROXY_HEADERS = ['x-forwarded-for', 'forwarded', 'via'];

function senderOf(ctx: Ctx, request: Request, speaksDraft: boolean): Sender {
  const { uploadInterim } = ctx.settings;
  const isDirect = !PROXY_HEADERS.some((name) => request.headers.has(name));
  const reaches = uploadInterim === 'always' || (uploadInterim === 'auto' && isDirect);
  return { transfer: getTransfer(request), mayInform: speaksDraft && reaches };
}

/** Of a refusal before the content was looked at: not the answer of the upload itself. */
const NOT_FINAL: HeaderValues = { 'upload-complete': '?0' };

async function answer(
  work: () => Promise<Answer>,
  refusalHeaders: HeaderValues = {},
): Promise<Response> {
  try {
    return responseOf(await work());
  } catch (error) {
    const refused = refusal(error, refusalHeaders);
    if (!refused) throw error;
    return responseOf(refused);
  }
}

function responseOf({ status, headers, body }: Answer): Response {
  if (!body) return new Response(null, { status, headers });
  const type = status < 400 ? 'application/json; charset=utf-8' : 'application/problem+json';
  return new Response(JSON.stringify(body), {
    status,
    headers: { ...headers, 'content-type': type },
  });
}
