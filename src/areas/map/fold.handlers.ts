import { inTransaction } from '../../db/transaction.ts';
import type { JobHandler } from '../../jobs/define.ts';
import { runThrottled } from '../../jobs/throttle.ts';
import { findUnfolded, foldCells as fold, keepResting } from './fold.store.ts';
import type { foldCells } from './jobs.ts';

/** Folds in small transactions: a large move adds hundreds of thousands of rows. */
export const handleFoldCells: JobHandler<typeof foldCells> = async (ctx) => {
  const owners = await findUnfolded(ctx.db);
  if (owners.length === 0) return;
  const step = () => inTransaction(ctx, async ({ db }) => fold(db, await keepResting(db, owners)));
  await runThrottled(ctx, step);
};
