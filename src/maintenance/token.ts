import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto';

// JSON Web Tokens (RFC 7519) signed by HMAC with SHA-256, as Immich's clients know them.

export const MAINTENANCE_COOKIE = 'immich_maintenance_token';

const LIFETIME_SECONDS = 4 * 3600;
const COOKIE_SECONDS = 24 * 3600;
const HEADER = encode({ alg: 'HS256' });

export type MaintenanceAuth = {
  readonly username: string;
  /** Identifier of a token that is in an address: it logs in once, and is of no other use. */
  readonly loginId?: string | undefined;
};

export function signToken(
  secret: string,
  { username, loginId }: MaintenanceAuth,
  now: Date,
): string {
  const issuedAt = Math.floor(now.getTime() / 1000);
  const exp = issuedAt + LIFETIME_SECONDS;
  const claims = encode({ username, iat: issuedAt, exp, jti: loginId });
  const signed = `${HEADER}.${claims}`;
  return `${signed}.${computeSignature(secret, signed).toString('base64url')}`;
}

/** Returns the holder of a token; undefined for one that is malformed, forged or expired. */
export function verifyToken(
  secret: string | undefined,
  token: string,
  now: Date,
): MaintenanceAuth | undefined {
  const [header, claims, signature, ...more] = token.split('.');
  if (!secret || !claims || !signature || header !== HEADER || more.length > 0) return undefined;
  const given = Buffer.from(signature, 'base64url');
  const expected = computeSignature(secret, `${header}.${claims}`);
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
  const { username, exp, jti } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as {
    username: string;
    exp: number;
    jti?: string;
  };
  return exp * 1000 > now.getTime() ? { username, loginId: jti } : undefined;
}

export const toCookie = (token: string, isEncrypted: boolean): string =>
  `${MAINTENANCE_COOKIE}=${token}; HttpOnly; Path=/; Max-Age=${COOKIE_SECONDS}; SameSite=Lax` +
  (isEncrypted ? '; Secure' : '');

/** Returns an address at which an administrator of the machine logs in, once. */
export function createLoginUrl(base: string, secret: string, now: Date): string {
  const auth = { username: 'administrator', loginId: randomUUID() };
  return `${base}/maintenance?token=${signToken(secret, auth, now)}`;
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

const computeSignature = (secret: string, text: string): Buffer =>
  createHmac('sha256', secret).update(text).digest();
