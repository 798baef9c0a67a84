import { sql } from 'drizzle-orm';
import { tooManyRequests } from '../core/errors.ts';
import type { Db } from '../db/client.ts';

/** What is being guessed, and how often it may fail before the next attempt has to wait. */
export type Subject = { readonly name: string; readonly free: number };

/** The wait doubles with every failure; the cap keeps a stranger from locking the owner out. */
const FIRST_WAIT_SECONDS = 1;
const LONGEST_WAIT_SECONDS = 60;
/** Failures older than this are forgotten. */
const MEMORY_HOURS = 24;

export const loginSubject = (email: string): Subject => ({
  name: `login:${email.slice(0, 320)}`,
  free: 10,
});
/** Secrets of an account that is already logged in: the PIN and the current password. */
export const pinSubject = (userId: string): Subject => ({ name: `pin:${userId}`, free: 5 });
export const passwordSubject = (userId: string): Subject => ({
  name: `password:${userId}`,
  free: 10,
});
/** The password of a link, by one address; and by all of them together, which many guests share. */
export const linkSubject = (linkId: string, address?: string): Subject =>
  address === undefined
    ? { name: `link:${linkId}`, free: 100 }
    : { name: `link:${linkId}:${address}`, free: 10 };
/** Many people may stand behind one address. */
export const addressSubject = (address: string): Subject => ({
  name: `address:${address}`,
  free: 50,
});
/**
 * Tokens and keys are too long to be guessed, so this only slows noise down. A device that holds a
 * revoked token asks for hundreds of thumbnails, and must still hear 401 to log itself out.
 */
export const keySubject = (address: string): Subject => ({ name: `key:${address}`, free: 2000 });

/**
 * Counts an attempt before its secret is checked, so that a thousand attempts at once are not all
 * free. Throws 429 while the subject has to wait.
 */
export async function countAttempt(db: Db, subjects: readonly Subject[], now: Date): Promise<void> {
  for (const subject of subjects) {
    const waitUntil = await reserve(db, subject, now);
    if (waitUntil) {
      const seconds = (waitUntil.getTime() - now.getTime()) / 1000;
      throw tooManyRequests('Too many attempts, try again later', seconds);
    }
  }
}

/** Takes the attempt back: it was right. `forget` starts the subject's count anew. */
export async function attemptSucceeded(
  db: Db,
  { forget, shared }: { forget: readonly Subject[]; shared: readonly Subject[] },
  now: Date,
): Promise<void> {
  for (const { name } of forget) await db.execute(sql`delete from guess where subject = ${name}`);
  for (const { name } of shared) {
    await db.execute(sql`
      update guess set failures = greatest(failures - 1, 0), blocked_until = ${now.toISOString()}
      where subject = ${name}`);
  }
}

/** Answers until when to wait, or nothing when the attempt may be made. */
async function reserve(db: Db, { name, free }: Subject, at: Date): Promise<Date | undefined> {
  const now = sql`${at.toISOString()}::timestamptz`;
  const failures = sql`(case when guess.updated_at < ${now} - make_interval(hours => ${MEMORY_HOURS})
    then 0 else guess.failures end + 1)`;
  // The exponent is bounded too: 2 to the power of a million is no number.
  const wait = sql`least(${LONGEST_WAIT_SECONDS},
    ${FIRST_WAIT_SECONDS} * power(2, least(${failures} - ${free} - 1, 20)))`;
  const made = await db.execute<{ failures: number }>(sql`
    insert into guess (subject, failures, blocked_until, updated_at)
    values (${name}, 1, ${now}, ${now})
    on conflict (subject) do update set
      failures = ${failures},
      blocked_until = case when ${failures} > ${free}
        then ${now} + make_interval(secs => ${wait}) else ${now} end,
      updated_at = ${now}
    where guess.blocked_until <= ${now}
    returning failures`);
  if (made.length === 0) {
    const [row] = await db.execute<{ until: string }>(sql`
      select blocked_until as until from guess where subject = ${name}`);
    return row ? new Date(row.until) : undefined;
  }
  if (made[0]!.failures === 1) await forgetOld(db, at);
  return undefined;
}

/** Strangers choose the subjects: the table must not grow for ever. */
const forgetOld = (db: Db, at: Date) =>
  db.execute(sql`
    delete from guess where updated_at < ${at.toISOString()}::timestamptz
      - make_interval(hours => ${MEMORY_HOURS})`);
