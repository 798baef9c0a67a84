import { ACCESS_TOKEN_COOKIE } from '../../access/credentials.ts';

/** As long as browsers keep any cookie: 400 days. */
const MAX_AGE_SECONDS = 400 * 24 * 3600;

/** Tells how the browser has logged in: 'password' or 'oauth'. */
export const AUTH_TYPE_COOKIE = 'immich_auth_type';

/** The token itself is out of reach for scripts; the page learns from the others that it is logged in. */
export function loginCookies(
  token: string,
  isEncrypted: boolean,
  type: 'password' | 'oauth' = 'password',
): string[] {
  const expires = new Date(Date.now() + MAX_AGE_SECONDS * 1000).toUTCString();
  // In the order of Immich, whose clients compare it.
  const kept = `; Max-Age=${MAX_AGE_SECONDS}; Path=/; Expires=${expires}`;
  const scope = `${isEncrypted ? '; Secure' : ''}; SameSite=Lax`;
  return [
    `${ACCESS_TOKEN_COOKIE}=${token}${kept}; HttpOnly${scope}`,
    `${AUTH_TYPE_COOKIE}=${type}${kept}; HttpOnly${scope}`,
    `immich_is_authenticated=true${kept}${scope}`,
  ];
}

export const logoutCookies = (): string[] =>
  [ACCESS_TOKEN_COOKIE, AUTH_TYPE_COOKIE, 'immich_is_authenticated'].map(
    (name) => `${name}=; Path=/; Max-Age=0; SameSite=Lax`,
  );
