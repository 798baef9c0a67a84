import type { Deps } from '../../core/context.ts';
import { badRequest } from '../../core/errors.ts';
import { inTransaction } from '../../db/transaction.ts';
import { readConfig } from '../system-config/index.ts';
import { findProvider } from './domain.ts';
import {
  LOGOUT_TOKEN_LIFE_MS,
  type LogoutToken,
  type OAuthConfig,
  readLogoutToken,
} from '../openid/index.ts';
import * as store from './store.ts';

/**
 * Ends the sessions that a logout token of the provider names: those of its session, without one all of
 * the account. Throws 400 for a token that is not valid or has been used.
 */
export async function endProviderSession(deps: Deps, token: string): Promise<void> {
  const { oauth } = await readConfig(deps.db, 'oauth');
  if (!oauth.enabled) {
    throw badRequest('Received backchannel logout request but OAuth is not enabled');
  }
  const logout = await validate(deps, oauth, token);
  const ended = await inTransaction(deps, async ({ db, now }) => {
    const expiresAt = new Date(now().getTime() + LOGOUT_TOKEN_LIFE_MS);
    const isNew = await store.saveLogoutToken(db, { jti: logout.jti, expiresAt, now: now() });
    if (!isNew) throw invalidToken();
    return store.deleteOAuthSessions(db, logout);
  });
  deps.log.info('sessions ended by the login provider', { sessions: ended });
}

async function validate(deps: Deps, oauth: OAuthConfig, token: string): Promise<LogoutToken> {
  const provider = await findProvider(deps, oauth);
  try {
    return await readLogoutToken(provider, oauth, token);
  } catch (error) {
    deps.log.warn('logout token refused', { error });
    throw invalidToken();
  }
}

const invalidToken = () => badRequest('Error backchannel logout: token validation failed');
