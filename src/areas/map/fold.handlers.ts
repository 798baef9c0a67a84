import type { HandlerOf } from '../../jobs/define.ts';
import { findUnfolded, foldCells as fold } from './fold.store.ts';
import type { foldCells } from './jobs.ts';

export const handleFoldCells: HandlerOf<typeof foldCells> = async ({ db }) => {
  const owners = await findUnfolded(db);
  if (owners.length === 0) return undefined;
  return async (tx) => void (await fold(tx, owners));
};
