import { isCompressible, toWeakEtag } from './compress.ts';
import type { Exchange } from './exchange.ts';

export type HeadOptions = {
  readonly closing: boolean;
  /** Whether browsers are told to use HTTPS only (RFC 6797). */
  readonly strictTransport?: boolean;
};

/** Returns alternating names and values for writeHead, which keeps each Set-Cookie a line of its own. */
export function toRawHeaders(
  exchange: Exchange,
  response: Response,
  { closing, strictTransport = false }: HeadOptions,
  without?: string,
): string[] {
  const raw: string[] = [];
  // oxlint-disable-next-line no-array-for-each -- iterating would allocate a pair per header
  response.headers.forEach((value, name) => {
    if (name === 'set-cookie' || name === without) return;
    raw.push(name, value);
  });
  if (response.headers.has('set-cookie')) {
    for (const cookie of response.headers.getSetCookie()) raw.push('set-cookie', cookie);
  }
  if (!response.headers.has('x-content-type-options')) {
    raw.push('x-content-type-options', 'nosniff');
  }
  // JSON is personal data or an error: never cached unless a route allows it.
  if (!response.headers.has('cache-control') && isJson(response)) {
    raw.push('cache-control', 'no-store');
  }
  if (strictTransport) raw.push('strict-transport-security', `max-age=${HALF_A_YEAR}`);
  raw.push('x-correlation-id', exchange.correlationId);
  if (closing || exchange.awaitsContinue) raw.push('connection', 'close');
  return raw;
}

/** In seconds. */
const HALF_A_YEAR = 15_552_000;

const isJson = ({ headers }: Response): boolean =>
  /^application\/(?:[\w.-]+\+)?json/.test(headers.get('content-type') ?? '');

/** Returns whether the response is complete, of a compressible type, not encoded yet, and lacks no-transform. */
export const canCompress = ({ status, headers }: Response): boolean =>
  status !== 206 &&
  isCompressible(headers.get('content-type')) &&
  !headers.has('content-encoding') &&
  !headers.get('cache-control')?.includes('no-transform');

/** Adds Accept-Encoding to Vary: caches keep a response per encoding (RFC 9110 §12.5.5). */
export function addVary(raw: string[]): void {
  const index = raw.indexOf('vary');
  const vary = index < 0 ? undefined : raw[index + 1];
  if (vary === undefined) raw.push('vary', 'accept-encoding');
  else if (!/accept-encoding|\*/i.test(vary)) raw[index + 1] = `${vary}, accept-encoding`;
}

/** Makes the ETag weak, because the compressed bytes differ (RFC 9110 §8.8.1). */
export function weakenEtag(raw: string[]): void {
  const index = raw.indexOf('etag');
  const etag = index < 0 ? undefined : raw[index + 1];
  if (etag !== undefined) raw[index + 1] = toWeakEtag(etag);
}
