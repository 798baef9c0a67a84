import { requireUser } from '../../access/scope.ts';
import type { Ctx } from '../../core/context.ts';
import { AppError, badRequest } from '../../core/errors.ts';
import type { License, LicenseKey } from './schemas.ts';
import * as store from './store.ts';
import { createPublicKey, verify } from 'node:crypto';

// Product keys of Immich: whoever has bought one sees it here too. Nothing depends on them.

const SERVER_PREFIX = 'IMSV-';

export const getServerLicense = async ({ db }: Ctx): Promise<License> =>
  requireLicense(await store.findServerLicense(db));

export const getUserLicense = async ({ db, session }: Ctx): Promise<License> =>
  requireLicense(await store.findUserLicense(db, requireUser(session).userId));

/** Throws 400 unless the key is one for servers and signed as such. */
export async function setServerLicense(
  { db, now }: Ctx,
  key: LicenseKey,
  keys = IMMICH_KEYS,
): Promise<License> {
  const { licenseKey, activationKey } = key;
  const isValid =
    licenseKey.startsWith(SERVER_PREFIX) && isSigned(licenseKey, activationKey, keys.server);
  if (!isValid) throw createInvalidKeyError();
  const license = { licenseKey, activationKey, activatedAt: now().toISOString() };
  await store.saveServerLicense(db, license);
  return license;
}

/** Throws 400 unless the key is signed, as one for an account or for a server. */
export async function setUserLicense(
  { db, now, session }: Ctx,
  key: LicenseKey,
  keys = IMMICH_KEYS,
): Promise<License> {
  const { licenseKey, activationKey } = key;
  const isValid = [keys.client, keys.server].some((publicKey) =>
    isSigned(licenseKey, activationKey, publicKey),
  );
  if (!isValid) throw createInvalidKeyError();
  const license = { licenseKey, activationKey, activatedAt: now().toISOString() };
  await store.saveUserLicense(db, requireUser(session).userId, license);
  return license;
}

export const deleteServerLicense = ({ db }: Ctx): Promise<void> =>
  store.saveServerLicense(db, null);

export const deleteUserLicense = ({ db, session }: Ctx): Promise<void> =>
  store.saveUserLicense(db, requireUser(session).userId, null);

function requireLicense(license: License | null): License {
  // Immich's words.
  if (!license) throw new AppError('notFound', 'Not Found');
  return license;
}

const createInvalidKeyError = () => badRequest('Invalid license key');

/** Public keys of those who sign product keys: SPKI, PEM. */
type SigningKeys = { readonly client: string; readonly server: string };

const toPem = (body: string): string =>
  `-----BEGIN PUBLIC KEY-----\n${body}\n-----END PUBLIC KEY-----\n`;

/** Immich's, with which keys are signed that people have bought. */
export const IMMICH_KEYS: SigningKeys = {
  client: toPem(`MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAv/7S32cRA5++1NnVDsCM
spP/jJHIMqOJXFnh4NwA2Opz+RMfdco92PsOgh+wwQeEv1U2c2pjzTiQ/2lrKq/k
zJRlXwc4cUesQDMJOF+P2qONPbAJkXvCXYBULitCIkoLwfhSGNjyIKaRDhd/tNyN
8+hNRZnYT1hSIj9SCkKxUCOzatPV4mCDerS+bE+gEUeWp99V9azvF0FImnTWpQSw
c8wEZgOMh4svh6aicwdzkPCwELak0VaBH31BEUCQLb9+AItHAUtJCKxhb5Wjs1s9
brXfi0vrpgcZ/6DanY2qfSPznOmvD2FrrlS1q4JJN3Vo7Ww/0Yy/yMcmzTWZhGuh
UQIDAQAB`),
  server: toPem(`MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAopnYDa0a/dU5IeG74iEE
MwdAKjsNczLdCqRd1Z9y5T2wjO7eYIOeJTsl350sR0p4KfSUDSXvC9NpDpc1tOKl
5shC/AxpvQALCokF4jt8vrrd9fCaXc1TqRbOmnhiugD6vkr0O/Fb3UDi3U0TvhPP
lPdvSawzLrWZPLfmHVVrbrSKmn9IeSgy07ukWTIyLsciNrvnBywsJaReDuoNWPBH
U/mo2mXa8m4wMWhiXehiIOQqMuSUgPeCsWj8UVx1CGlRzPDA0bVNQveKXWVxcEI6
ULEgJy2F49lH0+aYCmBf7NEr6VQ2WB95evTKXKvn0qIM7ngFlcUAw6fuV1cNCTJS
6wIDAQAB`),
};

/** Tells whether the activation key, in base64 or base64url, is a signature (RSA, SHA-256) of the key. */
export const isSigned = (licenseKey: string, activationKey: string, publicKey: string): boolean =>
  verify(
    'sha256',
    Buffer.from(licenseKey),
    createPublicKey(publicKey),
    Buffer.from(activationKey, 'base64'),
  );
