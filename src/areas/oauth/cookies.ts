import { findCookie } from '../../access/credentials.ts';
import type { LoginSecrets } from './domain.ts';

const STATE = 'immich_oauth_state';
const CODE_VERIFIER = 'immich_oauth_code_verifier';

/** As long as a login at the provider may take. */
const MAX_AGE_SECONDS = 3600;

const toCookie = (name: string, value: string, maxAge: number, isEncrypted: boolean) =>
  `${name}=${value}; Path=/; Max-Age=${maxAge}; HttpOnly; SameSite=Lax${isEncrypted ? '; Secure' : ''}`;

export const secretCookies = (
  { state, codeVerifier }: LoginSecrets,
  isEncrypted: boolean,
): string[] =>
  Object.entries({ [STATE]: state, [CODE_VERIFIER]: codeVerifier }).flatMap(([name, value]) =>
    value ? [toCookie(name, encodeURIComponent(value), MAX_AGE_SECONDS, isEncrypted)] : [],
  );

export const expiredSecretCookies = (): string[] =>
  [STATE, CODE_VERIFIER].map((name) => toCookie(name, '', 0, false));

export function readSecretCookies(request: Request): LoginSecrets {
  const read = (name: string) => decode(findCookie(request, name));
  return { state: read(STATE), codeVerifier: read(CODE_VERIFIER) };
}

/** Returns undefined for a cookie that is none of ours. */
function decode(value: string | undefined): string | undefined {
  try {
    return value && decodeURIComponent(value);
  } catch {
    return undefined;
  }
}
