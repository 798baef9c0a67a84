import { post } from '../../base/api.ts';
import type { Login, Me } from '../types.ts';

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
