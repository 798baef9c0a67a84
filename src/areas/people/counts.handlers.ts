import type { JobHandler } from '../../jobs/define.ts';
import { createFoldHandler } from '../../jobs/fold.ts';
import { findUnfolded, foldCounts } from './counts.store.ts';
import type { foldPersonCounts } from './jobs.ts';

export const handleFoldPersonCounts: JobHandler<typeof foldPersonCounts> = createFoldHandler(
  findUnfolded,
  foldCounts,
);
