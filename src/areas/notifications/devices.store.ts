import { and, lt, sql } from 'drizzle-orm';
import type { Db } from '../../db/client.ts';
import { column } from '../../db/columns.ts';
import { getRow, queryRows } from '../../db/query.ts';
import { knownDevices } from '../../db/tables/notifications.ts';

export type DeviceSighting = {
  readonly userId: string;
  readonly fingerprint: Uint8Array;
  readonly now: Date;
};

/** Saves that an account has logged in from a device. Returns whether it knew others, but not this one. */
export async function saveDevice(
  db: Db,
  { userId, fingerprint, now }: DeviceSighting,
): Promise<boolean> {
  const at = now.toISOString();
  const row = getRow(
    await queryRows(
      db,
      { isUnknown: column.boolean },
      sql`
    insert into known_device (user_id, fingerprint, first_seen_at, last_seen_at)
    values (${userId}, ${Buffer.from(fingerprint)}, ${at}, ${at})
    on conflict (user_id, fingerprint) do update set last_seen_at = excluded.last_seen_at
    returning xmax = 0 and exists (
      select from known_device other where other.user_id = ${userId}) as "isUnknown"`,
    ),
  );
  return row.isUnknown;
}

/** Deletes devices last seen before `before`, but the latest of each account: it is no new account again. */
export async function deleteDevicesBefore(db: Db, before: Date): Promise<void> {
  await db.delete(knownDevices).where(
    and(
      lt(knownDevices.lastSeenAt, before),
      sql`exists (select from known_device later where later.user_id = known_device.user_id
        and (later.last_seen_at, later.fingerprint)
          > (known_device.last_seen_at, known_device.fingerprint))`,
    ),
  );
}
