import { lockStackMembers } from '../stack-members/index.ts';
import type { Db } from '../../db/client.ts';
import { removeMembers } from './store.ts';

export { stackBurst, stackUnlessStacked } from './domain.ts';

/**
 * Removes assets from their stacks before their deletion. The stacks get a new primary asset or are
 * deleted when one member is left.
 */
export async function leaveStack(db: Db, assetIds: readonly string[], now: Date): Promise<void> {
  await lockStackMembers(db, assetIds);
  await removeMembers(db, assetIds, now);
}
