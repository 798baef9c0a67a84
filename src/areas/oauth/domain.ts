import { randomPKCECodeVerifier, randomState } from 'openid-client';
import { countFailure, createCallbackLane } from '../../access/attempt-throttle.ts';
import type { Deps } from '../../core/context.ts';
import { AppError, badRequest, invalidField } from '../../core/errors.ts';
import { requireValue } from '../../core/required.ts';
import type { Db } from '../../db/client.ts';
import type { UserRow } from '../../db/tables/identity.ts';
import { inTransaction } from '../../db/transaction.ts';
import { chooseColor, insertUser, toStorageLabel } from '../admin-users/index.ts';
import { type Login, openSession } from '../auth/index.ts';
import type { Device } from '../sessions/index.ts';
import { readConfig } from '../system-config/index.ts';
import { hasAdmin, saveUser } from '../users/index.ts';
import { type ProfileAccount, readProfile } from './claims.ts';
import {
  createAuthorizationUrl,
  findUnsupportedSignature,
  getProvider,
  type Identity,
  type OAuthConfig,
  type Provider,
  readIdentity,
  toCodeChallenge,
} from '../openid/index.ts';
import { isOwnRedirect, type OwnOrigins, replaceMobileRedirect } from './redirect.ts';
import type { AuthorizationResponse, AuthorizationStart } from './schemas.ts';
import * as store from './store.ts';

/** Secrets of a login that the browser keeps until the provider sends the user back. */
export type LoginSecrets = {
  readonly state: string | undefined;
  readonly codeVerifier: string | undefined;
};

/** Returns the page of the provider, and the secrets that the caller does not have yet. */
export async function startLogin(
  deps: Deps,
  input: AuthorizationStart,
  origins: Omit<OwnOrigins, 'externalDomain'>,
): Promise<{ url: string } & LoginSecrets> {
  const oauth = await readEnabledConfig(deps.db);
  const { server } = await readConfig(deps.db, 'server');
  const { externalDomain } = server;
  if (!isOwnRedirect(input.redirectUri, oauth, { ...origins, externalDomain })) {
    throw invalidField('redirectUri', 'Must be an address of this server or of the mobile app');
  }
  const provider = await findProvider(deps, oauth);
  const state = input.state || randomState();
  const codeVerifier = randomPKCECodeVerifier();
  const codeChallenge = input.codeChallenge || toCodeChallenge(codeVerifier);
  const redirectUri = replaceMobileRedirect(oauth, input.redirectUri);
  const url = createAuthorizationUrl(provider, oauth, { redirectUri, state, codeChallenge });
  return { url, state, codeVerifier: input.codeChallenge ? undefined : codeVerifier };
}

/** The client of a login that the provider has sent back. */
type Client = {
  readonly cookies: LoginSecrets;
  readonly device: Device;
  /** Undefined outside the listener. */
  readonly address: string | undefined;
};

/** Logs in whom the provider has authenticated: the linked account, else one that is linked or created now. */
export async function finishLogin(
  deps: Deps,
  input: AuthorizationResponse,
  { cookies, device, address }: Client,
): Promise<Login> {
  const oauth = await readEnabledConfig(deps.db);
  if (address) await countFailure(deps.db, createCallbackLane(address), deps.now());
  const identity = await identify(deps, oauth, input, cookies);
  const subject = toSubject(identity);
  return inTransaction(deps, async (deps) => {
    const linked = await store.lockUserBySubject(deps.db, subject);
    if (linked?.deletedAt) throw refuse(deps, 'the account is deleted');
    const user =
      linked ?? (await adoptProfile(deps, subject, readProfile(identity.profile, oauth), oauth));
    return openSession(deps, user, device, identity);
  });
}

export const toSubject = ({ issuer, profile }: Identity): store.Subject => ({
  oauthIssuer: issuer,
  oauthId: profile.sub,
});

