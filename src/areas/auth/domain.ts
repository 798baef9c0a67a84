import {
  type LoginClient,
  createLoginAttempt,
  createSecretAttempt,
  verifyThrottled,
} from '../../access/attempt-throttle.ts';
import { requireUser } from '../../access/scope.ts';
import { hashSecret } from '../../access/secrets.ts';
import type { Ctx, Deps } from '../../core/context.ts';
import { badRequest, unauthorized } from '../../core/errors.ts';
import type { UserRow } from '../../db/tables/identity.ts';
import { inTransaction } from '../../db/transaction.ts';
import { notifyOfNewDevice } from '../notifications/index.ts';
import { findEndSessionUrl } from '../openid/index.ts';
import {
  deleteSession,
  deleteSessions,
  type Device,
  findSession,
  lockSessions,
  type OAuthSession,
  startSession,
} from '../sessions/index.ts';
import { readConfig } from '../system-config/index.ts';
import {
  findUser,
  lockUser,
  saveUser,
  toUserAdmin,
  type UserAdmin,
  getUsageBytes,
  hasAdmin,
} from '../users/index.ts';
import type { AuthStatus, ChangePassword, Login, LoginCredential, SignUp } from './schemas.ts';
import * as store from './store.ts';

/** The first account of an installation. However many ask at once, one gets it. */
export async function signUpAdmin(deps: Deps, input: SignUp): Promise<UserAdmin> {
  // Checked before hashing too: later on anyone may call this, and hashing is costly.
  if (await hasAdmin(deps.db)) throw adminExists();
  const passwordHash = await hashSecret(input.password);
  return inTransaction(deps, async ({ db }) => {
    await store.lockInstance(db);
    if (await hasAdmin(db)) throw adminExists();
    const email = input.email.toLowerCase();
    return toUserAdmin(await store.insertAdmin(db, { email, name: input.name, passwordHash }), 0);
  });
}

const adminExists = () => badRequest('The server already has an admin');

export type From = LoginClient & { readonly device: Device };

export async function login(
  deps: Deps,
  input: LoginCredential,
  { device, ...client }: From,
): Promise<Login> {
  const { passwordLogin } = await readConfig(deps.db, 'passwordLogin');
  if (!passwordLogin.enabled) throw unauthorized('Password login has been disabled');
  const email = input.email.toLowerCase();
  const user = await store.findByEmail(deps.db, email);
  const attempt = createLoginAttempt(email, user?.id, client);
  const isRight = await verifyThrottled(deps, attempt, input.password, user?.passwordHash);
  if (!isRight || !user) {
    deps.log.warn('login refused', { address: client.address });
    throw wrongLogin();
  }
  return inTransaction(deps, async (deps) => {
    // A password changed meanwhile ended the other sessions: the old one must not open a new one.
    const current = await lockUser(deps.db, user.id);
    if (current?.passwordHash !== user.passwordHash) throw wrongLogin();
    return openSession(deps, current, device);
  });
}

/**
 * Starts a session of an account whose owner has been authenticated. Call it in the transaction that has
 * locked the account.
 */
export async function openSession(
  deps: Deps,
  user: UserRow,
  device: Device,
  oauth?: OAuthSession,
): Promise<Login> {
  const login = { provenAt: deps.now(), ...(oauth && { oauth }) };
  const { token } = await startSession(deps, user.id, device, login);
  await notifyOfNewDevice(deps, user.id, device);
  return {
    accessToken: token,
    userId: user.id,
    userEmail: user.email,
    name: user.name,
    isAdmin: user.isAdmin,
    isOnboarded: user.onboarded,
    profileImagePath: user.profileImage ?? '',
    shouldChangePassword: user.shouldChangePassword,
  };
}

const wrongLogin = () => unauthorized('Incorrect email or password');

/** Ends the session, and returns the page to show then: that of the provider where it had let the user in. */
export async function logout(ctx: Ctx, { byOAuth }: { byOAuth: boolean }): Promise<string> {
  const { userId, sessionId } = requireUser(ctx.session);
  const session = sessionId ? await findSession(ctx.db, userId, sessionId) : undefined;
  if (sessionId) await deleteSession(ctx.db, userId, sessionId);
  const address = byOAuth && (await findEndSessionUrl(ctx, session?.oauthIdToken ?? undefined));
  return address || '/auth/login?autoLaunch=0';
}

export async function authStatus(ctx: Ctx): Promise<AuthStatus> {
  const { sessionId, unlocked } = requireUser(ctx.session);
  const user = await me(ctx);
  const session = sessionId ? await findSession(ctx.db, user.id, sessionId) : undefined;
  return {
    pinCode: Boolean(user.pinHash),
    password: Boolean(user.passwordHash),
    isElevated: unlocked,
    ...(session?.expiresAt && { expiresAt: session.expiresAt.toISOString() }),
    ...(unlocked &&
      session?.elevatedUntil && { pinExpiresAt: session.elevatedUntil.toISOString() }),
  };
}

export async function changePassword(ctx: Ctx, input: ChangePassword): Promise<UserAdmin> {
  const { sessionId } = requireUser(ctx.session);
  const user = await me(ctx);
  await checkPassword(ctx, user, input.password);
  const passwordHash = await hashSecret(input.newPassword);
  return inTransaction(ctx, async ({ db, now }) => {
    // The second of two changes at once is refused: the old password is good for one.
    const current = await lockUser(db, user.id);
    if (current?.passwordHash !== user.passwordHash) throw badRequest('Wrong password');
    const row = await saveUser(db, user.id, {
      passwordHash,
      shouldChangePassword: false,
      updatedAt: now(),
    });
    if (input.invalidateSessions) await deleteSessions(db, user.id, sessionId);
    // The password opens the Locked folder too: what the old one unlocked is locked again.
    await lockSessions(db, user.id, sessionId);
    return toUserAdmin(row ?? user, await getUsageBytes(db, user.id));
  });
}

/** Throws 400 for a wrong password. Throttled, so that the holder of a session cannot guess it. */
export async function checkPassword(ctx: Ctx, user: UserRow, password: string): Promise<void> {
  const attempt = createSecretAttempt('password', user.id, callerId(ctx));
  const isRight = await verifyThrottled(ctx, attempt, password, user.passwordHash);
  if (!isRight) throw badRequest('Wrong password');
}

/** The session, or the key where there is none. */
export function callerId(ctx: Ctx): string {
  const { userId, sessionId, apiKeyId } = requireUser(ctx.session);
  return sessionId ?? apiKeyId ?? userId;
}

export async function me(ctx: Ctx): Promise<UserRow> {
  const user = await findUser(ctx.db, requireUser(ctx.session).userId);
  // Removed after it was authenticated.
  if (!user) throw unauthorized();
  return user;
}
