import { and, desc, eq, sql } from 'drizzle-orm';
import type { Db } from '../../db/client.ts';
import { type FieldChange, preferenceChanges } from '../../db/tables/preferences.ts';
import { sessions } from '../../db/tables/identity.ts';

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
