import type { ErrorCode } from './error-codes.ts';

const STATUS = {
  badRequest: 400,
  unauthorized: 401,
  forbidden: 403,
  notFound: 404,
  conflict: 409,
  gone: 410,
  tooLarge: 413,
  unsupportedMediaType: 415,
  tooManyRequests: 429,
  failed: 500,
  unavailable: 503,
  insufficientStorage: 507,
} as const;

export type ErrorKind = keyof typeof STATUS;

/** The error codes of our own operations, where nothing more exact is known. */
const CODE: Readonly<Record<ErrorKind, ErrorCode>> = {
  badRequest: 'validation_failed',
  unauthorized: 'unauthenticated',
  forbidden: 'missing_permission',
  notFound: 'not_found',
  conflict: 'invalid_state',
  gone: 'invalid_state',
  tooLarge: 'validation_failed',
  unsupportedMediaType: 'unsupported_media_type',
  tooManyRequests: 'rate_limited',
  failed: 'source_unavailable',
  unavailable: 'source_unavailable',
  insufficientStorage: 'source_unavailable',
};

/** Extra members of the error body: `code` and friends on extension operations, `errors` on validation. */
export type ErrorDetail = Readonly<Record<string, unknown>> & { readonly code?: ErrorCode };

/** A failure the caller is meant to see. Every other error becomes a 500 without detail. */
export class AppError extends Error {
  override readonly name = 'AppError';
  readonly kind: ErrorKind;
  readonly status: number;
  readonly detail: ErrorDetail;
  /** Left out where the operation is Immich's; one in `detail` is said everywhere. */
  readonly code: ErrorCode;
  /** Response headers, as Retry-After. */
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    kind: ErrorKind,
    message: string,
    options: {
      detail?: ErrorDetail;
      code?: ErrorCode;
      headers?: Record<string, string>;
      cause?: unknown;
    } = {},
  ) {
    super(message, { cause: options.cause });
    this.kind = kind;
    this.status = STATUS[kind];
    this.detail = options.detail ?? {};
    this.code = options.code ?? CODE[kind];
    this.headers = options.headers ?? {};
  }
}

export const badRequest = (message: string, detail: ErrorDetail = {}) =>
  new AppError('badRequest', message, { detail });
export const unauthorized = (message = 'Authentication required', detail: ErrorDetail = {}) =>
  new AppError('unauthorized', message, { detail });
export const forbidden = (message: string, detail: ErrorDetail = {}) =>
  new AppError('forbidden', message, { detail });
/** For binaries and extension resources; also for what is not the caller's: never confirm that it exists. */
export const notFound = (what: string) => new AppError('notFound', `${what} not found`);
/** Immich's error for an id that is unknown or not the caller's: both read the same. */
export const noAccess = (permission: string) =>
  new AppError('badRequest', `Not found or no ${permission} access`, { code: 'no_access' });
export const conflict = (message: string, detail: ErrorDetail = {}) =>
  new AppError('conflict', message, { detail });
export const tooLarge = (message: string) => new AppError('tooLarge', message);
export const unsupportedMediaType = (message: string) =>
  new AppError('unsupportedMediaType', message);
/** A field of the request is wrong: `path` names it, as in `assets.0.checksum`. */
export const invalidField = (path: string, message: string, code = 'custom') =>
  new AppError('badRequest', 'Validation failed', {
    detail: { errors: [{ code, path: toPath(path), message }] },
  });

/** 'edits.0.action' is ['edits', 0, 'action'], and the whole request is []. */
const toPath = (path: string): (string | number)[] =>
  path === '' ? [] : path.split('.').map((part) => (/^\d+$/.test(part) ? Number(part) : part));

/** The same for a text that is none of these. */
export const invalidOption = (path: string, options: readonly string[]) => {
  const words = options.map((option) => `"${option}"`).join('|');
  return invalidField(path, `Invalid option: expected one of ${words}`, 'invalid_value');
};

export const tooManyRequests = (
  message: string,
  retryAfterSeconds: number,
  detail: ErrorDetail = {},
) =>
  new AppError('tooManyRequests', message, {
    detail,
    headers: { 'retry-after': String(Math.max(1, Math.ceil(retryAfterSeconds))) },
  });
export const unavailable = (message: string, retryAfterSeconds?: number) =>
  new AppError('unavailable', message, {
    ...(retryAfterSeconds !== undefined && {
      headers: { 'retry-after': String(retryAfterSeconds) },
    }),
  });
/** The database restarts, or was lost for a moment: a second later it usually answers. */
export const databaseUnavailable = () => unavailable('The database cannot be reached', 1);

/** The folders of the library are not there: below a disk that is not mounted lies an empty one, or another's. */
export class StorageUnavailable extends AppError {
  /** `reason` names the folder: for the log, not for the caller. */
  constructor(reason: string, options: ErrorOptions = {}) {
    super('unavailable', 'The storage of the library cannot be reached', {
      headers: { 'retry-after': '5' },
      cause: new Error(reason, options),
    });
  }
}

/** The process that decodes files is not running. Jobs that need it wait for it. */
export class MediaHostUnavailable extends AppError {
  constructor(path: string, cause: unknown) {
    super('unavailable', `The media host does not answer at ${path}`, {
      headers: { 'retry-after': '10' },
      cause,
    });
  }
}
