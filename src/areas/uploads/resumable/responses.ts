import type { ErrorCode } from '../../../core/error-codes.ts';
import { AppError, type ErrorKind } from '../../../core/errors.ts';
import { isDiskFull, toSpaceError } from '../../../staging/errors.ts';
import { requireValue } from '../../../core/required.ts';
import type { UploadRow } from '../../../db/tables/uploads.ts';
import type { UploadResult } from './resumable.schemas.ts';

// Errors of the resumable upload protocol as problem details (RFC 9457).

export type HeaderValues = Readonly<Record<string, string>>;

export type UploadResponse = {
  readonly status: number;
  readonly headers: HeaderValues;
  readonly body?: object | undefined;
};

/** The supported interop version of draft-ietf-httpbis-resumable-upload. */
export const INTEROP_VERSION = '9';

const REGISTRY = 'https://iana.org/assignments/http-problem-types#';

type ProblemOptions = {
  readonly code: ErrorCode;
  /** Name and title in IANA's registry of problem types. */
  readonly type?: readonly [name: string, title: string];
  readonly headers?: HeaderValues;
  readonly members?: object;
};

export const problem = (
  kind: ErrorKind,
  message: string,
  { code, type, headers = {}, members = {} }: ProblemOptions,
) =>
  new AppError(kind, message, {
    headers: { ...headers },
    detail: { code, ...(type && { type: REGISTRY + type[0], title: type[1] }), ...members },
  });

/** `path` is the invalid header or member, with nested members after dots. */
export const invalidInput = (path: string, message: string, headers: HeaderValues = {}) =>
  problem('badRequest', message, {
    code: 'validation_failed',
    headers,
    members: { errors: [{ code: 'custom', path: path.split('.'), message }] },
  });

export const inconsistentLength = (message: string) =>
  problem('badRequest', message, {
    code: 'upload_length_inconsistent',
    type: ['inconsistent-upload-length', 'Inconsistent Upload-Length value'],
  });

/** Throws 413 for more than `maxBytes`. */
export function requireSize(bytes: number | undefined, maxBytes: number): void {
  if (bytes !== undefined && bytes > maxBytes) throw tooLarge(maxBytes);
}

/** The limit header is required so that a client does not start an upload it cannot finish. */
export const tooLarge = (maxBytes: number) =>
  problem('tooLarge', `A file may have ${maxBytes} bytes`, {
    code: 'validation_failed',
    headers: { 'upload-limit': `max-size=${maxBytes}` },
    members: {
      errors: [{ code: 'too_big', path: ['Upload-Length'], message: 'The file is too large' }],
    },
  });

export const offsetMismatch = (expected: number, provided: number) =>
  problem('conflict', `The upload continues at byte ${expected}`, {
    code: 'upload_offset_mismatch',
    type: ['mismatching-upload-offset', 'Offset from request does not match offset of resource'],
    members: { 'expected-offset': expected, 'provided-offset': provided },
  });

type DigestField = 'Repr-Digest' | 'Content-Digest';

export const unsupportedAlgorithms = (header: DigestField, algorithms: readonly string[]) =>
  problem('badRequest', `${header} must have a digest that this server computes: sha-256`, {
    code: 'validation_failed',
    type: ['digest-unsupported-algorithms', 'Unsupported Hashing Algorithms'],
    members: {
      errors: [{ code: 'custom', path: [header], message: 'Unsupported algorithm' }],
      'unsupported-algorithms': algorithms.map((algorithm) => ({ algorithm, header })),
    },
  });

export const invalidDigest = (header: DigestField, algorithm: string, reason: string) =>
  problem('badRequest', `${header}: ${reason}`, {
    code: 'validation_failed',
    type: ['digest-invalid-values', 'Invalid Digest Values'],
    members: {
      errors: [{ code: 'custom', path: [header], message: reason }],
      'invalid-digests': [{ algorithm, header, reason }],
    },
  });

/** Does not reveal the computed digest. */
export const digestMismatch = (header: DigestField, algorithm: string, provided: Uint8Array) =>
  problem('badRequest', `The bytes do not have the digest in ${header}`, {
    code: 'digest_mismatch',
    type: ['digest-mismatched-values', 'Mismatched Digest Values'],
    members: {
      'mismatched-digests': [
        {
          algorithm,
          'provided-digest': `:${Buffer.from(provided).toString('base64')}:`,
          header,
        },
      ],
    },
  });

export const uploadExpired = () =>
  problem('gone', 'The upload has expired', { code: 'not_found', headers: NO_STORE });
export const NO_STORE: HeaderValues = { 'cache-control': 'no-store' };

const diskFull = () =>
  problem('insufficientStorage', 'The server has no space left for uploads', {
    code: 'invalid_state',
    members: { retryable: true },
  });

/** Codes for errors of other modules. */
const CODES: Partial<Record<number, ErrorCode>> = {
  400: 'validation_failed',
  403: 'missing_permission',
  404: 'not_found',
  409: 'invalid_state',
  415: 'unsupported_media_type',
  429: 'rate_limited',
  503: 'source_unavailable',
};

