import { and, asc, eq, isNull, sql, desc } from 'drizzle-orm';
import { badRequest } from '../../core/errors.ts';
import type { Db } from '../../db/client.ts';
import { isDatabaseError } from '../../db/errors.ts';
import { instances, type UserRow, users, sessions } from '../../db/tables/identity.ts';
import { column } from '../../db/columns.ts';
import { queryRows } from '../../db/query.ts';
import { filterOpenAlbums } from '../../access/albums.ts';
import type { UserSession } from '../../access/session.ts';
import { uuids } from '../../db/arrays.ts';
import type { LockedContentRule } from './preferences.schemas.ts';
import { type FieldChange, preferenceChanges } from '../../db/tables/preferences.ts';

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

type Kind = LockedContentRule['kind'];

/** Tables whose rows belong to one account. */
const OWNED = { person: sql.raw('person'), pet: sql.raw('pet'), tag: sql.raw('tag') } as const;

/** Returns the subset of `ids` that a rule may name: own ones, and albums that the account may open. */
export async function findRuleTargets(
  db: Db,
  session: UserSession,
  kind: Exclude<Kind, 'date'>,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  if (kind === 'album') return filterOpenAlbums(db, session, ids);
  const rows = await queryRows(
    db,
    { id: column.uuid },
    sql`
    select id from ${OWNED[kind]} where owner_id = ${session.userId} and id = any(${uuids(ids)})`,
  );
  return new Set(rows.map(({ id }) => id));
}

const MAX_CHANGES = 100;

/** Returns the changes, newest first, each with the session that made it if that still exists. */
export const listChanges = async (db: Db, userId: string) =>
  db
    .select({ change: preferenceChanges, session: sessions })
    .from(preferenceChanges)
    .leftJoin(sessions, eq(sessions.id, preferenceChanges.sessionId))
    .where(eq(preferenceChanges.userId, userId))
    .orderBy(desc(preferenceChanges.number))
    .limit(MAX_CHANGES);

export type NewChange = {
  readonly userId: string;
  readonly sessionId: string | undefined;
  readonly changes: readonly FieldChange[];
  readonly createdAt: Date;
};

/** Inserts a change and deletes the oldest beyond the limit. The caller has locked the account. */
export async function insertChange(db: Db, change: NewChange): Promise<void> {
  await db.insert(preferenceChanges).values({ ...change, sessionId: change.sessionId ?? null });
  const oldest = sql`(
    select number from preference_change kept where kept.user_id = ${change.userId}
    order by number desc offset ${MAX_CHANGES - 1} limit 1)`;
  await db
    .delete(preferenceChanges)
    .where(
      and(
        eq(preferenceChanges.userId, change.userId),
        sql`${preferenceChanges.number} < ${oldest}`,
      ),
    );
}
