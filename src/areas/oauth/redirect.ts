import type { OAuthConfig } from '../openid/index.ts';

const MOBILE_REDIRECT = 'app.immich:///oauth-callback';
const MOBILE_PATTERN = /app\.immich:\/+oauth-callback/;

/** Replaces the address of the mobile app by that of the configuration, for providers that accept HTTP only. */
export const replaceMobileRedirect = (
  { mobileOverrideEnabled, mobileRedirectUri }: OAuthConfig,
  url: string,
): string =>
  mobileOverrideEnabled && mobileRedirectUri
    ? url.replace(MOBILE_PATTERN, () => mobileRedirectUri)
    : url;

/** Returns the address of the mobile app with the query of the request, whatever its path. */
export function toMobileRedirect(requestUrl: string): string {
  const { search } = new URL(requestUrl);
  return `${MOBILE_REDIRECT}${search || '?'}`;
}

/** Addresses of this server, as far as it knows them. */
export type OwnOrigins = {
  /** Requested host, with its port. */
  readonly host: string | null;
  /** Origin header of a request that the browser says is not of another site. */
  readonly browserOrigin: string | null;
  readonly externalDomain: string;
};

/** Returns whether the provider may send the user there: to this server or the mobile app. */
export function isOwnRedirect(
  redirectUri: string,
  { mobileOverrideEnabled, mobileRedirectUri }: OAuthConfig,
  { host, browserOrigin, externalDomain }: OwnOrigins,
): boolean {
  if (new RegExp(`^${MOBILE_PATTERN.source}$`).test(redirectUri)) return true;
  if (mobileOverrideEnabled && redirectUri === mobileRedirectUri) return true;
  const url = URL.parse(redirectUri);
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password) return false;
  const isExternal = url.origin === URL.parse(externalDomain)?.origin;
  return isExternal || url.origin === browserOrigin || url.host === host;
}
