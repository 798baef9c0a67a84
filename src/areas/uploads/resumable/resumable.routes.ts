import { Elysia } from 'elysia';
import type { Ctx } from '../../../core/context.ts';
import type { Guard } from '../../../http/guard.ts';
import { ErrorResponseDto, NoContent } from '../../../http/schemas.ts';
import { getTransfer } from '../../../http/transfer.ts';
import { commitLivePhoto } from './live-photo.domain.ts';
import {
  type UploadResponse,
  type HeaderValues,
  toProblemResponse,
  toLimitHeader,
} from './responses.ts';
import { parseAppend, parseCreation, parseInteropVersion } from './request.ts';
import {
  appendUpload,
  cancelUpload,
  createUpload,
  type UploadConnection,
  getUpload,
} from './resumable.domain.ts';
import {
  AssetUploadResultDto,
  LivePhotoUploadCommitDto,
  LivePhotoUploadResultDto,
  UploadParams,
} from './resumable.schemas.ts';

const headerParameter = (name: string, required: boolean, schema: object, description: string) => ({
  in: 'header',
  name,
  required,
  schema,
  description,
});
const FLAG = { type: 'string', enum: ['?0', '?1'] };
const VERSION = headerParameter(
  'Upload-Draft-Interop-Version',
  true,
  { type: 'string', enum: ['9'] },
  '',
);
const COMPLETE = headerParameter(
  'Upload-Complete',
  true,
  FLAG,
  'Whether this request has the last bytes',
);
const LENGTH = headerParameter(
  'Upload-Length',
  false,
  { type: 'integer', minimum: 1, maximum: 2 ** 31 },
  'Bytes of the whole file. Leave it out for a larger one',
);
const CONTENT_DIGEST = headerParameter(
  'Content-Digest',
  false,
  { type: 'string' },
  'sha-256 or sha-512 of the bytes of this request',
);
const CREATION_HEADERS = [
  headerParameter(
    'Asset-Metadata',
    true,
    { type: 'string' },
    'Base64url of JSON: filename, fileCreatedAt, fileModifiedAt; may have duration, isFavorite, ' +
      'visibility, metadata, publication',
  ),
  headerParameter('Repr-Digest', true, { type: 'string' }, 'sha-256 of the whole file'),
  COMPLETE,
  VERSION,
  LENGTH,
  CONTENT_DIGEST,
  headerParameter('Content-Type', true, { type: 'string', pattern: '^(audio|image|video)/' }, ''),
];
const APPEND_HEADERS = [
  headerParameter(
    'Upload-Offset',
    true,
    { type: 'integer', minimum: 0 },
    'Where these bytes begin',
  ),
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
  503: ErrorResponseDto,
  507: ErrorResponseDto,
} as const;

