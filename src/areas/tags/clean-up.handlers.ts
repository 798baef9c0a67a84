import type { JobHandler } from '../../jobs/define.ts';
import type { cleanUpTags } from './jobs.ts';
import { deleteUnusedTags, lockTree } from './store.ts';

export const handleCleanUpTags: JobHandler<typeof cleanUpTags> =
  async (_ctx, { ownerId }) =>
  async (tx) => {
    await lockTree(tx, ownerId);
    await deleteUnusedTags(tx, ownerId);
  };
