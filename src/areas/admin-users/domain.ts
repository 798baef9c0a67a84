import { requireAllPermissions } from '../../access/permissions.ts';
import { requireRecentProof } from '../../access/recent-proof.ts';
import { requireUser } from '../../access/scope.ts';
import { hashSecret } from '../../access/secrets.ts';
import type { Ctx } from '../../core/context.ts';
import { badRequest, forbidden, unauthorized } from '../../core/errors.ts';
import { requireValue } from '../../core/required.ts';
import type { UserRow } from '../../db/tables/identity.ts';
import { inTransaction } from '../../db/transaction.ts';
import { queueMail } from '../mail/index.ts';
import { deleteSessions, listUserSessions, lockSessions } from '../sessions/index.ts';
import { enqueue } from '../../jobs/queue.ts';
import {
  saveUser,
  toUserAdmin,
  type UserAdmin,
  createUnknownUserError,
  getUsageBytes,
} from '../users/index.ts';
import { removeAccounts } from './jobs.ts';
import type { StatisticsFilter, UserAdminCreate, UserAdminUpdate, UserFilter } from './schemas.ts';
import * as store from './store.ts';

type Change = Parameters<typeof saveUser>[2];

export async function listUsers(ctx: Ctx, filter: UserFilter): Promise<UserAdmin[]> {
  const rows = await store.listUsers(ctx.db, filter);
  return rows.map(({ user, usageBytes }) => toUserAdmin(user, usageBytes));
}

/** Returns an account, also a deleted one that can be restored. */
export async function getUser(ctx: Ctx, id: string): Promise<UserAdmin> {
  const [found] = await store.listUsers(ctx.db, { id, withDeleted: true });
  if (!found) throw createUnknownUserError();
  return toUserAdmin(found.user, found.usageBytes);
}

export async function createUser(ctx: Ctx, input: UserAdminCreate): Promise<UserAdmin> {
  // The permission covers ordinary accounts; creating an administrator requires all permissions.
  if (input.isAdmin) {
    requireAllPermissions(requireUser(ctx.session));
    requireProof(ctx, ['isAdmin']);
  }
  const { avatarColor, ...change } = await toChange(ctx, input);
  return inTransaction(ctx, async ({ db, now }) => {
    const row = await store.insertUser(db, {
      email: input.email.toLowerCase(),
      name: input.name,
      shouldChangePassword: true,
      ...change,
      avatarColor: avatarColor ?? chooseColor(input.email),
    });
    const data = { senderId: requireUser(ctx.session).userId };
    const mail = { key: `welcome ${row.id}`, userId: row.id, template: 'welcome', data } as const;
    if (input.notify) await queueMail(db, mail, now());
    return toUserAdmin(row, 0);
  });
}

export async function updateUser(ctx: Ctx, id: string, input: UserAdminUpdate): Promise<UserAdmin> {
  const { userId, sessionId } = requireUser(ctx.session);
  if ([...SECRETS, ...RIGHTS].some((field) => input[field] !== undefined)) {
    requireAllPermissions(requireUser(ctx.session));
  }
  requireProof(
    ctx,
    SECRETS.filter((field) => input[field] !== undefined),
  );
  // Before the transaction: hashing takes long.
  const change = await toChange(ctx, input);
  return inTransaction(ctx, async (ctx) => {
    await store.lockAdmins(ctx.db);
    const user = await store.lockUser(ctx.db, id);
    if (!user) throw createUnknownUserError();
    // Clients send what they do not change, too.
    requireProof(
      ctx,
      [...RIGHTS, 'email' as const].filter((field) => isChanged(user, change, field)),
    );
    if (input.isAdmin !== undefined && input.isAdmin !== user.isAdmin && id === userId) {
      throw badRequest('Admin status can only be changed by another admin');
    }
    const row = requireValue(await saveUser(ctx.db, id, change), 'locked account');
    await requireRemainingAdmin(ctx);
    // As in Immich, sessions last; `endUserSessions` ends them. What the old secret has opened or proven is over.
    if (input.password !== undefined || input.pinCode !== undefined) {
      await lockSessions(ctx.db, id, sessionId);
    }
    return describe(ctx, row);
  });
}

// Changing these grants access to the account or administrator rights. So does the address: a provider that
// has verified it logs in to the account.
const SECRETS = ['password', 'pinCode'] as const;
const RIGHTS = ['isAdmin', 'shouldChangePassword'] as const;

const isChanged = (user: UserRow, change: Change, field: keyof UserRow): boolean =>
  change[field] !== undefined && change[field] !== user[field];

/** Throws 403 that names the fields, if there are any, without a recent proof. */
function requireProof({ session }: Ctx, fields: readonly string[]): void {
  if (fields.length > 0) requireRecentProof(session, fields);
}

