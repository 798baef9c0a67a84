import { and, asc, eq, isNull, sql } from 'drizzle-orm';
import { badRequest } from '../../core/errors.ts';
import type { Db } from '../../db/client.ts';
import { isDatabaseError } from '../../db/errors.ts';
import { instances, type UserRow, users } from '../../db/tables/identity.ts';
import { column } from '../../db/columns.ts';
import { queryRows } from '../../db/query.ts';

export type UserChange = Partial<typeof users.$inferInsert>;

const isActive = isNull(users.deletedAt);

export const listActiveUsers = async (db: Db): Promise<UserRow[]> =>
  db.select().from(users).where(isActive).orderBy(asc(users.createdAt), asc(users.id));

export async function listAccountIds(db: Db): Promise<string[]> {
  const rows = await db.select({ id: users.id }).from(users).where(isActive).orderBy(users.id);
  return rows.map(({ id }) => id);
}

export async function findUser(
  db: Db,
  id: string,
  { withDeleted = false } = {},
): Promise<UserRow | undefined> {
  const [row] = await db
    .select()
    .from(users)
    .where(and(eq(users.id, id), withDeleted ? undefined : isActive))
    .prepare('users.find')
    .execute();
  return row;
}

/** Returns the account, locked until the transaction ends. */
export async function lockUser(db: Db, id: string): Promise<UserRow | undefined> {
  const [row] = await db
    .select()
    .from(users)
    .where(and(eq(users.id, id), isActive))
    .for('update');
  return row;
}

/** Throws 400 when the e-mail or the storage label belongs to another account. */
export async function saveUser(
  db: Db,
  id: string,
  change: UserChange,
): Promise<UserRow | undefined> {
  try {
    const [row] = await db.update(users).set(change).where(eq(users.id, id)).returning();
    return row;
  } catch (error) {
    if (!isDatabaseError(error, 'uniqueViolation')) throw error;
    throw badRequest(`${conflictingField(error)} already in use by another account`);
  }
}

function conflictingField(error: unknown): string {
  if (isDatabaseError(error, 'uniqueViolation', 'app_user_email_key')) return 'Email';
  if (isDatabaseError(error, 'uniqueViolation', 'app_user_oauth_key')) return 'OAuth account';
  return 'Storage label';
}

/** Returns the bytes of all uploads of the account, trashed ones included; not of external libraries. */
export async function getUsageBytes(db: Db, userId: string): Promise<number> {
  const [row] = await queryRows(
    db,
    { bytes: column.numeric },
    sql`
    select coalesce(sum(bytes), 0) as bytes from asset_count where owner_id = ${userId}`,
  );
  return Number(row?.bytes ?? 0);
}

/**
 * Whether the first-run sign-up is over. It stays so when the administrators have lost their rights: the
 * next visitor must not become one, and the command line grants them again.
 */
export async function hasAdmin(db: Db): Promise<boolean> {
  const admins = await db
    .select({ id: users.id })
    .from(users)
    .where(eq(users.isAdmin, true))
    .limit(1);
  if (admins.length > 0) return true;
  const [instance] = await db.select({ adminId: instances.adminId }).from(instances);
  return typeof instance?.adminId === 'string';
}
