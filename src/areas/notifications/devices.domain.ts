import type { Deps } from '../../core/context.ts';
import { sha256 } from '../../core/hash.ts';
import type { Db } from '../../db/client.ts';
import { saveDevice } from './devices.store.ts';
import { notify } from './notify.domain.ts';

type LoginDevice = {
  readonly deviceType: string;
  readonly deviceOs: string;
  /** Null: a browser. */
  readonly appVersion: string | null;
};

/**
 * Notifies an account of a login from a device that it has not used before; the first one is its own.
 * Call it in the transaction of the login, which goes on if this fails.
 */
export async function notifyOfNewDevice(
  { db, log, now }: Pick<Deps, 'db' | 'log' | 'now'>,
  userId: string,
  device: LoginDevice,
): Promise<void> {
  try {
    await db.transaction((tx) => recordDevice(tx, userId, device, now()));
  } catch (error) {
    log.warn('recording the device of a login failed', { error });
  }
}

async function recordDevice(
  db: Db,
  userId: string,
  { deviceType, deviceOs, appVersion }: LoginDevice,
  now: Date,
): Promise<void> {
  const kind = appVersion === null ? 'browser' : 'app';
  // Without the version: an update makes no other device.
  const fingerprint = sha256(JSON.stringify([userId, kind, deviceType, deviceOs]));
  if (!(await saveDevice(db, { userId, fingerprint, now }))) return;
  const name = [deviceType || 'unknown device', deviceOs].filter(Boolean).join(', ');
  const event = {
    userId,
    kind: 'newLogin',
    title: 'New Login',
    description: `Somebody has logged in to your account from a new device (${name})`,
    data: { deviceType, deviceOs, isApp: appVersion !== null },
  } as const;
  await notify(db, event, now);
}
