import type { Sql } from 'postgres';
import type { Session } from '../access/session.ts';
import type { Db } from '../db/client.ts';
import type { Log } from './log.ts';
import type { DataPaths } from './paths.ts';
import type { Settings } from './settings.ts';

/** What the whole process shares. Everything that varies by machine or by test is here. */
export type Deps = {
  readonly db: Db;
  /** The driver below `db`, for streams, COPY and LISTEN. Never inside a transaction of `db`. */
  readonly sql: Sql;
  readonly now: () => Date;
  readonly paths: DataPaths;
  readonly settings: Settings;
  readonly log: Log;
};

/** What a domain function may use: the process and who is asking. */
export type Ctx = Deps & { readonly session: Session };

/**
 * Runs `work` in one transaction. The callback gets its own `ctx`, named like the outer one, so the
 * pool cannot be used by mistake inside the transaction. When PostgreSQL ends it because two
 * transactions waited for each other, nothing has happened and it is run again.
 */
export async function inTransaction<C extends { readonly db: Db }, T>(
  ctx: C,
  work: (ctx: C) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await ctx.db.transaction((tx) => work({ ...ctx, db: tx }));
    } catch (error) {
      // A transaction within a transaction cannot go on after this: only the outermost is repeated.
      const isOutermost = !('rollback' in ctx.db);
      if (!isOutermost || attempt >= MAX_ATTEMPTS || !isDeadlock(error)) throw error;
    }
  }
}

const MAX_ATTEMPTS = 4;
const isDeadlock = (error: unknown): boolean =>
  error instanceof Error &&
  ((error as { code?: unknown }).code === '40P01' || isDeadlock(error.cause));
