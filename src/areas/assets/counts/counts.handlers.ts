import type { HandlerOf } from '../../../jobs/define.ts';
import { findUnfoldedDays, findUnfoldedMonths, foldDays, foldMonths } from './counts.store.ts';
import type { foldCounts } from '../jobs.ts';

export const handleFoldCounts: HandlerOf<typeof foldCounts> = async ({ db }) => {
  const months = await findUnfoldedMonths(db);
  const days = await findUnfoldedDays(db);
  if (months.length + days.length === 0) return undefined;
  return async (tx) => {
    if (months.length > 0) await foldMonths(tx, months);
    if (days.length > 0) await foldDays(tx, days);
  };
};
