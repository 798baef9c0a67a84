import { forbidden } from '../core/errors.ts';

/** What a request brings to say who it is; each from any of the places that clients use. */
export type Credentials = {
  readonly shareKey: string | undefined;
  readonly shareSlug: string | undefined;
  readonly sessionToken: string | undefined;
  readonly apiKey: string | undefined;
};

export const ACCESS_TOKEN_COOKIE = 'immich_access_token';

/** `host`: the one that the caller asked for, where a proxy changed it. */
export function credentialsOf(request: Request, host?: string | null): Credentials {
  const { headers } = request;
  const query = queryOf(request.url);
  const given = (header: string, parameter: string) =>
    headers.get(header) ?? query?.get(parameter) ?? undefined;
  return {
    shareKey: given('x-immich-share-key', 'key'),
    shareSlug: given('x-immich-share-slug', 'slug'),
    sessionToken:
      headers.get('x-immich-user-token') ??
      headers.get('x-immich-session-token') ??
      query?.get('sessionKey') ??
      bearerOf(headers.get('authorization')) ??
      fromCookie(request, host),
    apiKey: given('x-api-key', 'apiKey'),
  };
}

function queryOf(url: string): URLSearchParams | undefined {
  const mark = url.indexOf('?');
  return mark < 0 ? undefined : new URLSearchParams(url.slice(mark + 1));
}

const bearerOf = (header: string | null) => /^Bearer (.+)$/i.exec(header ?? '')?.[1];

export function cookieOf(request: Request, name: string): string | undefined {
  for (const part of request.headers.get('cookie')?.split(';') ?? []) {
    const equals = part.indexOf('=');
    if (part.slice(0, equals).trim() === name) return part.slice(equals + 1).trim();
  }
  return undefined;
}

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * A cookie travels with requests that other sites make. Browsers say where a request comes from, so a
 * change asked for by another site is refused; programs that set the cookie themselves say nothing.
 */
function fromCookie(request: Request, host?: string | null): string | undefined {
  const token = cookieOf(request, ACCESS_TOKEN_COOKIE);
  if (token && !SAFE_METHODS.has(request.method) && isFromOtherSite(request.headers, host)) {
    throw forbidden('Cross-site request refused');
  }
  return token;
}

/** Says a browser that another site asks? Programs say nothing, and are believed. */
export function isFromOtherSite(headers: Headers, host = headers.get('host')): boolean {
  const site = headers.get('sec-fetch-site');
  if (site) return site !== 'same-origin' && site !== 'none';
  const origin = headers.get('origin');
  if (!origin) return false;
  return URL.parse(origin)?.host !== host;
}
