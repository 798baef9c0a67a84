import type { JobHandler } from '../../jobs/define.ts';
import { findUnfoldedTags, foldTags } from './counts.store.ts';
import type { foldTagCounts } from './jobs.ts';

export const handleFoldTagCounts: JobHandler<typeof foldTagCounts> = async ({ db }) => {
  const tagIds = await findUnfoldedTags(db);
  if (tagIds.length === 0) return undefined;
  return async (tx) => void (await foldTags(tx, tagIds));
};
