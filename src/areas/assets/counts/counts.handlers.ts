import type { JobHandler } from '../../../jobs/define.ts';
import { createFoldHandler } from '../../../jobs/fold.ts';
import { findUnfoldedMonths, foldMonths } from './counts.store.ts';
import type { foldCounts } from '../jobs.ts';

export const handleFoldCounts: JobHandler<typeof foldCounts> = createFoldHandler(
  findUnfoldedMonths,
  foldMonths,
);