/** Ends all access of the account; its data is deleted after the delay, at once with `force`. */
export async function deleteUser(ctx: Ctx, id: string, force: boolean): Promise<UserAdmin> {
  if (id === requireUser(ctx.session).userId) throw forbidden('Cannot delete your own account');
  return inTransaction(ctx, async (ctx) => {
    await store.lockAdmins(ctx.db);
    const user = await store.lockUser(ctx.db, id);
    if (!user) throw createUnknownUserError();
    const now = ctx.now();
    const status = force || user.status === 'removing' ? 'removing' : 'deleted';
    const change: Change = { status, deletedAt: user.deletedAt ?? now, updatedAt: now };
    const row = requireValue(await saveUser(ctx.db, id, change), 'locked account');
    await requireRemainingAdmin(ctx);
    await deleteSessions(ctx.db, id);
    if (status === 'removing') await enqueue(ctx.db, removeAccounts, {});
    return describe(ctx, row);
  });
}

export async function restoreUser(ctx: Ctx, id: string): Promise<UserAdmin> {
  return inTransaction(ctx, async (ctx) => {
    const user = await store.lockUser(ctx.db, id);
    if (!user) throw createUnknownUserError();
    if (user.status === 'removing') throw badRequest('The account is being removed');
    const change: Change = { status: 'active', deletedAt: null, updatedAt: ctx.now() };
    return describe(ctx, requireValue(await saveUser(ctx.db, id, change), 'locked account'));
  });
}

export async function getUserStatistics(ctx: Ctx, id: string, filter: StatisticsFilter) {
  await getUser(ctx, id);
  const { unlocked, userId } = requireUser(ctx.session);
  if (filter.visibility === 'locked' && !unlocked) {
    throw unauthorized('Elevated permission is required', { code: 'elevation_required' });
  }
  if (filter.visibility === 'locked' && id.toLowerCase() !== userId) {
    throw forbidden('Locked items are counted for their owner only');
  }
  return store.countAssets(ctx.db, id, filter);
}

export async function getUserSessions(ctx: Ctx, id: string) {
  await getUser(ctx, id);
  return listUserSessions(ctx, id, requireUser(ctx.session).sessionId);
}

/** Logs an account out everywhere; of the caller's own, this session lasts. */
export async function endUserSessions(ctx: Ctx, id: string): Promise<void> {
  const { userId, sessionId } = requireUser(ctx.session);
  await inTransaction(ctx, async ({ db }) => {
    const user = await store.lockUser(db, id);
    if (!user) throw createUnknownUserError();
    await deleteSessions(db, user.id, user.id === userId ? sessionId : undefined);
  });
}

/** Throws 400 when no administrator would remain. */
async function requireRemainingAdmin(ctx: Ctx): Promise<void> {
  if ((await store.countAdmins(ctx.db)) === 0) throw badRequest('The last admin must remain');
}

async function toChange(ctx: Ctx, input: UserAdminUpdate): Promise<Change> {
  const { email, name, password, pinCode, storageLabel, quotaSizeInBytes } = input;
  const { avatarColor, isAdmin, shouldChangePassword } = input;
  return {
    ...(email !== undefined && { email: email.toLowerCase() }),
    ...(name !== undefined && { name }),
    ...(password !== undefined && { passwordHash: await hashSecret(password) }),
    ...(pinCode !== undefined && {
      pinHash: pinCode && (await hashSecret(pinCode)),
      // Somebody else knows it.
      pinProven: false,
    }),
    ...(storageLabel !== undefined && { storageLabel: toStorageLabel(storageLabel) }),
    ...(quotaSizeInBytes !== undefined && { quotaBytes: quotaSizeInBytes }),
    ...(avatarColor !== undefined && { avatarColor: avatarColor ?? 'primary' }),
    ...(isAdmin !== undefined && { isAdmin }),
    ...(shouldChangePassword !== undefined && { shouldChangePassword }),
    updatedAt: ctx.now(),
  };
}

/** Returns a label that is valid as a folder name. */
export const toStorageLabel = (label: string | null): string | null =>
  label?.replaceAll(/[^\p{L}\p{N} _-]/gu, '').trim() || null;

const COLORS = ['primary', 'pink', 'red', 'yellow', 'blue', 'green', 'purple', 'orange'] as const;

/** Returns the avatar colour of an account, by its e-mail address. */
export const chooseColor = (email: string) =>
  requireValue(COLORS[Number(Bun.hash(email) % BigInt(COLORS.length))], 'avatar color');

const describe = async (ctx: Ctx, row: UserRow): Promise<UserAdmin> =>
  toUserAdmin(row, await getUsageBytes(ctx.db, row.id));
