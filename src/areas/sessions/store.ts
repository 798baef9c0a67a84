import { and, desc, eq, gt, inArray, isNull, lte, ne, or } from 'drizzle-orm';
import type { Db } from '../../db/client.ts';
import { type SessionRow, sessions } from '../../db/tables/identity.ts';
import { getRow } from '../../db/query.ts';

type NewSession = typeof sessions.$inferInsert;

const isOwn = (userId: string, id: string) => and(eq(sessions.userId, userId), eq(sessions.id, id));

export const listSessions = async (db: Db, userId: string, now: Date): Promise<SessionRow[]> =>
  db
    .select()
    .from(sessions)
    .where(
      and(eq(sessions.userId, userId), or(isNull(sessions.expiresAt), gt(sessions.expiresAt, now))),
    )
    .orderBy(desc(sessions.updatedAt), desc(sessions.id));

export async function findSession(
  db: Db,
  userId: string,
  id: string,
): Promise<SessionRow | undefined> {
  const [row] = await db.select().from(sessions).where(isOwn(userId, id));
  return row;
}

export async function insertSession(db: Db, session: NewSession): Promise<SessionRow> {
  const row = getRow(await db.insert(sessions).values(session).returning());
  return row;
}

export async function updateSession(
  db: Db,
  userId: string,
  id: string,
  change: Partial<NewSession>,
): Promise<SessionRow | undefined> {
  const [row] = await db.update(sessions).set(change).where(isOwn(userId, id)).returning();
  return row;
}

/** Deletes the sessions of the account that have expired. */
export async function deleteExpired(db: Db, userId: string, now: Date): Promise<void> {
  await db.delete(sessions).where(and(eq(sessions.userId, userId), lte(sessions.expiresAt, now)));
}

/** Ends the sessions of the account beyond the `kept` that were used last. */
export async function endUnused(db: Db, userId: string, kept: number): Promise<void> {
  const beyond = db
    .select({ id: sessions.id })
    .from(sessions)
    .where(eq(sessions.userId, userId))
    .orderBy(desc(sessions.updatedAt), desc(sessions.createdAt), desc(sessions.id))
    .offset(kept);
  await db.delete(sessions).where(inArray(sessions.id, beyond));
}

/** Deletes the session and those created from it. Returns false when it does not exist. */
export async function deleteSession(db: Db, userId: string, id: string): Promise<boolean> {
  const rows = await db.delete(sessions).where(isOwn(userId, id)).returning({ id: sessions.id });
  return rows.length > 0;
}

/** Ends the account's sessions, except `keptId`. */
export async function deleteSessions(db: Db, userId: string, keptId?: string): Promise<void> {
  // Otherwise the kept one would end with the session that it was made from.
  if (keptId) await updateSession(db, userId, keptId, { parentId: null });
  await db
    .delete(sessions)
    .where(and(eq(sessions.userId, userId), keptId ? ne(sessions.id, keptId) : undefined));
}

/**
 * Takes back what the PIN or the password has opened or proven, in every session of the account. The session
 * that sets the new one, `setterId`, stays proven: its user knows the new one.
 */
export async function lockSessions(db: Db, userId: string, setterId?: string): Promise<void> {
  await db.update(sessions).set({ elevatedUntil: null }).where(eq(sessions.userId, userId));
  await db
    .update(sessions)
    .set({ provenAt: null })
    .where(and(eq(sessions.userId, userId), setterId ? ne(sessions.id, setterId) : undefined));
}
