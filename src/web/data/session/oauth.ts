import { ApiError, getMessage, post } from '../../base/api.ts';
import type { Login, Me } from '../types.ts';
import { t } from '../../base/i18n.ts';

// The provider sends the browser back to these pages: administrators register them there.
const LOGIN_PATH = '/auth/login';
const LINK_PATH = '/user-settings';

/** Leaves for the login page of the provider, which sends the browser back to `path`. */
async function leave(path: string): Promise<void> {
  const redirectUri = `${location.origin}${path}`;
  const { url } = await post<{ url: string }>('/oauth/authorize', { redirectUri });
  location.assign(url);
}

const CONTINUE_KEY = 'safelight.continue';

/** The page that was opened is shown after the login. */
export async function startOAuthLogin(): Promise<void> {
  const { pathname, search } = location;
  if (pathname !== LOGIN_PATH) sessionStorage.setItem(CONTINUE_KEY, `${pathname}${search}`);
  await leave(LOGIN_PATH);
}

export const startOAuthLink = (): Promise<void> => leave(LINK_PATH);

/** Returns the address with the response of the provider, and takes it out of the history of the browser. */
function takeResponse(path: string, next: string): string | undefined {
  const { href, pathname, searchParams } = new URL(location.href);
  const isResponse =
    searchParams.has('state') && ['code', 'error'].some((key) => searchParams.has(key));
  if (pathname !== path || !isResponse) return undefined;
  history.replaceState(null, '', next);
  return href;
}

/** Logs in with a response of the provider. Returns undefined where there is none. */
export async function finishOAuthLogin(): Promise<Login | undefined> {
  const url = takeResponse(LOGIN_PATH, sessionStorage.getItem(CONTINUE_KEY) ?? '/');
  if (!url) return undefined;
  sessionStorage.removeItem(CONTINUE_KEY);
  return post<Login>('/oauth/callback', { url });
}

/** Links the account with a response of the provider. Returns undefined where there is none. */
export async function finishOAuthLink(): Promise<Me | undefined> {
  const url = takeResponse(LINK_PATH, '/settings');
  return url ? await post<Me>('/oauth/link', { url }) : undefined;
}

/** The login page with ?autoLaunch=0 waits. */
export const isAutoLaunchWanted = (): boolean =>
  !['0', 'false'].includes(new URLSearchParams(location.search).get('autoLaunch') ?? '');

/** Returns a sentence about a login by the provider that did not succeed. */
export function describeOAuthError(error: unknown): string {
  const message = getMessage(error);
  if (!(error instanceof ApiError)) return message;
  return SENTENCES[message] ?? message;
}

const SENTENCES: Readonly<Record<string, string>> = {
  'Error in OAuth discovery': t(
    'The login provider cannot be reached. Try again, or ask an administrator.',
  ),
  'OAuth login failed': t('The login provider has not let you in. Try again.'),
  'OAuth state is missing': t('The login took too long. Try again.'),
  'OAuth code verifier is missing': t('The login took too long. Try again.'),
  'OAuth authentication failed': t(
    'The login provider knows you, but no account here is linked to you. If you have one, log in by password and link it in the settings.',
  ),
  'OAuth profile does not have an email address': t(
    'The login provider has not provided your email address, which a new account needs.',
  ),
  'This OAuth account has already been linked to another user.': t(
    'Another account is linked to this login already.',
  ),
};
