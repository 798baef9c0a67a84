import type { JobHandler } from '../../jobs/define.ts';
import { findUnfolded, foldCounts } from './counts.store.ts';
import type { foldPersonCounts } from './jobs.ts';

export const handleFoldPersonCounts: JobHandler<typeof foldPersonCounts> = async ({ db }) => {
  const personIds = await findUnfolded(db);
  if (personIds.length === 0) return undefined;
  return async (tx) => void (await foldCounts(tx, personIds));
};
