import { type SQL, sql } from 'drizzle-orm';
import type { Db } from './client.ts';
import { isDatabaseError } from './errors.ts';

const MAX_ATTEMPTS = 4;

/** Thrown in a transaction that would have to wait for a lock while it holds others, out of their order. */
export class LockConflict extends Error {
  override readonly name = 'LockConflict';
}

/**
 * Runs `work` in one transaction and returns its result. The callback gets its own `ctx`, named like
 * the outer one, so the pool cannot be used by mistake inside the transaction. A transaction that
 * PostgreSQL ends because of a deadlock, or that gives way before one, has changed nothing and is run again.
 */
export async function inTransaction<C extends { readonly db: Db }, T>(
  ctx: C,
  work: (ctx: C) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await ctx.db.transaction((tx) => work({ ...ctx, db: tx }));
    } catch (error) {
      // A savepoint cannot go on after this: only the outermost transaction is repeated.
      const isOutermost = !isInTransaction(ctx.db);
      const isConflict = error instanceof LockConflict || isDatabaseError(error, 'deadlock');
      if (!isOutermost || attempt >= MAX_ATTEMPTS || !isConflict) throw error;
    }
  }
}

/** Returns whether `db` is a transaction that may have written. */
export const isInTransaction = (db: Db): boolean => 'rollback' in db;

const ASYNCHRONOUS: SQL = sql`set local synchronous_commit to off`;

/**
 * Commits the transaction before it is on the disk: a power failure within the next second undoes it as
 * a whole, never half, and never without those after it. For steps of work that resumes from what is
 * stored, and that nothing outside the database depends on: no file is deleted, nobody is told.
 */
export async function commitAsynchronously(db: Db): Promise<void> {
  await db.execute(ASYNCHRONOUS);
}
