import type { Db } from '../../db/client.ts';
import type { notifications } from '../../db/tables/notifications.ts';
import { announce } from '../../events/announce.ts';
import { findUser, isNotificationEnabled, type NotificationKind } from '../users/index.ts';
import type { Notification } from './schemas.ts';
import { listAdminIds, saveNotification } from './store.ts';
import { toNotification } from './view.ts';
import type { Deps } from '../../core/context.ts';
import { sha256 } from '../../core/hash.ts';
import { saveDevice } from './devices.store.ts';

type Severity = Pick<Notification, 'type' | 'level'>;

/** A partner's timeline has the switch of albums: both are what others share. */
type EventKind = NotificationKind | 'partnerShare';

/** Severity of each kind, as Immich's clients show it. */
const SEVERITIES: Readonly<Record<EventKind, Severity>> = {
  albumInvite: { type: 'AlbumInvite', level: 'success' },
  albumUpdate: { type: 'AlbumUpdate', level: 'info' },
  clusterGroupRequest: { type: 'ClusterGroupRequest', level: 'info' },
  jobFailed: { type: 'JobFailed', level: 'error' },
  backupFailed: { type: 'BackupFailed', level: 'error' },
  diskSpace: { type: 'SystemMessage', level: 'warning' },
  integrity: { type: 'SystemMessage', level: 'warning' },
  importFinished: { type: 'SystemMessage', level: 'success' },
  exportReady: { type: 'SystemMessage', level: 'success' },
  newLogin: { type: 'SystemMessage', level: 'warning' },
  workflow: { type: 'Custom', level: 'info' },
  partnerShare: { type: 'Custom', level: 'success' },
};

export type NotificationEvent = {
  readonly userId: string;
  readonly kind: EventKind;
  /** In English: the page words the kinds that it knows in the language of the reader. */
  readonly title: string;
  readonly description?: string;
  /** Ids and numbers of the event; `kind` is added. At most 4000 bytes of JSON. */
  readonly data?: Readonly<Record<string, unknown>>;
  /** Events with the key of an unread notification replace it; `data.count` is then the sum of both. */
  readonly key?: string;
};

/**
 * Notifies an account, unless it has switched this kind off. Call it with the transaction of the event:
 * both commit or neither does, and connected clients learn it then.
 */
export async function notify(db: Db, event: NotificationEvent, now: Date): Promise<void> {
  const { userId, kind, title, description = null, data, key = null } = event;
  const owner = await findUser(db, userId);
  const switchName = kind === 'partnerShare' ? 'albumInvite' : kind;
  if (!owner || !isNotificationEnabled(owner, switchName)) return;
  await deliver(db, {
    ...SEVERITIES[kind],
    ownerId: userId,
    title,
    description,
    data: { ...data, kind },
    key,
    createdAt: now,
    updatedAt: now,
  });
}

/** Notifies all administrators. */
export async function notifyAdmins(
  db: Db,
  event: Omit<NotificationEvent, 'userId'>,
  now: Date,
): Promise<void> {
  for (const userId of await listAdminIds(db)) await notify(db, { ...event, userId }, now);
}

/** Tells all administrators what they cannot switch off: what has become of the server. */
export async function tellAdmins(
  db: Db,
  { title, description }: Required<Pick<NotificationEvent, 'title' | 'description'>>,
  now: Date,
): Promise<void> {
  const data = { kind: 'maintenance' };
  const event = { type: 'SystemMessage', level: 'error', title, description, data } as const;
  for (const ownerId of await listAdminIds(db)) {
    await deliver(db, { ...event, ownerId, key: null, createdAt: now, updatedAt: now });
  }
}

/** Saves a notification and announces it to the connected clients of the account. */
export async function deliver(
  db: Db,
  row: typeof notifications.$inferInsert,
): Promise<Notification> {
  const notification = toNotification(await saveNotification(db, row));
  await announce(db, { user: row.ownerId, event: 'notification', data: shorten(notification) });
  return notification;
}

/** Bytes of JSON that an announcement carries. */
const MAX_ANNOUNCED_BYTES = 6000;
const SHORT_TEXT = 200;

/** A long text is announced by its beginning; the list has all of it. */
function shorten(notification: Notification): Notification {
  if (Buffer.byteLength(JSON.stringify(notification)) <= MAX_ANNOUNCED_BYTES) return notification;
  const { data: _, description, title, ...rest } = notification;
  return {
    ...rest,
    title: title.slice(0, SHORT_TEXT),
    ...(description !== undefined && { description: description.slice(0, SHORT_TEXT) }),
  };
}

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
