import { checkConnection, noteAnswer } from './connection.ts';
import { cacheAnswer } from './offline-cache.ts';
import { CACHED_HEADER } from './service-worker-names.ts';
import { describeFault, describeRefusal, joinFaults } from './error-texts.ts';
import { msSinceUserInput } from './user-input.ts';
import { t } from './i18n.ts';

/** An answer that is no success. Its message, and those of `fields` by the name of the input, are for people. */
export class ApiError extends Error {
  readonly status: number;
  readonly fields: Readonly<Record<string, string>>;
  /** The server's own word for what happened, where it has one. */
  readonly code: string | undefined;
  /** The item that this is about, where the server says so. */
  readonly assetId: string | undefined;
  /** The message of the server, for comparisons. It is never shown. */
  readonly serverMessage: string | undefined;

  constructor(
    status: number,
    message: string,
    fields: Readonly<Record<string, string>> = {},
    code?: string,
    assetId?: string,
    serverMessage?: string,
  ) {
    super(message);
    this.name = 'ApiError';
    this.status = status;
    this.fields = fields;
    this.code = code;
    this.assetId = assetId;
    this.serverMessage = serverMessage;
  }
}

/** The request did not reach the server, or its answer did not come. */
export const isUnreachable = (error: unknown): boolean =>
  error instanceof ApiError && error.status === 0;

/**
 * Whether the same request may succeed when it is sent again: a lost connection or a server in trouble may get better, a
 * refusal does not.
 */
export const isRetryable = (error: unknown): boolean =>
  error instanceof ApiError &&
  (error.status === 0 || error.status === 429 || error.status >= 500 || isBusy(error));

/** Another request is at work on the same. */
const isBusy = ({ code }: ApiError): boolean =>
  code === 'concurrent_request' || code === 'snapshot_conflict';

/** Photos behind the PIN were asked for while they are closed. */
const isLockedOut = (error: unknown): boolean =>
  error instanceof ApiError &&
  (error.code === 'elevation_required' ||
    (error.status === 401 && error.serverMessage === 'Elevated permission is required'));

const PROOF_REQUIRED = 'proof_required';

type Query = Record<string, string | number | boolean | undefined>;
type Options = {
  body?: unknown;
  query?: Query;
  signal?: AbortSignal;
  etag?: string | undefined;
  headers?: Record<string, string>;
  /** Goes on when the page is closed meanwhile, unless it is too long for that. */
  keepalive?: boolean;
};
export type Versioned<T> = { body: T; etag: string | undefined };

let onSignedOut: () => void = () => {};
/** Called when the server no longer knows the session that the page believes in. */
export function setSignedOutListener(listener: () => void): void {
  onSignedOut = listener;
}

let askForProof = async (): Promise<boolean> => false;
/** Called when a change needs the password or PIN anew: with true the request is sent again. */
export function setProofListener(listener: () => Promise<boolean>): void {
  askForProof = listener;
}

let guest: { key?: string; slug?: string } = {};
/** From now on every request shows the shared link that the guest came by. */
export const enterAsGuest = (link: { key: string } | { slug: string }): void => void (guest = link);
export const isGuest = (): boolean => 'key' in guest || 'slug' in guest;

/** The address of something that the browser loads by itself, as a picture. */
export const toUrl = (path: string, query: Query = {}): string =>
  `/api${path}${queryString({ ...query, ...guest })}`;

export const get = <T>(path: string, query?: Query, signal?: AbortSignal) =>
  call<T>('GET', path, { ...(query && { query }), ...(signal && { signal }) });
export const post = <T>(path: string, body?: unknown, headers?: Record<string, string>) =>
  call<T>('POST', path, { body, ...(headers && { headers }) });
export const put = <T>(path: string, body?: unknown, options: Pick<Options, 'keepalive'> = {}) =>
  call<T>('PUT', path, { body, ...options });
export const patch = <T>(path: string, body?: unknown) => call<T>('PATCH', path, { body });
export const remove = <T = void>(path: string, body?: unknown) => call<T>('DELETE', path, { body });

/** Reads a file beside the page, as '/licences.json'. */
export async function getFile<T>(path: string): Promise<T> {
  const response = await fetch(path).catch(() => undefined);
  if (!response) throw new ApiError(0, UNREACHABLE);
  if (!response.ok) throw parseError(response.status, '');
  return (await response.json()) as T;
}

