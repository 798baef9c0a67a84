import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'bun:test';
import type { Page } from 'playwright-core';
import { journey } from '../support/journey.ts';
import { CLIENT_ID, openProvider, type OpenIdProvider } from '../support/openid-provider.ts';
import { visit, type Visitor } from './browser.ts';
import { eventually } from './eventually.ts';
import { watchLoading } from './every-page.ts';
import { listFaultsOfLooks } from './faults.ts';
import { type Api, createClient, getDialog, goToAdmin, logOut, press, toast } from './people.ts';
import { openSession, until } from './server.ts';
import { enter, openOwnStage, type Stage, TIMEOUT_MS } from './stage.ts';

// Logging in with a real OpenID provider, in a real browser. The whole server has one provider.

let stage: Stage;
let provider: OpenIdProvider;
/** With the session of before password logins were disabled. */
let asAdmin: Api;
let admin: Visitor;
let guest: Visitor;
let delivered: object;

beforeAll(async () => {
  stage = await openOwnStage();
  const { url } = stage.server;
  provider = await openProvider(
    [`${url}/auth/login`, `${url}/user-settings`],
    `${url}/api/oauth/backchannel-logout`,
  );
  const session = await openSession(url, stage.account);
  asAdmin = createClient(url, async () => session);
  delivered = await stage.api('GET', '/admin/config');
  admin = await enter(stage);
  guest = await visit(stage.browser, url);
}, TIMEOUT_MS);

beforeEach(async () => {
  provider.people.set('mallory', { email: stage.account.email, email_verified: false });
  await changeConfig('oauth', { ...provider.config, buttonText: BUTTON });
}, TIMEOUT_MS);

afterEach(async () => {
  // A page that is still loading would be refused.
  await guest.page.goto('about:blank');
  await guest.context.clearCookies();
  await asAdmin('PUT', '/admin/config', delivered);
  await stage.database.sql`update app_user set oauth_issuer = null, oauth_id = null`;
  const isOurs = (text: string) => !/ https?:/.test(text) || text.includes(` ${stage.server.url}`);
  const problems = [guest, admin].flatMap((visitor) => visitor.problems.splice(0));
  const unexpected = problems.filter((text) => isOurs(text) && !/status of (400|500)/.test(text));
  expect(unexpected).toEqual([]);
}, TIMEOUT_MS);

afterAll(async () => {
  await stage?.close();
  await provider?.close();
}, TIMEOUT_MS);

const BUTTON = 'Enter with Home ID';
const getButton = (page: Page) => page.getByRole('button', { name: BUTTON });
const signOn = async (page: Page, user: string) => {
  await page.waitForURL(`${provider.issuer}/interaction/*`);
  await page.getByLabel('User').fill(user);
  await page.getByRole('button', { name: 'Enter' }).click();
};
const changeConfig = async (section: string, change: object) => {
  const config = await stage.api('GET', '/admin/config');
  await asAdmin('PUT', '/admin/config', {
    ...config,
    [section]: { ...config[section], ...change },
  });
};

const { step, chapter } = journey('people log in with a provider', TIMEOUT_MS);

chapter('the provider', () => {
  step('an administrator sets the provider up', async () => {
    await asAdmin('PUT', '/admin/config', delivered);
    const { page } = admin;
    await page.reload();
    await goToAdmin(page, 'Server settings');
    const form = page.getByRole('form', { name: 'Login provider (OAuth)', exact: true });
    await form.getByLabel('Log in with an OpenID provider').check();
    await form.getByLabel('Client ID', { exact: true }).fill(CLIENT_ID);
    await form.getByLabel('Client secret', { exact: true }).fill(provider.config.clientSecret);
    await form.getByLabel('Allow a provider without HTTPS').check();
    await form.getByLabel('Text of the button').fill(BUTTON);
    const save = page.getByRole('button', { name: 'Save “Login provider (OAuth)”' });
    await save.click();
    await form.getByText('Required').waitFor();
    await form.getByLabel('Address of the provider').fill(provider.issuer);
    expect(await listFaultsOfLooks(page)).toEqual([]);
    await save.click();
    await toast(page, 'Saved');
    const { oauth } = await stage.api('GET', '/admin/config');
    expect(oauth).toMatchObject({ enabled: true, issuerUrl: provider.issuer, clientSecret: '' });
  });
});