/** draft-ietf-httpbis-resumable-upload-12, with errors as problem details (RFC 9457). */
export const resumableRoutes = (guard: Guard) =>
  new Elysia({ prefix: '/assets/uploads', tags: ['Assets'] })
    .use(guard)
    .options('', ({ ctx }) => options(ctx), {
      permission: 'asset.upload',
      response: { 204: NoContent },
      detail: { operationId: 'getUploadOptions', summary: 'Get the limits of resumable uploads' },
    })
    .post('', ({ ctx, request }) => respond(() => create(ctx, request), INCOMPLETE_HEADERS), {
      permission: 'asset.upload',
      // The bytes are written to disk as they arrive.
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
        summary: 'Create a resumable upload, with all, some or none of its bytes',
        parameters: CREATION_HEADERS,
        ...BINARY,
      } as object,
    })
    .post('/live-photo/commit', ({ ctx, body }) => respond(() => commitLivePhoto(ctx, body)), {
      permission: 'asset.upload',
      body: LivePhotoUploadCommitDto,
      response: {
        200: LivePhotoUploadResultDto,
        202: LivePhotoUploadResultDto,
        404: ErrorResponseDto,
        409: ErrorResponseDto,
        503: ErrorResponseDto,
        507: ErrorResponseDto,
      },
      detail: {
        operationId: 'commitLivePhotoUpload',
        summary: 'Publish both halves of a live photo at once',
      },
    })
    .head('/:id', ({ ctx, params, request }) => respond(() => show(ctx, params.id, request)), {
      permission: 'asset.upload',
      params: UploadParams,
      response: { 204: NoContent, ...REFUSALS },
      detail: { operationId: 'getUploadOffset', summary: 'Get the offset of a resumable upload' },
    })
    .get('/:id', ({ ctx, params, request }) => respond(() => show(ctx, params.id, request)), {
      permission: 'asset.upload',
      params: UploadParams,
      response: { 200: AssetUploadResultDto, ...REFUSALS },
      detail: { operationId: 'getUpload', summary: 'Get the state of a resumable upload' },
    })
    .patch(
      '/:id',
      ({ ctx, params, request }) =>
        respond(() => append(ctx, params.id, request), INCOMPLETE_HEADERS),
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
    .delete('/:id', ({ ctx, params, request }) => respond(() => cancel(ctx, params.id, request)), {
      permission: 'asset.upload',
      params: UploadParams,
      response: { 204: NoContent, ...REFUSALS },
      detail: { operationId: 'cancelUpload', summary: 'Cancel an upload that is not an asset yet' },
    });

const options = (ctx: Ctx): Response =>
  toResponse({ status: 204, headers: { 'upload-limit': toLimitHeader(undefined, ctx.now()) } });

const create = (ctx: Ctx, request: Request): Promise<UploadResponse> => {
  const creation = parseCreation(request.headers);
  return createUpload(ctx, creation, toConnection(ctx, request, creation.supportsInterim));
};

const append = (ctx: Ctx, id: string, request: Request): Promise<UploadResponse> => {
  const part = parseAppend(request.headers);
  return appendUpload(ctx, id, part, toConnection(ctx, request, part.supportsInterim));
};

/** Elysia may route HEAD to GET. */
const show = (ctx: Ctx, id: string, { headers, method }: Request): Promise<UploadResponse> => {
  parseInteropVersion(headers);
  return getUpload(ctx, id, method !== 'HEAD');
};

const cancel = (ctx: Ctx, id: string, { headers }: Request): Promise<UploadResponse> => {
  parseInteropVersion(headers);
  return cancelUpload(ctx, id);
};

/**
 * Headers that proxies add. Some proxies (nginx) treat an unknown interim response as the final one.
 */
const PROXY_HEADERS = ['x-forwarded-for', 'forwarded', 'via'];

function toConnection(ctx: Ctx, request: Request, speaksDraft: boolean): UploadConnection {
  const { uploadInterim } = ctx.settings;
  const isDirect = !PROXY_HEADERS.some((name) => request.headers.has(name));
  const reaches = uploadInterim === 'always' || (uploadInterim === 'auto' && isDirect);
  return { transfer: getTransfer(request), canSendInterim: speaksDraft && reaches };
}

/** Sent with errors before content is processed: the response is not the upload's final one. */
const INCOMPLETE_HEADERS: HeaderValues = { 'upload-complete': '?0' };

async function respond(
  work: () => Promise<UploadResponse>,
  refusalHeaders: HeaderValues = {},
): Promise<Response> {
  try {
    return toResponse(await work());
  } catch (error) {
    const refused = toProblemResponse(error, refusalHeaders);
    if (!refused) throw error;
    return toResponse(refused);
  }
}

function toResponse({ status, headers, body }: UploadResponse): Response {
  if (!body) return new Response(null, { status, headers });
  const type = status < 400 ? 'application/json; charset=utf-8' : 'application/problem+json';
  return new Response(JSON.stringify(body), {
    status,
    headers: { ...headers, 'content-type': type },
  });
}
