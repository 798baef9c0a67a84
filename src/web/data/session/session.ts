import { forgetSearches } from './recent-searches.ts';
import { navigate } from 'wouter/use-browser-location';
import {
  ApiError,
  get,
  getMessage,
  post,
  put,
  setProofListener,
  setSignedOutListener,
  UNREACHABLE,
} from '../../base/api.ts';
import { isOffline } from '../../base/connection.ts';
import { queryClient } from '../../base/query-client.ts';
import { keys } from '../query-keys.ts';
import { hasLoginCookie } from '../../base/storage.ts';
import { createStore, resetPersonalStores, useStore } from '../../base/store.ts';
import type { Login, Me, PublicConfig, ServerConfig } from '../types.ts';
import { clearOfflineCache } from '../../base/offline-cache.ts';
import { showError, showToast } from '../../ui/toast.tsx';
import { finishOAuthLink, finishOAuthLogin, isAutoLaunchWanted, startOAuthLogin } from './oauth.ts';
import { finishIntroduction, scheduleIntroduction } from './introduction.ts';
import { askForProof } from './proof.ts';
import { getLanguage, t } from '../../base/i18n.ts';

export type Session =
  | { stage: 'starting' }
  | { stage: 'unreachable'; error: string }
  | { stage: 'sign-up' }
  | { stage: 'invited'; token: string }
  // Without a configuration where the server does not answer.
  | { stage: 'signed-out'; note: string; config: PublicConfig | undefined }
  | { stage: 'new-password'; me: Me }
  | { stage: 'signed-in'; me: Me };

export const SETUP = '/setup';
/** Its token is behind the '#'. */
const INVITATION = '/invitation';

export const session = createStore<Session>({ stage: 'starting' });

/** Empty while nobody is signed in. */
export const useMyId = (): string => useStore(session, (now) => ('me' in now ? now.me.id : ''));

export async function startSession(): Promise<void> {
  setProofListener(askForProof);
  setSignedOutListener(() => {
    if (session.get().stage === 'signed-in') void showLogin(t('Your session has ended.'));
  });
  try {
    const config = await get<ServerConfig>('/server/config');
    isSetUp = config.isOnboarded;
    if (!config.isInitialized) session.set({ stage: 'sign-up' });
    else if (location.pathname === INVITATION)
      session.set({ stage: 'invited', token: location.hash.slice(1) });
    else await enterOrShowLogin();
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) return showLogin('');
    session.set({
      stage: 'unreachable',
      error: getMessage(error),
    });
  }
}

/** A response of the login provider in the address logs in, or links the account. */
async function enterOrShowLogin(): Promise<void> {
  try {
    const login = await finishOAuthLogin();
    if (login) {
      scheduleIntroduction(login);
      return await enter();
    }
  } catch (error) {
    return showLogin(getMessage(error));
  }
  if (!hasLoginCookie()) return showLogin('', { canLaunch: isAutoLaunchWanted() });
  try {
    if (await finishOAuthLink()) showToast(t('Your account is linked'), 'success');
  } catch (error) {
    showError(error);
  }
  await enter();
}

/** `canLaunch`: the page of the login provider is opened at once where that is configured. */
async function showLogin(note: string, { canLaunch = false } = {}): Promise<void> {
  // Nothing of the account stays on the screen or in memory.
  session.set({ stage: 'starting' });
  resetPersonalStores();
  queryClient.clear();
  clearOfflineCache();
  const config = await get<PublicConfig>('/public/config').catch(() => undefined);
  // Its start is tried again, until the server says how people log in.
  if (!config && note === '' && isOffline.get()) {
    return session.set({ stage: 'unreachable', error: UNREACHABLE });
  }
  // It knows no sessions. Its page, which all pages lead to, leads back here.
  if (!config && (await isInMaintenance())) return location.reload();
  if (!canLaunch || !config?.oauth.enabled || !config.oauth.autoLaunch) {
    session.set({ stage: 'signed-out', note, config });
    return;
  }
  try {
    await startOAuthLogin();
  } catch (error) {
    session.set({ stage: 'signed-out', note: getMessage(error), config });
  }
}