/** Undefined: nothing changed since `etag`. */
export async function getVersioned<T>(
  path: string,
  query: Query,
  etag: string | undefined,
): Promise<Versioned<T> | undefined> {
  const response = await send('GET', path, { query, etag });
  if (response.status === 304) return undefined;
  return {
    body: (await response.json()) as T,
    etag: response.headers.get('etag') ?? undefined,
  };
}

async function call<T>(method: string, path: string, options: Options): Promise<T> {
  const response = await send(method, path, options).catch(async (error: unknown) => {
    const isAsked = error instanceof ApiError && error.code === PROOF_REQUIRED && !isGuest();
    if (!isAsked || !(await askForProof())) throw error;
    return send(method, path, options);
  });
  const isEmpty = response.status === 204 || response.headers.get('content-length') === '0';
  return (isEmpty ? undefined : await response.json()) as T;
}

export const UNREACHABLE = t('The server cannot be reached. Check the connection and try again.');

/** Browsers refuse more than 64 KiB, for all requests together that outlive a page. */
const KEEPALIVE_BYTES = 48 * 1024;

/** A request this long after the person's last input is one of the page's own. */
const BACKGROUND_MS = 30_000;

async function send(method: string, path: string, options: Options): Promise<Response> {
  const { signal, etag } = options;
  const body = options.body === undefined ? undefined : JSON.stringify(options.body);
  const url = toUrl(path, options.query);
  const response = await fetch(url, {
    method,
    headers: {
      ...options.headers,
      accept: 'application/json',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(etag ? { 'if-none-match': etag } : {}),
      // Timers and live events ask too; only what the person does keeps the Locked folder open.
      ...(msSinceUserInput() > BACKGROUND_MS ? { 'x-safelight-background': '1' } : {}),
    },
    ...(body === undefined ? {} : { body }),
    ...(options.keepalive && { keepalive: new Blob([body ?? '']).size <= KEEPALIVE_BYTES }),
    ...(signal ? { signal } : {}),
  }).catch((error: unknown) => {
    if (signal?.aborted) throw error;
    void checkConnection();
    throw new ApiError(0, UNREACHABLE);
  });
  noteAnswer(response.status, response.headers.has(CACHED_HEADER));
  if (method === 'GET' && response.status === 200 && !isGuest()) cacheAnswer(url, response);
  if (response.ok || response.status === 304) return response;
  const error = await readError(response);
  const isEnd = response.status === 401 && !isGuest() && !isLockedOut(error);
  if (isEnd && !path.startsWith('/auth/')) onSignedOut();
  throw error;
}

/** Reads an error answer, which names the request in the log. */
export const readError = async (response: Response): Promise<ApiError> =>
  parseError(response.status, await response.text(), response.headers.get(REFERENCE));

/** The header that names a request in the log of the server. */
export const REFERENCE = 'x-correlation-id';

/** Any error answer, also one that a proxy wrote, as a sentence for a person. */
export function parseError(
  status: number,
  text: string,
  reference: string | null = null,
): ApiError {
  const { errors = [], message, code: own, assetId } = readJson(text) ?? {};
  const fields: Record<string, string> = {};
  for (const item of errors) {
    const name = Array.isArray(item.path) ? item.path.join('.') : item.path;
    if (name) fields[name] = describeFault(item.code, item.message);
  }
  // Operations of Immich have codes of fields only.
  const isProof = errors.some(({ code }) => code === PROOF_REQUIRED);
  const code = isProof ? PROOF_REQUIRED : own;
  const texts = Object.values(fields);
  const sentence =
    texts.length > 0
      ? joinFaults(texts)
      : describeRefusal({ status, code, message, reference: reference ?? undefined });
  return new ApiError(status, sentence, fields, code, assetId, message);
}

type ErrorBody = {
  message?: string;
  code?: string;
  assetId?: string;
  errors?: { code?: string; path?: string | string[]; message?: string }[];
};
function readJson(text: string): ErrorBody | undefined {
  try {
    return JSON.parse(text) as ErrorBody;
  } catch {
    return undefined;
  }
}

export function queryString(query: Query = {}): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) params.set(name, String(value));
  }
  const text = params.toString();
  return text ? `?${text}` : '';
}

/** Returns a sentence for a person about anything that was thrown. */
export const getMessage = (error: unknown): string =>
  error instanceof Error ? error.message : t('Something went wrong.');
