import { and, desc, eq, isNull, lt, type SQL, sql } from 'drizzle-orm';
import { uuids } from '../../db/arrays.ts';
import type { Db } from '../../db/client.ts';
import { users } from '../../db/tables/identity.ts';
import { type NotificationRow, notifications } from '../../db/tables/notifications.ts';
import type { NotificationsFilter } from './schemas.ts';
import { getRow } from '../../db/query.ts';

const isOwned = (ownerId: string, condition: SQL | undefined) =>
  and(eq(notifications.ownerId, ownerId), condition);

const hasListedId = (ids: readonly string[]) => sql`${notifications.id} = any(${uuids(ids)})`;

/** Returns the notifications of the account that match, newest first. */
export const listNotifications = async (
  db: Db,
  ownerId: string,
  { id, level, type, unread }: NotificationsFilter,
): Promise<NotificationRow[]> =>
  db
    .select()
    .from(notifications)
    .where(
      isOwned(
        ownerId,
        and(
          id === undefined ? undefined : eq(notifications.id, id),
          level === undefined ? undefined : eq(notifications.level, level),
          type === undefined ? undefined : eq(notifications.type, type),
          unread ? isNull(notifications.readAt) : undefined,
        ),
      ),
    )
    .orderBy(desc(notifications.createdAt), desc(notifications.id));

/** Returns those of `ids` that belong to the account, locked until the transaction ends. */
export const lockNotifications = async (
  db: Db,
  ownerId: string,
  ids: readonly string[],
): Promise<NotificationRow[]> =>
  db
    .select()
    .from(notifications)
    .where(isOwned(ownerId, hasListedId(ids)))
    .orderBy(notifications.id)
    .for('update');

/** Sets when they were read. One that is marked as unread stays as it is when its event comes again. */
export const setReadAt = async (
  db: Db,
  ids: readonly string[],
  readAt: Date | null,
  now: Date,
): Promise<NotificationRow[]> =>
  db
    .update(notifications)
    .set({ readAt, updatedAt: now, ...(readAt === null && { key: null }) })
    .where(hasListedId(ids))
    .returning();

export async function deleteNotifications(db: Db, ids: readonly string[]): Promise<void> {
  await db.delete(notifications).where(hasListedId(ids));
}

/**
 * Inserts a notification. If the account has an unread one with the same key, that one becomes the new one
 * instead; their counts are added.
 */
export async function saveNotification(
  db: Db,
  row: typeof notifications.$inferInsert,
): Promise<NotificationRow> {
  const { title, description = null, level, createdAt, updatedAt } = row;
  const saved = getRow(
    await db
      .insert(notifications)
      .values(row)
      .onConflictDoUpdate({
        target: [notifications.ownerId, notifications.key],
        targetWhere: sql`key is not null and read_at is null`,
        set: { title, description, data: DATA_WITH_SUM, level, createdAt, updatedAt },
      })
      .returning(),
  );
  return saved;
}

const DATA_WITH_SUM = sql`excluded.data || case when excluded.data -> 'count' is null then '{}'
  else jsonb_build_object('count', (excluded.data ->> 'count')::bigint
    + coalesce((notification.data ->> 'count')::bigint, 0)) end`;

export async function listAdminIds(db: Db): Promise<string[]> {
  const rows = await db
    .select({ id: users.id })
    .from(users)
    .where(and(users.isAdmin, isNull(users.deletedAt)))
    .orderBy(users.id);
  return rows.map(({ id }) => id);
}

/** Deletes what is older than `before`; returns how many there were. */
export async function deleteNotificationsBefore(db: Db, before: Date): Promise<number> {
  const gone = await db
    .delete(notifications)
    .where(lt(notifications.createdAt, before))
    .returning({ id: notifications.id });
  return gone.length;
}
