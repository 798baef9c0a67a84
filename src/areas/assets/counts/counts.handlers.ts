import type { JobHandler } from '../../../jobs/define.ts';
import { findUnfoldedMonths, foldMonths } from './counts.store.ts';
import type { foldCounts } from '../jobs.ts';

export const handleFoldCounts: JobHandler<typeof foldCounts> = async ({ db }) => {
  const months = await findUnfoldedMonths(db);
  if (months.length === 0) return undefined;
  return async (tx) => void (await foldMonths(tx, months));
};
