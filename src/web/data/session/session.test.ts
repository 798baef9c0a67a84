import { beforeEach, expect, test } from 'bun:test';
import { startPageAddress } from '../../../../test/support/page-address.ts';
import { readToast, refusal, startPageServer } from '../../../../test/support/page-server.ts';
import { until } from '../../../../test/support/until.ts';
import { get } from '../../base/api.ts';
import { queryClient } from '../../base/query-client.ts';
import { createPersonalStore } from '../../base/store.ts';
import { isIntroductionDue } from './introduction.ts';
import { listRecentSearches, rememberSearch } from './recent-searches.ts';
import {
  acceptInvitation,
  changePassword,
  finishSetup,
  logIn,
  logOut,
  onLogOut,
  session,
  signUp,
  startSession,
} from './session.ts';

const address = startPageAddress();
const server = startPageServer();
const ADA = { id: 'ada', isAdmin: false, shouldChangePassword: false };
const ADMIN = { ...ADA, isAdmin: true };

/** A server that is set up, and knows the account whose cookie the browser has. */
function serve(more: { config?: object; me?: object; oauth?: object } = {}) {
  const config = { isInitialized: true, isOnboarded: true, maintenanceMode: false, ...more.config };
  server.answer('GET /server/config', () => config);
  server.answer('GET /users/me', () => more.me ?? ADA);
  server.answer('PUT /users/me', () => more.me ?? ADA);
  server.answer('GET /public/config', () => ({
    oauth: { enabled: false, autoLaunch: false, ...more.oauth },
  }));
  server.answer('POST /auth/login', () => ({ userId: 'ada', isOnboarded: true }));
}
const readStage = () => session.get().stage;

beforeEach(() => session.set({ stage: 'starting' }));

test('without a cookie the login is shown, and the server is asked for no account', async () => {
  serve();
  await startSession();
  expect(session.get()).toMatchObject({ stage: 'signed-out', note: '' });
  expect(server.listRequests()).toEqual(['GET /server/config', 'GET /public/config']);
});

test('with a cookie the account is entered, and its zone and language are told once', async () => {
  serve();
  address.setLoginCookie();
  await startSession();
  expect(session.get()).toMatchObject({ stage: 'signed-in', me: ADA });
  await until(() => localStorage.getItem('safelight.locale') !== null);
  expect(server.listBodies('PUT /users/me')).toEqual([{ timeZone: 'UTC', language: 'en' }]);
  await startSession();
  await Bun.sleep(1);
  expect(server.listBodies('PUT /users/me')).toHaveLength(1);
});

test('a cookie of a session that is over shows the login', async () => {
  serve();
  address.setLoginCookie();
  server.answer('GET /users/me', () => refusal(401, { message: 'Authentication required' }));
  await startSession();
  expect(session.get()).toMatchObject({ stage: 'signed-out', note: '' });
});

test('a server without accounts is signed up to, and its administrator led through the setup', async () => {
  serve({ config: { isInitialized: false, isOnboarded: false }, me: ADMIN });
  address.go('/');
  await startSession();
  expect(readStage()).toBe('sign-up');
  server.answer('POST /auth/admin-sign-up', () => ADMIN);
  await signUp('Ada', 'ada@example.com', 'correct horse');
  expect(address.read()).toBe('/setup');
  expect(readStage()).toBe('signed-in');
  server.answer('POST /system-metadata/admin-onboarding', () => undefined);
  server.answer('PUT /users/me/onboarding', () => undefined);
  await finishSetup();
  address.go('/');
  await logIn('ada@example.com', 'correct horse');
  expect(address.read()).toBe('/');
});

test('an administrator who opens another page is not led away, nor is another account', async () => {
  serve({ config: { isOnboarded: false }, me: ADMIN });
  address.setLoginCookie();
  address.go('/albums/a');
  await startSession();
  expect(address.read()).toBe('/albums/a');
  serve({ config: { isOnboarded: false } });
  address.go('/photos');
  await startSession();
  expect(address.read()).toBe('/photos');
});

test('a server that does not answer is told, and one in trouble too', async () => {
  await startSession();
  expect(readStage()).toBe('unreachable');
  server.answer('GET /server/config', () => refusal(503));
  await startSession();
  expect(session.get()).toMatchObject({ stage: 'unreachable', error: expect.any(String) });
});

test('a password that was set by somebody else is changed before anything is shown', async () => {
  const wanted = { ...ADA, shouldChangePassword: true };
  serve({ me: wanted });
  await logIn('ada@example.com', 'temporary');
  expect(readStage()).toBe('new-password');
  expect(server.listBodies('PUT /users/me')).toEqual([]);
  server.answer('POST /auth/change-password', () => ADA);
  server.answer('GET /users/me', () => ADA);
  await changePassword('temporary', 'correct horse', true);
  expect(readStage()).toBe('signed-in');
  serve({ me: { ...wanted, isAdmin: true } });
  await logIn('ada@example.com', 'own');
  expect(readStage()).toBe('signed-in');
});

test('a refused login stays where it is', async () => {
  serve();
  server.answer('POST /auth/login', () => refusal(401, { message: 'Incorrect email or password' }));
  expect(await logIn('ada@example.com', 'wrong').catch((error: Error) => error.name)).toBe(
    'ApiError',
  );
  expect(readStage()).toBe('starting');
});

test('a browser shows the same token at each login', async () => {
  serve();
  await logIn('ada@example.com', 'x');
  const token = localStorage.getItem('safelight.device');
  expect(token).toMatch(/^[\da-f]{64}$/);
  await logIn('ada@example.com', 'x');
  expect(localStorage.getItem('safelight.device')).toBe(token);
});

