import { createSecretAttempt, verifyThrottled } from '../../access/attempt-throttle.ts';
import { requireUser } from '../../access/scope.ts';
import { hashSecret } from '../../access/secrets.ts';
import type { Ctx } from '../../core/context.ts';
import { badRequest, forbidden, invalidField } from '../../core/errors.ts';
import type { UserRow } from '../../db/tables/identity.ts';
import { inTransaction } from '../../db/transaction.ts';
import { lockSessions, updateSession } from '../sessions/index.ts';
import { lockUser, saveUser } from '../users/index.ts';
import { callerId, checkPassword, me } from './domain.ts';
import type { PinChange, PinProof } from './schemas.ts';

const ELEVATED_MS = 15 * 60_000;

export async function createPin(ctx: Ctx, pin: string): Promise<void> {
  const user = await me(ctx);
  if (user.pinHash) throw pinExists();
  const pinHash = await hashSecret(pin);
  // A thief of the session or a key could choose it: then it opens Locked and proves nothing.
  const { isProven: pinProven } = requireUser(ctx.session);
  await savePin(ctx, user, { pinHash, pinProven }, pinExists);
}

const pinExists = () => badRequest('User already has a PIN code');
const wrongPin = () => badRequest('Wrong PIN code');

export async function changePin(ctx: Ctx, { newPinCode, ...proof }: PinChange): Promise<void> {
  const user = await me(ctx);
  const { isProven } = requireUser(ctx.session);
  const pinProven = (await checkProof(ctx, user, proof)) || isProven;
  const pinHash = await hashSecret(newPinCode);
  await savePin(ctx, user, { pinHash, pinProven }, wrongPin);
}

export async function resetPin(ctx: Ctx, proof: PinProof): Promise<void> {
  const user = await me(ctx);
  await checkProof(ctx, user, proof);
  await savePin(ctx, user, { pinHash: null, pinProven: false }, wrongPin);
}

/** Shows Locked media in this session, for a while. */
export async function unlockSession(ctx: Ctx, proof: PinProof): Promise<void> {
  const user = await me(ctx);
  const isProven = await checkProof(ctx, user, proof);
  const elevatedUntil = new Date(ctx.now().getTime() + ELEVATED_MS);
  await updateSession(ctx.db, user.id, ownSession(ctx), {
    elevatedUntil,
    ...(isProven && { provenAt: ctx.now() }),
  });
}

/**
 * Records that the user of this session has given the password or the PIN, for operations that need a recent
 * proof. Throws 400 for a wrong one, and for a PIN that was set without a proof.
 */
export async function proveSession(ctx: Ctx, proof: PinProof): Promise<void> {
  const user = await me(ctx);
  if (proof.password !== undefined) await checkPassword(ctx, user, proof.password);
  else if (!(await checkProof(ctx, user, proof))) throw unprovenPin();
  await updateSession(ctx.db, user.id, ownSession(ctx), { provenAt: ctx.now() });
}

const unprovenPin = () =>
  invalidField('pinCode', 'This PIN was set without the password. Enter the password');

export async function lockOwnSession(ctx: Ctx): Promise<void> {
  const { userId } = requireUser(ctx.session);
  await updateSession(ctx.db, userId, ownSession(ctx), { elevatedUntil: null });
}

function ownSession(ctx: Ctx): string {
  const { sessionId } = requireUser(ctx.session);
  if (!sessionId) throw forbidden('A session is required', { code: 'session_required' });
  return sessionId;
}

/** Locks every session: what the old PIN unlocked ends with it. Of two changes at once one is made. */
async function savePin(
  ctx: Ctx,
  user: UserRow,
  pin: Pick<UserRow, 'pinHash' | 'pinProven'>,
  changedMeanwhile: () => Error,
): Promise<void> {
  await inTransaction(ctx, async ({ db, now }) => {
    if ((await lockUser(db, user.id))?.pinHash !== user.pinHash) throw changedMeanwhile();
    await saveUser(db, user.id, { ...pin, updatedAt: now() });
    await lockSessions(db, user.id, requireUser(ctx.session).sessionId);
  });
}

/**
 * Checks the PIN, or the password when the PIN is forgotten. A million PINs are few: wrong ones cost time.
 * Returns whether it proves who uses the session.
 */
async function checkProof(ctx: Ctx, user: UserRow, proof: PinProof): Promise<boolean> {
  if (!user.pinHash) throw badRequest('User does not have a PIN code');
  if (proof.password !== undefined) {
    await checkPassword(ctx, user, proof.password);
    return true;
  }
  if (proof.pinCode === undefined) throw badRequest('Either password or pinCode is required');
  const attempt = createSecretAttempt('pin', user.id, callerId(ctx));
  if (!(await verifyThrottled(ctx, attempt, proof.pinCode, user.pinHash))) throw wrongPin();
  return user.pinProven;
}
