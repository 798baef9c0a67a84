import { and, asc, eq, isNull, lt, lte, or, sql } from 'drizzle-orm';
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
 * Takes the message that is due longest: nobody else does until `until`, also if this process ends. That it
 * was taken is no attempt: `saveAttempt` counts when the outcome is known.
 */
export async function takeMessage(
  db: Db,
  now: Date,
  until: Date,
): Promise<MailMessageRow | undefined> {
  const { leasedUntil, nextAttemptAt, status } = mailMessages;
  const due = db
    .select({ id: mailMessages.id })
    .from(mailMessages)
    .where(
      and(
        eq(status, 'queued'),
        lte(nextAttemptAt, now),
        or(isNull(leasedUntil), lte(leasedUntil, now)),
      ),
    )
    .orderBy(asc(nextAttemptAt))
    .limit(1)
    .for('update', { skipLocked: true });
  const [taken] = await db
    .update(mailMessages)
    .set({ leasedUntil: until })
    .where(eq(mailMessages.id, due))
    .returning();
  return taken;
}

export type AttemptOutcome = Partial<
  Pick<MailMessageRow, 'status' | 'error' | 'nextAttemptAt' | 'sentAt'>
> & {
  /** When it was known. */
  readonly now: Date;
  /** The server has answered: see the column. */
  readonly isCounted: boolean;
};

/** Records the outcome of an attempt and ends the lease. */
export async function saveAttempt(
  db: Db,
  id: string,
  { now, isCounted, ...outcome }: AttemptOutcome,
): Promise<void> {
  const { attempts, firstAttemptAt, status } = mailMessages;
  await db
    .update(mailMessages)
    .set({
      ...outcome,
      leasedUntil: null,
      attempts: sql`${attempts} + ${isCounted ? 1 : 0}::int`,
      firstAttemptAt: sql`coalesce(${firstAttemptAt}, ${now.toISOString()}::timestamptz)`,
    })
    .where(and(eq(mailMessages.id, id), eq(status, 'queued')));
}

export async function deleteMessagesBefore(db: Db, before: Date): Promise<void> {
  await db.delete(mailMessages).where(lt(mailMessages.createdAt, before));
}