/** Returns undefined for unexpected errors. `headers` describe the current state of the upload. */
export function toProblemResponse(error: AppError, headers?: HeaderValues): UploadResponse;
export function toProblemResponse(
  error: unknown,
  headers?: HeaderValues,
): UploadResponse | undefined;
export function toProblemResponse(
  error: unknown,
  headers: HeaderValues = {},
): UploadResponse | undefined {
  const known = isDiskFull(error) ? diskFull() : toSpaceError(error);
  if (!(known instanceof AppError)) return undefined;
  const { status, message, detail } = known;
  return {
    status,
    headers: { ...headers, ...known.headers },
    body: {
      type: 'about:blank',
      title: TITLES[status],
      status,
      detail: message,
      message,
      statusCode: status,
      code: message === 'Quota has been exceeded!' ? 'quota_exceeded' : CODES[status],
      ...(status === 503 && { retryable: true }),
      ...detail,
    },
  };
}

const TITLES: Partial<Record<number, string>> = {
  400: 'Bad Request',
  403: 'Forbidden',
  404: 'Not Found',
  409: 'Conflict',
  410: 'Gone',
  413: 'Content Too Large',
  415: 'Unsupported Media Type',
  429: 'Too Many Requests',
  503: 'Service Unavailable',
  507: 'Insufficient Storage',
};

// The view of an upload that clients get: headers and body.

export const toResult = (upload: UploadRow): UploadResult => ({
  id: upload.id,
  status: upload.status,
  publication: upload.publication,
  offset: upload.offset,
  length: upload.length,
  assetId: upload.assetId,
  error: upload.error,
  expiresAt: upload.expiresAt.toISOString(),
});

/** A relative reference, independent of the server's name behind a proxy. */
const getLocation = ({ id }: UploadRow): string => `/api/assets/uploads/${id}`;

/**
 * Formats Upload-Limit; max-age is the remaining lifetime in seconds. Before an upload is created, max-size is what a
 * client may announce.
 */
export function toLimitHeader(upload: UploadRow | undefined, now: Date): string {
  const { maxAnnouncedBytes, maxBytes, maxAgeMs } = getUploadLimits();
  const isAnnounced = !upload || (upload.length !== null && upload.length <= maxAnnouncedBytes);
  const size = isAnnounced ? maxAnnouncedBytes : maxBytes;
  const ms = upload ? upload.expiresAt.getTime() - now.getTime() : maxAgeMs;
  const age = Math.max(0, Math.floor(ms / 1000));
  return `max-size=${size}, max-append-size=${size}, max-age=${age}`;
}

const formatBoolean = (value: boolean): string => (value ? '?1' : '?0');

/** Returns whether the final response has been sent. */
export const isComplete = (upload: UploadRow): boolean => upload.finalStatus !== null;

/** Returns whether the final response is a refusal: no byte of the upload is kept. */
export const isRefused = ({ status, finalStatus }: UploadRow): boolean =>
  status === 'failed' && finalStatus !== null;

export const toStateHeaders = (upload: UploadRow, now: Date): HeaderValues => ({
  ...NO_STORE,
  'upload-complete': formatBoolean(isComplete(upload)),
  'upload-offset': String(upload.offset),
  'upload-limit': toLimitHeader(upload, now),
});

export const toLengthHeader = ({ length }: UploadRow): HeaderValues =>
  length === null ? {} : { 'upload-length': String(length) };

export const toLocationHeader = (upload: UploadRow): HeaderValues => ({
  location: getLocation(upload),
});

/** Headers of the 104 that tells a client where to resume after a broken connection. */
export const toResumptionHeaders = (upload: UploadRow, now: Date): HeaderValues => ({
  ...toLocationHeader(upload),
  'upload-limit': toLimitHeader(upload, now),
  'upload-draft-interop-version': INTEROP_VERSION,
});

export const toProgressHeaders = (offset: number): HeaderValues => ({
  'upload-offset': String(offset),
  'upload-draft-interop-version': INTEROP_VERSION,
});

/** Returns the response to the request that completed the upload, the same every time. */
export const toFinalResponse = (upload: UploadRow, now: Date): UploadResponse => ({
  status: requireValue(upload.finalStatus, 'status of a final response'),
  headers: { ...toStateHeaders(upload, now), ...toLocationHeader(upload) },
  body: upload.finalBody as object,
});

/** Returns the refusal for a request about the state. It does not say that the upload is complete, which means kept. */
export const toRefusal = (upload: UploadRow): UploadResponse => ({
  status: requireValue(upload.finalStatus, 'status of a refusal'),
  headers: NO_STORE,
  body: upload.finalBody as object,
});

/** Limits of resumable uploads. */
export type UploadLimits = {
  /** Bytes that a client may announce when it creates an upload. The API names this maximum of Upload-Length. */
  readonly maxAnnouncedBytes: number;
  /** Bytes of a file that is uploaded without Upload-Length, like a video that is larger than that. */
  readonly maxBytes: number;
  /** Lifetime from creation in ms. */
  readonly maxAgeMs: number;
  /** Unfinished uploads per user. */
  readonly maxOpen: number;
  /** Time without data, in ms, after which the connection is closed. Received bytes are kept. */
  readonly idleMs: number;
  /** Bytes after which data is synced and the client gets a 104 with the offset. */
  readonly progressBytes: number;
};

const DEFAULTS: UploadLimits = {
  maxAnnouncedBytes: 2 ** 31,
  maxBytes: 2 ** 40,
  maxAgeMs: 24 * 60 * 60 * 1000,
  maxOpen: 16,
  idleMs: 60_000,
  progressBytes: 8 * 1024 ** 2,
};

let current = DEFAULTS;

export const getUploadLimits = (): UploadLimits => current;

/** For tests only. */
export const overrideUploadLimits = (over: Partial<UploadLimits> = {}): void => {
  current = { ...DEFAULTS, ...over };
};
