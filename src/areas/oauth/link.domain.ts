import { requireUser } from '../../access/scope.ts';
import type { Ctx } from '../../core/context.ts';
import { badRequest, unauthorized } from '../../core/errors.ts';
import { inTransaction } from '../../db/transaction.ts';
import { updateSession } from '../sessions/index.ts';
import { getUsageBytes, saveUser, toUserAdmin, type UserAdmin } from '../users/index.ts';
import { identify, type LoginSecrets, readEnabledConfig, toSubject } from './domain.ts';
import type { Identity } from '../openid/index.ts';
import type { AuthorizationResponse } from './schemas.ts';
import * as store from './store.ts';

/** Links the caller's account to whom the provider has authenticated. */
export async function linkAccount(
  ctx: Ctx,
  input: AuthorizationResponse,
  cookies: LoginSecrets,
): Promise<UserAdmin> {
  const oauth = await readEnabledConfig(ctx.db);
  const identity = await identify(ctx, oauth, input, cookies);
  const subject = toSubject(identity);
  const { userId } = requireUser(ctx.session);
  return inTransaction(ctx, async (ctx) => {
    const linked = await store.lockUserBySubject(ctx.db, subject);
    if (linked && linked.id !== userId) {
      throw badRequest('This OAuth account has already been linked to another user.');
    }
    return saveLink(ctx, subject, identity);
  });
}

/** Sessions go on; from now on only the password logs in. */
export const unlinkAccount = (ctx: Ctx): Promise<UserAdmin> =>
  inTransaction(ctx, (ctx) => saveLink(ctx, { oauthIssuer: null, oauthId: null }));

export const unlinkAllAccounts = (ctx: Ctx): Promise<void> =>
  inTransaction(ctx, ({ db, now }) => store.unlinkAll(db, now()));

async function saveLink(
  { db, now, session }: Ctx,
  subject: store.Subject | { readonly oauthIssuer: null; readonly oauthId: null },
  { sid, idToken }: Partial<Identity> = {},
): Promise<UserAdmin> {
  const { userId, sessionId } = requireUser(session);
  const login = { oauthIssuer: subject.oauthIssuer, oauthSid: sid ?? null };
  if (sessionId) {
    await updateSession(db, userId, sessionId, { ...login, oauthIdToken: idToken ?? null });
  }
  const row = await saveUser(db, userId, { ...subject, updatedAt: now() });
  // Removed since authentication.
  if (!row) throw unauthorized();
  return toUserAdmin(row, await getUsageBytes(db, userId));
}
