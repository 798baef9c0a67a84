import type { HandlerOf } from '../../jobs/define.ts';
import { findUnfolded, foldCounts } from './counts.store.ts';
import type { foldDocumentCounts } from './jobs.ts';

export const handleFoldDocumentCounts: HandlerOf<typeof foldDocumentCounts> = async ({ db }) => {
  const owners = await findUnfolded(db);
  if (owners.length === 0) return undefined;
  return async (tx) => void (await foldCounts(tx, owners));
};
