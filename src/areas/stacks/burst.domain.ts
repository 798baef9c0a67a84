import { requireUser } from '../../access/scope.ts';
import type { Ctx } from '../../core/context.ts';
import { inTransaction } from '../../db/transaction.ts';
import { type BurstMember, listBurst } from './burst.store.ts';
import { lockStackMembers } from '../stack-members/index.ts';
import * as store from './store.ts';

/**
 * Stacks a photo with the others of its burst, the earliest on top. Photos that are stacked stay where
 * they are: the others join the stack that is nearest in time, below a top item that somebody has chosen.
 */
export const stackBurst = (ctx: Ctx, assetId: string, seconds: number): Promise<void> =>
  inTransaction(ctx, async ({ db, session, now }) => {
    const user = requireUser(session);
    const seen = await listBurst(db, user, assetId, seconds);
    if (seen.length < 2) return;
    const locked = await lockStackMembers(
      db,
      seen.map(({ id }) => id),
    );
    // A photo that has come meanwhile stacks itself.
    const found = await listBurst(db, user, assetId, seconds);
    const burst = found.filter(({ id }) => locked.includes(id));
    const loose = burst.filter(({ stackId }) => stackId === null);
    const [first] = loose;
    if (burst.length < 2 || !first) return;
    const ids = loose.map(({ id }) => id);
    const stackId = findNearestStack(burst, assetId);
    if (stackId === null) {
      await store.insertStack(db, { ownerId: user.userId, primaryId: first.id }, ids, now());
      return;
    }
    await store.addMembers(db, stackId, ids, now());
    const [earliest] = burst.filter((photo) => photo.stackId === stackId);
    const isNewTop = earliest?.isPrimary && first.takenMs < earliest.takenMs;
    if (isNewTop) await store.setPrimary(db, stackId, first.id, now());
  });

function findNearestStack(burst: readonly BurstMember[], assetId: string): string | null {
  const takenMs = burst.find(({ id }) => id === assetId)?.takenMs ?? 0;
  const distance = (photo: BurstMember) => Math.abs(photo.takenMs - takenMs);
  const stacked = burst.filter(({ stackId }) => stackId !== null);
  return stacked.toSorted((one, other) => distance(one) - distance(other))[0]?.stackId ?? null;
}
