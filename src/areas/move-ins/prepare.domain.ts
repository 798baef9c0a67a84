import { requireUser } from '../../access/scope.ts';
import type { Ctx } from '../../core/context.ts';
import { keepLimit } from '../../db/limits/keep-limit.ts';
import * as operations from '../../operations/store.ts';
import { measureRoom } from '../imports/index.ts';
import { getOwnerId, moveInKind, type MoveInOperation } from './kind.ts';
import type { MoveIn } from './schemas.ts';
import { canStart, toMoveIn } from './view.ts';

/** A move that nobody starts expires. */
export const LIFETIME_MS = 24 * 60 * 60 * 1000;
const NO_ROOM = { quotaBytes: 0, diskBytes: 0 };

/** Prepares a move of the caller. Throws 409 for an account with too many that are not over. */
export async function prepareMoveIn(
  ctx: Ctx,
  payload: MoveInOperation['payload'],
): Promise<MoveIn> {
  const { userId: accountId } = requireUser(ctx.session);
  await operations.expireOperations(ctx.db, [moveInKind], ctx.now(), accountId);
  const operation = await keepLimit(ctx, 'moveIn', { ownerId: accountId }, ({ db, now }) =>
    operations.insertOperation(db, moveInKind, {
      accountId,
      payload,
      total: payload.found.photos + payload.found.videos,
      state: 'prepared',
      createdAt: now(),
      expiresAt: new Date(now().getTime() + LIFETIME_MS),
    }),
  );
  return describeMoveIn(ctx, operation);
}

/** Only what has not begun, or could go on, tells of room. */
export const describeMoveIn = async (ctx: Ctx, operation: MoveInOperation): Promise<MoveIn> =>
  toMoveIn(
    operation,
    canStart(operation) ? await measureRoom(ctx, getOwnerId(operation)) : NO_ROOM,
  );
