import { lockStackMembers } from './members/members.store.ts';
import type { Db } from '../../db/client.ts';
import { removeMembers } from './store.ts';

/**
 * For assets that are about to be deleted for good. Their stacks get the next primary, or are
 * dissolved when one member is left.
 */
export async function leaveStack(db: Db, assetIds: readonly string[], now: Date): Promise<void> {
  await lockStackMembers(db, assetIds);
  await removeMembers(db, assetIds, now);
}
