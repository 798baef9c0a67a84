import type { JobHandler } from '../../jobs/define.ts';
import { createFoldHandler } from '../../jobs/fold.ts';
import { findUnfoldedTags, foldTags } from './counts.store.ts';
import type { foldTagCounts, cleanUpTags } from './jobs.ts';
import { deleteUnusedTags, lockTree } from './store.ts';

export const handleFoldTagCounts: JobHandler<typeof foldTagCounts> = createFoldHandler(
  findUnfoldedTags,
  foldTags,
);

export const handleCleanUpTags: JobHandler<typeof cleanUpTags> =
  async (_ctx, { ownerId }) =>
  async (tx) => {
    await lockTree(tx, ownerId);
    await deleteUnusedTags(tx, ownerId);
  };