test('the introduction is shown to whoever has not closed it', async () => {
  serve();
  await logIn('ada@example.com', 'x');
  expect(isIntroductionDue.get()).toBe(false);
  server.answer('POST /auth/login', () => ({ userId: 'ada', isOnboarded: false }));
  await logIn('ada@example.com', 'x');
  expect(isIntroductionDue.get()).toBe(true);
});

test('a session that the server ends leaves nothing of the account', async () => {
  serve();
  address.setLoginCookie();
  await startSession();
  const selection = createPersonalStore<readonly string[]>([]);
  selection.set(['a photo']);
  queryClient.setQueryData(['albums'], ['Secret']);
  server.answer('GET /albums', () => refusal(401, { message: 'Authentication required' }));
  await get('/albums').catch(() => undefined);
  await until(() => readStage() === 'signed-out');
  expect(session.get()).toMatchObject({ note: 'Your session has ended.' });
  expect(selection.get()).toEqual([]);
  expect(queryClient.getQueryData(['albums'])).toBeUndefined();
});

test('a logout tells who listens, forgets searches, and shows the login', async () => {
  serve();
  await logIn('ada@example.com', 'x');
  rememberSearch('ada', 'a dog');
  rememberSearch('bob', 'a cat');
  const heard: string[] = [];
  onLogOut(() => void heard.push(readStage()));
  server.answer('POST /auth/logout', () => ({ redirectUri: '/auth/login?autoLaunch=0' }));
  await logOut();
  expect(heard).toEqual(['signed-in']);
  expect(session.get()).toMatchObject({ stage: 'signed-out', note: 'You are logged out.' });
  expect(listRecentSearches('ada')).toEqual([]);
  expect(listRecentSearches('bob')).toEqual(['a cat']);
  expect(address.visits).toEqual([]);
});

test('a logout ends the session of the login provider, too', async () => {
  serve();
  await logIn('ada@example.com', 'x');
  server.answer('POST /auth/logout', () => ({ redirectUri: 'https://id.example/logout' }));
  await logOut();
  expect(address.visits).toEqual(['https://id.example/logout']);
});

test('a logout that the server does not hear of is one for this browser', async () => {
  serve();
  await logIn('ada@example.com', 'x');
  await logOut();
  expect(readStage()).toBe('signed-out');
});

test('a server in maintenance shows its own page', async () => {
  serve({ config: { maintenanceMode: true } });
  server.answer('GET /public/config', () => refusal(503));
  await startSession();
  expect(address.visits).toEqual(['reload']);
});

test('an invitation is read from the address, and accepting it logs in', async () => {
  serve();
  address.go('/invitation#secret');
  await startSession();
  expect(session.get()).toEqual({ stage: 'invited', token: 'secret' });
  server.answer('POST /invitations/accept', () => ({ userId: 'ada', isOnboarded: false }));
  await acceptInvitation({ token: 'secret', name: 'Ada', password: 'x' });
  expect(readStage()).toBe('signed-in');
  expect(address.read()).toBe('/photos');
});

test('the login provider is opened at once where that is configured, unless the page asks to wait', async () => {
  serve({ oauth: { enabled: true, autoLaunch: true } });
  server.answer('POST /oauth/authorize', () => ({ url: 'https://id.example/login' }));
  await startSession();
  expect(address.visits).toEqual(['https://id.example/login']);
  expect(server.listBodies('POST /oauth/authorize')).toEqual([
    { redirectUri: 'http://page.test/auth/login' },
  ]);
  address.go('/auth/login?autoLaunch=0');
  await startSession();
  expect(readStage()).toBe('signed-out');
  expect(address.visits).toHaveLength(1);
});

test('a login provider that fails is told beside the login', async () => {
  serve({ oauth: { enabled: true, autoLaunch: true } });
  server.answer('POST /oauth/authorize', () => refusal(502));
  await startSession();
  expect(session.get()).toMatchObject({ stage: 'signed-out', note: expect.stringMatching(/./) });
});

test('the answer of the login provider logs in, leads back, and leaves the history', async () => {
  serve({ oauth: { enabled: true } });
  sessionStorage.setItem('safelight.continue', '/albums/a?x=1');
  server.answer('POST /oauth/callback', () => ({ userId: 'ada', isOnboarded: true }));
  address.go('/auth/login?state=s&code=c');
  await startSession();
  expect(server.listBodies('POST /oauth/callback')).toEqual([
    { url: 'http://page.test/auth/login?state=s&code=c' },
  ]);
  expect(address.read()).toBe('/albums/a?x=1');
  expect(readStage()).toBe('signed-in');
});

test('a refused answer of the login provider is told, and not used again', async () => {
  serve({ oauth: { enabled: true, autoLaunch: true } });
  server.answer('POST /oauth/callback', () => refusal(401, { message: 'State mismatch' }));
  address.go('/auth/login?state=s&error=denied');
  await startSession();
  expect(readStage()).toBe('signed-out');
  expect(address.visits).toEqual([]);
  expect(address.read()).toBe('/');
});

test('an account is linked by the answer of the provider, and a refusal of that does not log out', async () => {
  serve();
  address.setLoginCookie();
  server.answer('POST /oauth/link', () => ADA);
  address.go('/user-settings?state=s&code=c');
  await startSession();
  expect(readToast()).toMatchObject({ kind: 'success', text: 'Your account is linked' });
  server.answer('POST /oauth/link', () =>
    refusal(400, { message: 'This OAuth account has already been linked' }),
  );
  address.go('/user-settings?state=s&code=c');
  await startSession();
  expect(readToast()).toMatchObject({ kind: 'error' });
  expect(readStage()).toBe('signed-in');
});
