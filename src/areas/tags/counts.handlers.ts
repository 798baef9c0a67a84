import type { JobHandler } from '../../jobs/define.ts';
import { createFoldHandler } from '../../jobs/fold.ts';
import { findUnfoldedTags, foldTags } from './counts.store.ts';
import type { foldTagCounts } from './jobs.ts';

export const handleFoldTagCounts: JobHandler<typeof foldTagCounts> = createFoldHandler(
  findUnfoldedTags,
  foldTags,
);
