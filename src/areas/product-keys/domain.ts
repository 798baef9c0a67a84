import { requireUser } from '../../access/scope.ts';
import type { Ctx } from '../../core/context.ts';
import { AppError, badRequest } from '../../core/errors.ts';
import type { License, LicenseKey } from './schemas.ts';
import { IMMICH_KEYS, isSigned } from './signature.ts';
import * as store from './store.ts';

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
