import { forbidden } from '../core/errors.ts';

/** Credentials of a request, from any of the places that clients use. */
export type Credentials = {
  readonly shareKey: string | undefined;
  readonly shareSlug: string | undefined;
  readonly sessionToken: string | undefined;
  readonly apiKey: string | undefined;
};

export const ACCESS_TOKEN_COOKIE = 'immich_access_token';

/** `host`: the one that the client requested, where a proxy changed it. Throws 403 for a cross-site request. */
export function readCredentials(request: Request, host?: string | null): Credentials {
  const { headers } = request;
  const query = parseQuery(request.url);
  const read = (header: string, parameter: string) =>
    headers.get(header) ?? query?.get(parameter) ?? undefined;
  return {
    shareKey: read('x-immich-share-key', 'key'),
    shareSlug: read('x-immich-share-slug', 'slug'),
    sessionToken:
      headers.get('x-immich-user-token') ??
      headers.get('x-immich-session-token') ??
      query?.get('sessionKey') ??
      parseBearer(headers.get('authorization')) ??
      readSessionCookie(request, host),
    apiKey: read('x-api-key', 'apiKey'),
  };
}

function parseQuery(url: string): URLSearchParams | undefined {
  const mark = url.indexOf('?');
  return mark < 0 ? undefined : new URLSearchParams(url.slice(mark + 1));
}

const parseBearer = (header: string | null) => /^Bearer (.+)$/i.exec(header ?? '')?.[1];

export function findCookie(request: Request, name: string): string | undefined {
  for (const part of request.headers.get('cookie')?.split(';') ?? []) {
    const equals = part.indexOf('=');
    if (part.slice(0, equals).trim() === name) return part.slice(equals + 1).trim();
  }
  return undefined;
}

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Browsers send the cookie with requests of other sites too, and name the site: such a request may not
 * change anything. Clients other than browsers name none.
 */
function readSessionCookie(request: Request, host?: string | null): string | undefined {
  const token = findCookie(request, ACCESS_TOKEN_COOKIE);
  if (token && !SAFE_METHODS.has(request.method) && isFromOtherSite(request.headers, host)) {
    throw forbidden('Cross-site request refused');
  }
  return token;
}

/** Returns true when the browser reports another site (Sec-Fetch-Site, else Origin). */
export function isFromOtherSite(headers: Headers, host = headers.get('host')): boolean {
  const site = headers.get('sec-fetch-site');
  if (site) return site !== 'same-origin' && site !== 'none';
  const origin = headers.get('origin');
  if (!origin) return false;
  return URL.parse(origin)?.host !== host;
}
