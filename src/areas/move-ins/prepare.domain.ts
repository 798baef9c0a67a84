import { requireUser } from '../../access/scope.ts';
import type { Ctx } from '../../core/context.ts';
import { keepLimit } from '../../db/limits/keep-limit.ts';
import * as operations from '../../operations/store.ts';
import { measureRoom } from '../imports/index.ts';
import { getOwnerId, isFromArchives, moveInKind, type MoveInOperation } from './kind.ts';
import type { MoveIn } from './schemas.ts';
import { canStart, toMoveIn } from './view.ts';

/** A move that nobody starts expires. */
export const LIFETIME_MS = 24 * 60 * 60 * 1000;
/** A move from archives expires with its files when nobody continues it. */
export const ARCHIVES_LIFETIME_MS = 7 * LIFETIME_MS;
/** Returns when a move that waits for its account expires: others than those from archives take nothing up. */
export const getExpiry = (operation: MoveInOperation, now: Date): Date | null =>
  isFromArchives(operation) ? new Date(now.getTime() + ARCHIVES_LIFETIME_MS) : null;

const NO_ROOM = { quotaBytes: 0, diskBytes: 0 };

/** Prepares a move of the caller. Throws 409 for an account with too many that are not over. */
export async function prepareMoveIn(
  ctx: Ctx,
  payload: MoveInOperation['payload'],
  lifetimeMs = LIFETIME_MS,
): Promise<MoveIn> {
  const { userId: accountId } = requireUser(ctx.session);
  await operations.expireOperations(ctx.db, [moveInKind], ctx.now(), accountId);
  const operation = await keepLimit(ctx, 'moveIn', { ownerId: accountId }, ({ db, now }) =>
    operations.insertOperation(db, moveInKind, {
      accountId,
      payload,
      total: 'found' in payload ? payload.found.photos + payload.found.videos : 0,
      state: 'prepared',
      createdAt: now(),
      expiresAt: new Date(now().getTime() + lifetimeMs),
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