export const isInMaintenance = (): Promise<boolean> =>
  get<ServerConfig>('/server/config').then(
    ({ maintenanceMode }) => maintenanceMode,
    () => false,
  );

/** Whether an administrator has been through the setup, or has put it off. */
let isSetUp = true;
/** Where it begins; links to other pages lead there. */
const LANDING_PAGES: readonly string[] = ['/', '/photos'];

export async function finishSetup(): Promise<void> {
  await post('/system-metadata/admin-onboarding', { isOnboarded: true });
  isSetUp = true;
  // One of its steps connects a phone.
  await finishIntroduction();
}

async function enter(): Promise<void> {
  const me = await get<Me>('/users/me');
  queryClient.setQueryData([...keys.users, 'me'], me);
  if (me.isAdmin && !isSetUp && LANDING_PAGES.includes(location.pathname)) {
    navigate(SETUP, { replace: true });
  }
  // Administrators are not asked, as in other clients: the one who signed up chose the password.
  const mustChange = me.shouldChangePassword && !me.isAdmin;
  session.set({ stage: mustChange ? 'new-password' : 'signed-in', me });
  if (!mustChange) void shareLocale(me.id);
}

/**
 * Sends the browser's time zone and the language of the page, once: the server needs them for 'today', for
 * files without a zone, and for mail.
 */
async function shareLocale(userId: string): Promise<void> {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  const language = getLanguage();
  const shared = `${userId} ${timeZone} ${language}`;
  try {
    if (localStorage.getItem(LOCALE_KEY) === shared) return;
    await put('/users/me', { timeZone, language });
    localStorage.setItem(LOCALE_KEY, shared);
  } catch {
    // Without it, the next start tries again.
  }
}

const LOCALE_KEY = 'safelight.locale';

/** Returns the token of this browser, which lets it in while logins of other devices are throttled. */
function deviceToken(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(32));
  const random = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  try {
    const token = localStorage.getItem(DEVICE_KEY) ?? random;
    localStorage.setItem(DEVICE_KEY, token);
    return token;
  } catch {
    // Then the server knows the network only.
    return random;
  }
}

const DEVICE_KEY = 'safelight.device';

export async function signUp(name: string, email: string, password: string): Promise<void> {
  await post('/auth/admin-sign-up', { name, email, password });
  await logIn(email, password);
}

export async function logIn(email: string, password: string): Promise<void> {
  const headers = { 'x-safelight-device': deviceToken() };
  scheduleIntroduction(await post<Login>('/auth/login', { email, password }, headers));
  await enter();
}

export async function acceptInvitation(
  account: Readonly<Record<'token' | 'name' | 'password', string>>,
): Promise<void> {
  scheduleIntroduction(await post<Login>('/invitations/accept', account));
  navigate('/photos', { replace: true });
  await enter();
}

export async function leaveInvitation(): Promise<void> {
  navigate('/', { replace: true });
  session.set({ stage: 'starting' });
  await startSession();
}

const logOutListeners = new Set<() => void>();
/** Calls the listener when the person logs out, and not when a session ends otherwise. */
export const onLogOut = (listener: () => void): void => void logOutListeners.add(listener);

export async function logOut(): Promise<void> {
  const now = session.get();
  for (const listener of logOutListeners) listener();
  if ('me' in now) forgetSearches(now.me.id);
  // The pages stop sending requests before they would be refused.
  session.set({ stage: 'starting' });
  const reply = await post<{ redirectUri: string }>('/auth/logout').catch(() => undefined);
  // The page of the login provider, where its session ends too.
  if (reply && URL.canParse(reply.redirectUri)) return location.assign(reply.redirectUri);
  await showLogin(t('You are logged out.'));
}

export async function changePassword(
  password: string,
  newPassword: string,
  invalidateSessions: boolean,
): Promise<void> {
  await post('/auth/change-password', { password, newPassword, invalidateSessions });
  if (session.get().stage === 'new-password') await enter();
}

export async function rename(name: string, email: string): Promise<void> {
  const me = await put<Me>('/users/me', { name, email });
  session.set({ stage: 'signed-in', me });
}
