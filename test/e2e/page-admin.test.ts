import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Browser, Page } from 'playwright-core';
import { namelessControls, openBrowser, type Visitor, visit } from './browser.ts';
import { type RunningServer, signUp, startServer } from './server.ts';

// What an administrator does beside the photos, in a real browser; each test goes on where the last
// one ended.

const TIMEOUT_MS = 60_000;
const BOB = { name: 'Bob', email: 'bob@example.com', password: 'first password' };

let server: RunningServer;
let browser: Browser;
let visitor: Visitor;
let page: Page;

beforeAll(async () => {
  [server, browser] = await Promise.all([startServer(), openBrowser()]);
  const admin = await signUp(server.url);
  await fetch(`${server.url}/api/albums`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': admin.apiKey },
    body: JSON.stringify({ albumName: 'Summer' }),
  });
  visitor = await visit(browser, server.url);
  ({ page } = visitor);
  await page.goto('/');
  await logIn(page, admin.email, admin.password);
  await page.getByRole('heading', { name: 'No photos yet' }).waitFor();
}, TIMEOUT_MS);

afterAll(async () => {
  await browser?.close();
  await server?.stop();
}, TIMEOUT_MS);

const step = (name: string, run: () => Promise<void>) => test(name, run, TIMEOUT_MS);
const go = (to: Page, name: string) => to.getByRole('link', { name, exact: true }).click();

async function logIn(to: Page, email: string, password: string): Promise<void> {
  await to.getByLabel('E-mail').fill(email);
  await to.getByLabel('Password').fill(password);
  await to.getByRole('button', { name: 'Log in' }).click();
}

describe('administration and settings', () => {
  step('the jobs page says that all is done', async () => {
    await go(page, 'Jobs');
    await page.getByRole('article', { name: 'Previews' }).waitFor();
    await page.getByText('All done').waitFor();
    expect(await namelessControls(page)).toEqual([]);
  });

  step('a new account must choose its own password, and sees nothing of others', async () => {
    await go(page, 'Accounts');
    await page.getByRole('button', { name: 'New account' }).click();
    await page.getByLabel('Name').fill(BOB.name);
    await page.getByLabel('E-mail').fill(BOB.email);
    await page.getByLabel('Password', { exact: true }).fill(BOB.password);
    await page.getByLabel('Quota in GB').fill('2');
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.getByText('0 B of 2.0 GB').waitFor();
    const bob = await visit(browser, server.url);
    await bob.page.goto('/');
    await logIn(bob.page, BOB.email, BOB.password);
    await bob.page.getByRole('heading', { name: 'Choose a new password' }).waitFor();
    await bob.page.getByLabel('Password you logged in with').fill(BOB.password);
    await bob.page.getByLabel('New password', { exact: true }).fill('second password');
    await bob.page.getByLabel('New password again').fill('second password');
    await bob.page.getByRole('button', { name: 'Save password' }).click();
    await bob.page.getByRole('heading', { name: 'No photos yet' }).waitFor();
    expect(await bob.page.getByRole('link', { name: 'Jobs' }).count()).toBe(0);
    await bob.page.goto('/admin/users');
    await bob.page.waitForURL('**/photos');
    expect(bob.problems).toEqual([]);
    await bob.context.close();
  });

  step('an album is shared with that account', async () => {
    await go(page, 'Albums');
    await page.getByRole('link', { name: /Summer/ }).click();
    await page.getByRole('button', { name: 'Share album' }).click();
    await page.getByRole('button', { name: 'Add Bob' }).click();
    await page.getByRole('combobox', { name: 'Role of Bob' }).selectOption('viewer');
    await page.getByText('Role changed').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('img', { name: 'Shared with Admin, Bob' }).waitFor();
  });

  step('an API key is shown once', async () => {
    await go(page, 'Settings');
    await page.getByRole('button', { name: 'New key' }).click();
    await page.getByLabel('Name', { exact: true }).last().fill('frame');
    await page.getByRole('button', { name: 'Create key' }).click();
    const secret = await page.getByLabel('API key', { exact: true }).inputValue();
    const answer = await fetch(`${server.url}/api/api-keys/me`, {
      headers: { 'x-api-key': secret },
    });
    expect(((await answer.json()) as any).name).toBe('frame');
    await page.getByRole('button', { name: 'Done' }).click();
    expect(await page.content()).not.toContain(secret);
  });

  step('dark and light are a choice that is kept', async () => {
    const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    await page.getByLabel('Light').check({ force: true });
    const light = await background();
    await page.getByLabel('Dark').check({ force: true });
    expect(await background()).not.toBe(light);
    await page.reload();
    await page.getByRole('heading', { name: 'Settings' }).waitFor();
    expect(await page.getByLabel('Dark').isChecked()).toBe(true);
    expect(await namelessControls(page)).toEqual([]);
  });

  step('nothing went wrong on the way, and nothing broke the security policy', async () => {
    expect(visitor.problems).toEqual([]);
    await visitor.context.close();
  });
});
