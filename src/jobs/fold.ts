import type { Db } from '../db/client.ts';
import type { Effect, JobCtx } from './define.ts';

/**
 * Returns the handler of a periodic job that folds delta rows of counts: of what `find` lists, in the
 * transaction that completes the job.
 */
export const createFoldHandler =
  <T>(
    find: (db: Db) => Promise<readonly T[]>,
    fold: (tx: Db, found: readonly T[]) => Promise<unknown>,
  ) =>
  async ({ db }: JobCtx): Promise<Effect | void> => {
    const found = await find(db);
    if (found.length === 0) return undefined;
    return async (tx) => void (await fold(tx, found));
  };
