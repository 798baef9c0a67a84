import { IANAZone } from 'luxon';
import { hashSecret } from '../../access/secrets.ts';
import { requireAllPermissions } from '../../access/permissions.ts';
import { requireRecentProof } from '../../access/recent-proof.ts';
import { requireUser } from '../../access/scope.ts';
import type { Ctx } from '../../core/context.ts';
import { invalidField, unauthorized } from '../../core/errors.ts';
import type { UserRow } from '../../db/tables/identity.ts';
import { inTransaction } from '../../db/transaction.ts';
import { readConfig } from '../system-config/index.ts';
import { deleteSessions, lockSessions } from '../sessions/index.ts';
import type { User, UserAdmin, UserUpdateMe } from './schemas.ts';
import * as store from './store.ts';
import { toUser, toUserAdmin, createUnknownUserError } from './user.ts';

/**
 * Returns every active account, to choose whom to share with. Where accounts are not public, only
 * administrators see others.
 */
export async function listUsers({ db, session }: Ctx): Promise<User[]> {
  const { userId, isAdmin } = requireUser(session);
  const { server } = await readConfig(db, 'server');
  const rows = await store.listActiveUsers(db);
  const isAllowed = isAdmin || server.publicUsers;
  return rows.filter(({ id }) => isAllowed || id === userId).map(toUser);
}

export async function getUser(ctx: Ctx, id: string): Promise<User> {
  const row = await store.findUser(ctx.db, id);
  if (!row) throw createUnknownUserError();
  return toUser(row);
}

export async function getMe(ctx: Ctx): Promise<UserAdmin> {
  return describe(ctx, await getOwnRow(ctx));
}

export async function updateMe(ctx: Ctx, input: UserUpdateMe): Promise<UserAdmin> {
  const { userId, sessionId } = requireUser(ctx.session);
  if (input.password !== undefined) {
    requireRecentProof(ctx.session, ['password']);
    requireAllPermissions(requireUser(ctx.session));
  }
  const change: store.UserChange = { updatedAt: ctx.now() };
  if (input.email !== undefined) {
    change.email = input.email.toLowerCase();
    // A provider that has verified the address logs in to the account. Clients send it unchanged, too.
    if (change.email !== (await getOwnRow(ctx)).email) requireRecentProof(ctx.session, ['email']);
  }
  if (input.name !== undefined) change.name = input.name;
  if (input.avatarColor !== undefined) change.avatarColor = input.avatarColor ?? 'primary';
  if (input.timeZone !== undefined) {
    if (!IANAZone.isValidZone(input.timeZone)) throw invalidField('timeZone', 'Not a time zone');
    change.timeZone = input.timeZone;
  }
  if (input.language !== undefined) change.language = input.language;
  if (input.password !== undefined) {
    // A stolen session must not take over the account, so the current password is required unless an
    // administrator has set a new one. For administrators that flag does not count: clients do not
    // enforce it, so it may stay for ever.
    const { shouldChangePassword, isAdmin } = await getOwnRow(ctx);
    if (!shouldChangePassword || isAdmin) {
      throw invalidField(
        'password',
        'Changing it needs the current one: POST /auth/change-password',
      );
    }
    change.passwordHash = await hashSecret(input.password);
    change.shouldChangePassword = false;
  }
  return inTransaction(ctx, async (ctx) => {
    const row = await store.saveUser(ctx.db, userId, change);
    if (!row) throw unauthorized();
    // An administrator knew the old password, so other sessions may not be the owner's.
    if (input.password !== undefined) {
      await deleteSessions(ctx.db, userId, sessionId);
      await lockSessions(ctx.db, userId, sessionId);
    }
    return describe(ctx, row);
  });
}

export const isOnboarded = async (ctx: Ctx): Promise<boolean> => (await getOwnRow(ctx)).onboarded;

export async function setOnboarded(ctx: Ctx, onboarded: boolean): Promise<void> {
  await store.saveUser(ctx.db, requireUser(ctx.session).userId, {
    onboarded,
    updatedAt: ctx.now(),
  });
}

const describe = async (ctx: Ctx, row: UserRow): Promise<UserAdmin> =>
  toUserAdmin(row, await store.getUsageBytes(ctx.db, row.id));

async function getOwnRow(ctx: Ctx): Promise<UserRow> {
  const row = await store.findUser(ctx.db, requireUser(ctx.session).userId);
  // Removed since authentication.
  if (!row) throw unauthorized();
  return row;
}