chapter('somebody new', () => {
  step('somebody new logs in, and sees the page that was asked for', async () => {
    provider.people.set('eve', { email: 'eve@example.com', email_verified: true, name: 'Eve' });
    const { page } = guest;
    const hasLoaded = watchLoading(page);
    await page.goto('/settings');
    await getButton(page).waitFor();
    expect(await listFaultsOfLooks(page)).toEqual([]);
    await getButton(page).click();
    await signOn(page, 'eve');
    await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor();
    await page.waitForURL('/settings');
    await eventually(() => page.getByLabel('Email').inputValue()).toBe('eve@example.com');
    await page.getByText('You can log in with the login provider.').waitFor();
    await press(page, 'Close');
    // Requests that are under way when its session ends would be refused.
    await hasLoaded();
  });

  step('logging out ends the session at the provider too', async () => {
    const { page } = guest;
    await logOut(page);
    await page.waitForURL(`${provider.issuer}/session/end*`);
    await page.getByRole('button', { name: /yes/i }).click();
    await page.goto('/');
    await getButton(page).click();
    await signOn(page, 'eve');
    await page.getByRole('heading', { name: 'Photos', level: 1 }).waitFor();
  });
});

chapter('somebody else', () => {
  step('an address that is not verified opens no account, and the page says so', async () => {
    const { page } = guest;
    await page.goto('/');
    await getButton(page).click();
    await signOn(page, 'mallory');
    await page.getByText('no account here is linked to you').waitFor();
    await page.waitForURL('/');
    expect(await listFaultsOfLooks(page)).toEqual([]);
  });
});

chapter('the links of accounts', () => {
  step('the owner of an account links it, and unlinks it', async () => {
    const { page } = admin;
    await page.goto('/settings');
    await page.getByRole('button', { name: 'Link account' }).click();
    await signOn(page, 'mallory');
    await toast(page, 'Your account is linked');
    await eventually(async () => (await stage.api('GET', '/users/me')).oauthId).toBe('mallory');
    expect(await listFaultsOfLooks(page)).toEqual([]);
    await page.getByRole('button', { name: 'Unlink' }).click();
    await getDialog(page).getByRole('button', { name: 'Unlink' }).click();
    await page.getByRole('button', { name: 'Link account' }).waitFor();
    await eventually(async () => (await stage.api('GET', '/users/me')).oauthId).toBe('');
  });

  step('an administrator unlinks everybody', async () => {
    const { page } = admin;
    const countLinked = async () => {
      const accounts = await stage.api('GET', '/admin/users');
      return accounts.filter((account: { oauthId: string }) => account.oauthId !== '').length;
    };
    const { sql } = stage.database;
    const { issuer } = provider;
    await sql`update app_user set oauth_issuer = ${issuer}, oauth_id = 'ada'
      where id = ${stage.account.id}`;
    await eventually(countLinked).toBe(1);
    await page.goto('/admin/settings');
    await page.getByRole('button', { name: 'Unlink all accounts' }).click();
    await getDialog(page).getByRole('button', { name: 'Unlink all accounts' }).click();
    await until('nobody is linked', async () => (await countLinked()) === 0);
    expect(await listFaultsOfLooks(page)).toEqual([]);
  });
});

chapter('the login page', () => {
  step(
    'the provider is opened at once where that is set, and the login page by its address',
    async () => {
      await changeConfig('oauth', { autoLaunch: true });
      await changeConfig('passwordLogin', { enabled: false });
      const { page } = guest;
      await page.goto('/');
      await page.waitForURL(`${provider.issuer}/interaction/*`);
      await page.goto('/auth/login?autoLaunch=0');
      await getButton(page).waitFor();
      await eventually(() => page.getByLabel('Password').count()).toBe(0);
    },
  );

  step('the page tells that the provider is away', async () => {
    await changeConfig('oauth', { issuerUrl: 'http://127.0.0.1:1', clientSecret: 'x' });
    const { page } = guest;
    await getButton(page).click();
    await page.getByText('The login provider cannot be reached.').waitFor();
    await until('the button works again', async () => !(await getButton(page).isDisabled()));
  });
});
