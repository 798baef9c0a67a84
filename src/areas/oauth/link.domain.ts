import { requireUser } from '../../access/scope.ts';
import type { Ctx } from '../../core/context.ts';
import { badRequest, unauthorized } from '../../core/errors.ts';
import { inTransaction } from '../../db/transaction.ts';
import { updateSession } from '../sessions/index.ts';
import { getUsageBytes, saveUser, toUserAdmin, type UserAdmin } from '../users/index.ts';
import { identify, type LoginSecrets, readEnabledConfig } from './domain.ts';
import type { AuthorizationResponse } from './schemas.ts';
import * as store from './store.ts';

/** Links the caller's account to whom the provider has authenticated. */
export async function linkAccount(
  ctx: Ctx,
  input: AuthorizationResponse,
  cookies: LoginSecrets,
): Promise<UserAdmin> {
  const oauth = await readEnabledConfig(ctx.db);
  const { profile, sid, idToken } = await identify(ctx, oauth, input, cookies);
  const { userId } = requireUser(ctx.session);
  return inTransaction(ctx, async (ctx) => {
    const linked = await store.lockUserBySubject(ctx.db, profile.sub);
    if (linked && linked.id !== userId) {
      throw badRequest('This OAuth account has already been linked to another user.');
    }
    return saveLink(ctx, { oauthId: profile.sub, oauthSid: sid, oauthIdToken: idToken });
  });
}

/** Sessions go on; from now on only the password logs in. */
export const unlinkAccount = (ctx: Ctx): Promise<UserAdmin> =>
  inTransaction(ctx, (ctx) => saveLink(ctx, {}));

export const unlinkAllAccounts = (ctx: Ctx): Promise<void> =>
  inTransaction(ctx, ({ db, now }) => store.unlinkAll(db, now()));

type Link = {
  readonly oauthId?: string | null;
  readonly oauthSid?: string | null | undefined;
  readonly oauthIdToken?: string | null | undefined;
};

async function saveLink(
  { db, now, session }: Ctx,
  { oauthId = null, oauthSid = null, oauthIdToken = null }: Link,
): Promise<UserAdmin> {
  const { userId, sessionId } = requireUser(session);
  if (sessionId) await updateSession(db, userId, sessionId, { oauthSid, oauthIdToken });
  const row = await saveUser(db, userId, { oauthId, updatedAt: now() });
  // Removed since authentication.
  if (!row) throw unauthorized();
  return toUserAdmin(row, await getUsageBytes(db, userId));
}
