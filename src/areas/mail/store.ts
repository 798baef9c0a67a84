import { and, asc, eq, lt, lte, sql } from 'drizzle-orm';
import type { Db } from '../../db/client.ts';
import { type MailMessageRow, mailMessages } from '../../db/tables/notifications.ts';

/** Returns false if the event has a message already. */
export async function insertMessage(
  db: Db,
  message: Pick<MailMessageRow, 'key' | 'userId' | 'template' | 'data'> & {
    readonly now: Date;
    /** Earliest attempt; `now` by default. */
    readonly sendAt?: Date;
  },
): Promise<boolean> {
  const { now, sendAt = now, ...values } = message;
  const inserted = await db
    .insert(mailMessages)
    .values({ ...values, createdAt: now, nextAttemptAt: sendAt })
    .onConflictDoNothing()
    .returning({ id: mailMessages.id });
  return inserted.length > 0;
}

/**
 * Takes the message that is due longest for an attempt: nobody else takes it until `until`, also if this
 * process ends.
 */
export async function takeMessage(
  db: Db,
  now: Date,
  until: Date,
): Promise<MailMessageRow | undefined> {
  const due = db
    .select({ id: mailMessages.id })
    .from(mailMessages)
    .where(and(eq(mailMessages.status, 'queued'), lte(mailMessages.nextAttemptAt, now)))
    .orderBy(asc(mailMessages.nextAttemptAt))
    .limit(1)
    .for('update', { skipLocked: true });
  const [taken] = await db
    .update(mailMessages)
    .set({ attempts: sql`${mailMessages.attempts} + 1`, nextAttemptAt: until })
    .where(eq(mailMessages.id, due))
    .returning();
  return taken;
}

export async function saveAttempt(
  db: Db,
  id: string,
  outcome: Partial<Pick<MailMessageRow, 'status' | 'error' | 'nextAttemptAt' | 'sentAt'>>,
): Promise<void> {
  await db.update(mailMessages).set(outcome).where(eq(mailMessages.id, id));
}

export async function deleteMessagesBefore(db: Db, before: Date): Promise<void> {
  await db.delete(mailMessages).where(lt(mailMessages.createdAt, before));
}
