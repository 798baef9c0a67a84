import type { HandlerOf } from '../../../jobs/define.ts';
import { findUnfoldedFacts, foldFacts as fold } from './facts.store.ts';
import type { foldFacts } from '../jobs.ts';

export const handleFoldFacts: HandlerOf<typeof foldFacts> = async ({ db }) => {
  const unfolded = await findUnfoldedFacts(db);
  if (unfolded.length === 0) return undefined;
  return async (tx) => void (await fold(tx, unfolded));
};
