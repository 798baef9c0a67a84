import type { Deps } from '../../../core/context.ts';
import { moveItems } from './moves.store.ts';
import { listItemsWithOriginal } from './originals.store.ts';

/**
 * Moves all items to the trash, of all accounts, whose own content this original (SHA-256 in hex) is: not the
 * still of a live photo whose video it is. Returns their number. Call it in a transaction.
 */
export async function trashItemsWithOriginal(
  { db, now }: Pick<Deps, 'db' | 'now'>,
  hash: string,
): Promise<number> {
  const ids = await listItemsWithOriginal(db, hash);
  return moveItems(db, 'trash', { ids }, { trashedAt: now(), now: now() });
}