async function adoptProfile(
  deps: Deps,
  subject: store.Subject,
  account: ProfileAccount,
  { autoRegister }: OAuthConfig,
): Promise<UserRow> {
  const { email } = account;
  const known = email && (await store.lockUserByEmail(deps.db, email));
  if (known) return linkByEmail(deps, subject, known, account);
  if (!autoRegister) throw refuse(deps, 'there is no such account, and autoRegister is off');
  if (!email) throw badRequest('OAuth profile does not have an email address');
  return register(deps, subject, email, account);
}

/** An address that the provider has not verified could be anybody's, so it opens no account. */
async function linkByEmail(
  deps: Deps,
  subject: store.Subject,
  user: UserRow,
  { isEmailVerified }: ProfileAccount,
): Promise<UserRow> {
  if (user.deletedAt) throw refuse(deps, 'the account is deleted');
  if (user.oauthId) throw refuse(deps, 'the account is linked to another subject');
  if (!isEmailVerified) throw refuse(deps, 'the provider has not verified the e-mail address');
  const row = await saveUser(deps.db, user.id, { ...subject, updatedAt: deps.now() });
  return requireValue(row, 'locked account');
}

async function register(
  { db, log }: Deps,
  subject: store.Subject,
  email: string,
  { name, isAdmin, quotaBytes, storageLabel }: ProfileAccount,
): Promise<UserRow> {
  if (!(await hasAdmin(db)))
    throw badRequest('The first registered account must the administrator.');
  const label = toStorageLabel(storageLabel ?? null);
  const isLabelFree = label !== null && !(await store.isLabelTaken(db, label));
  log.info('registering an account by OAuth');
  return insertUser(db, {
    email,
    ...subject,
    name: name ?? email,
    isAdmin,
    quotaBytes,
    storageLabel: isLabelFree ? label : null,
    avatarColor: chooseColor(email),
  });
}

/** Immich's error for whatever is wrong with the account; the log tells it. */
function refuse({ log }: Deps, reason: string) {
  log.warn('OAuth login refused', { reason });
  return badRequest('OAuth authentication failed');
}

/** Returns the identity that an authorization response proves. */
export async function identify(
  deps: Deps,
  oauth: OAuthConfig,
  input: AuthorizationResponse,
  cookies: LoginSecrets,
): Promise<Identity> {
  const state = input.state ?? cookies.state;
  if (!state) throw badRequest('OAuth state is missing');
  const codeVerifier = input.codeVerifier ?? cookies.codeVerifier;
  if (!codeVerifier) throw badRequest('OAuth code verifier is missing');
  const url = URL.parse(replaceMobileRedirect(oauth, input.url));
  if (!url) throw invalidField('url', 'Must be the address that the provider has redirected to');
  requireSupportedSignature(deps, oauth);
  const provider = await findProvider(deps, oauth);
  try {
    return await readIdentity(provider, oauth, { url, state, codeVerifier });
  } catch (error) {
    deps.log.warn('OAuth login failed', { error });
    throw badRequest('OAuth login failed');
  }
}

/** Throws 500 as Immich does when what the provider sends cannot be verified. */
function requireSupportedSignature({ log }: Deps, oauth: OAuthConfig): void {
  const signature = findUnsupportedSignature(oauth);
  if (signature === undefined) return;
  log.error('OAuth login failed, the configured signing algorithm is not supported', { signature });
  throw new AppError('failed', 'Failed to finish oauth');
}

/** Returns the configuration. Throws 400 while sign-on is switched off. */
export async function readEnabledConfig(db: Db): Promise<OAuthConfig> {
  const { oauth } = await readConfig(db, 'oauth');
  if (!oauth.enabled) throw badRequest('OAuth is not enabled');
  return oauth;
}

/**
 * Throws Immich's 500 when the provider cannot be reached, or its metadata is not that of the configured issuer. The
 * reason is in the log only, since strangers ask too.
 */
export async function findProvider({ log }: Deps, oauth: OAuthConfig): Promise<Provider> {
  try {
    return await getProvider(oauth);
  } catch (error) {
    log.error('OpenID discovery failed', { error });
    throw new AppError('failed', 'Error in OAuth discovery');
  }
}
