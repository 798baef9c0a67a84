import { lockMembers } from '../../access/stacks.ts';
import type { Db } from '../../db/client.ts';
import { removeMembers } from './store.ts';

export { lockMembers as stackMembers } from '../../access/stacks.ts';

/**
 * For assets that are about to be deleted for good. Their stacks get the next primary, or are
 * dissolved when one member is left.
 */
export async function leaveStack(db: Db, assetIds: readonly string[], now: Date): Promise<void> {
  await lockMembers(db, assetIds);
  await removeMembers(db, assetIds, now);
}
