import { requireUser } from '../../access/scope.ts';
import type { Ctx, Deps } from '../../core/context.ts';
import { badRequest, noAccess } from '../../core/errors.ts';
import { newSecret, sha256 } from '../../core/hash.ts';
import type { SessionRow } from '../../db/tables/identity.ts';
import { keepLimit } from '../../db/limits/keep-limit.ts';
import { getLimit } from '../../db/limits/limits.ts';
import { inTransaction } from '../../db/transaction.ts';
import type { DeviceSession, SessionCreate, SessionUpdate } from './schemas.ts';
import * as store from './store.ts';

/** Device shown in the list of sessions. */
export type Device = {
  readonly deviceType: string;
  readonly deviceOs: string;
  readonly appVersion: string | null;
};

/** Session at an OpenID provider, behind one of ours. */
export type OAuthSession = {
  readonly issuer: string;
  readonly sid: string | undefined;
  readonly idToken: string | undefined;
};

type NewSession = {
  readonly parentId?: string;
  readonly expiresAt?: Date;
  readonly oauth?: OAuthSession;
  /** Time of the login; none for a session that another one has made. */
  readonly provenAt?: Date;
};

/**
 * Starts a session. The token is shown this once; only its digest is kept. A login beyond the limit of the account ends
 * the session that was not used for longest, since nobody can be kept out by old ones.
 */
export async function startSession(
  deps: Deps,
  userId: string,
  device: Device,
  { oauth, ...rest }: NewSession = {},
): Promise<{ token: string; row: SessionRow }> {
  const token = newSecret();
  const now = deps.now();
  await store.deleteExpired(deps.db, userId, now);
  const row = await store.insertSession(deps.db, {
    userId,
    tokenHash: sha256(token),
    ...device,
    ...rest,
    oauthIssuer: oauth?.issuer ?? null,
    oauthSid: oauth?.sid ?? null,
    oauthIdToken: oauth?.idToken ?? null,
    createdAt: now,
    updatedAt: now,
  });
  if (!rest.parentId) await store.endUnused(deps.db, userId, getLimit('session').count);
  return { token, row };
}

export async function listSessions(ctx: Ctx): Promise<DeviceSession[]> {
  const { userId, sessionId } = requireUser(ctx.session);
  return listUserSessions(ctx, userId, sessionId);
}

/** Lists the sessions of any account: the caller has checked that this is allowed. */
export async function listUserSessions(
  ctx: Ctx,
  userId: string,
  currentId?: string,
): Promise<DeviceSession[]> {
  const rows = await store.listSessions(ctx.db, userId, ctx.now());
  return rows.map((row) => toDeviceSession(row, currentId));
}

/** A further session for a device that the caller trusts, as a screen to cast to. */
export async function createChild(
  ctx: Ctx,
  input: SessionCreate,
): Promise<DeviceSession & { token: string }> {
  const { userId, sessionId, permissions } = requireUser(ctx.session);
  if (!sessionId) throw badRequest('This endpoint can only be used with a session token');
  // The new session may do everything: a key beside the session must not be a way around its limits.
  if (!permissions.has('all')) throw badRequest('Cannot grant permissions you do not have');
  const parent = await store.findSession(ctx.db, userId, sessionId);
  const wanted = input.duration && new Date(ctx.now().getTime() + input.duration * 1000);
  const expiresAt = earliest(wanted || undefined, parent?.expiresAt ?? undefined);
  const device = {
    deviceType: input.deviceType ?? '',
    deviceOs: input.deviceOS ?? '',
    appVersion: null,
  };
  const more = { parentId: sessionId, ...(expiresAt && { expiresAt }) };
  const { token, row } = await keepLimit(ctx, 'session', { ownerId: userId }, (ctx) =>
    startSession(ctx, userId, device, more),
  );
  return { ...toDeviceSession(row, sessionId), token };
}

export async function updateSession(ctx: Ctx, id: string, input: SessionUpdate) {
  const { userId, sessionId } = requireUser(ctx.session);
  const row =
    input.isPendingSyncReset === undefined
      ? await store.findSession(ctx.db, userId, id)
      : await store.updateSession(ctx.db, userId, id, {
          pendingSyncReset: input.isPendingSyncReset,
          updatedAt: ctx.now(),
        });
  if (!row) throw noAccess('session.update');
  return toDeviceSession(row, sessionId);
}

export async function deleteSession(ctx: Ctx, id: string): Promise<void> {
  const { userId } = requireUser(ctx.session);
  if (!(await store.deleteSession(ctx.db, userId, id))) throw noAccess('authDevice.delete');
}

export async function deleteOtherSessions(ctx: Ctx): Promise<void> {
  const { userId, sessionId } = requireUser(ctx.session);
  await inTransaction(ctx, ({ db }) => store.deleteSessions(db, userId, sessionId));
}

export async function lockSession(ctx: Ctx, id: string): Promise<void> {
  const { userId } = requireUser(ctx.session);
  const row = await store.updateSession(ctx.db, userId, id, { elevatedUntil: null });
  if (!row) throw noAccess('session.lock');
}

const earliest = (...times: (Date | undefined)[]): Date | undefined =>
  times.filter((time) => time !== undefined).toSorted((a, b) => a.getTime() - b.getTime())[0];

const toDeviceSession = (row: SessionRow, currentId: string | undefined): DeviceSession => ({
  id: row.id,
  appVersion: row.appVersion,
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
  ...(row.expiresAt && { expiresAt: row.expiresAt.toISOString() }),
  current: row.id === currentId,
  deviceOS: row.deviceOs,
  deviceType: row.deviceType,
  isPendingSyncReset: row.pendingSyncReset,
});
