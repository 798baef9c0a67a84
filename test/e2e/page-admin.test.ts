import { afterEach, beforeEach, expect } from 'bun:test';
import type { Page } from 'playwright-core';
import { type Visitor } from './browser.ts';
import { eventually } from './eventually.ts';
import { listFaults } from './faults.ts';
import { addUser, createApi, getDialog, go, goToAdmin, toast, undo } from './people.ts';
import { enter, openStage, type Stage, TIMEOUT_MS } from './stage.ts';
import { journey } from '../support/journey.ts';

// Administration and settings in a real browser.

let stage: Stage;
let visitor: Visitor;
let page: Page;

beforeEach(async () => {
  stage = await openStage();
  visitor = await enter(stage);
  ({ page } = visitor);
  await page.getByRole('heading', { name: 'No photos yet' }).waitFor();
}, TIMEOUT_MS);

afterEach(async () => {
  await stage.close();
  expect(visitor.problems).toEqual([]);
}, TIMEOUT_MS);

const { step, chapter } = journey('an administrator manages accounts and settings', TIMEOUT_MS);

chapter('accounts', () => {
  const id = crypto.randomUUID();
  const BOB = { name: `Bob ${id}`, email: `${id}@example.com`, password: 'first password' };

  step('a new account must choose its own password and sees no photos of others', async () => {
    await goToAdmin(page, 'Accounts');
    await page.getByRole('button', { name: 'New account' }).click();
    const form = getDialog(page);
    await form.getByLabel('Name').fill(BOB.name);
    await form.getByLabel('Email').fill(BOB.email);
    await form.getByLabel('Password', { exact: true }).fill(BOB.password);
    await form.getByLabel('Quota in GB').fill('2');
    await form.getByRole('button', { name: 'Create account' }).click();
    const row = page.getByRole('listitem').filter({ hasText: BOB.email });
    await row.getByText('0 B of 2.0 GB').waitFor();
    const bob = await enter(stage, { as: BOB });
    await bob.page.getByRole('heading', { name: 'Choose a new password' }).waitFor();
    await bob.page.getByLabel('Password you logged in with').fill(BOB.password);
    await bob.page.getByLabel('New password', { exact: true }).fill('second password');
    await bob.page.getByLabel('New password again').fill('second password');
    await bob.page.getByRole('button', { name: 'Save password' }).click();
    await bob.page.getByRole('heading', { name: 'No photos yet' }).waitFor();
    await eventually(() => bob.page.getByRole('link', { name: 'Jobs' }).count()).toBe(0);
    expect(await bob.page.getByRole('link', { name: 'Administration' }).count()).toBe(0);
    await bob.page.goto('/admin/users');
    await bob.page.waitForURL('**/photos');
    expect(bob.problems).toEqual([]);
    await bob.context.close();
  });

  step('an account is made an administrator, and an account again', async () => {
    const row = page.getByRole('listitem').filter({ hasText: BOB.email });
    for (const isAdmin of [true, false]) {
      await goToAdmin(page, 'Accounts');
      await row.getByRole('button', { name: `Edit ${BOB.name}` }).click();
      const box = getDialog(page).getByLabel(/Administrator: manages/);
      expect(await box.isChecked()).toBe(!isAdmin);
      await box.setChecked(isAdmin);
      expect(await listFaults(page)).toEqual([]);
      await getDialog(page).getByRole('button', { name: 'Save' }).click();
      await eventually(() => row.getByText('admin', { exact: true }).count()).toBe(isAdmin ? 1 : 0);
    }
    // The own account cannot lose its rights by accident.
    const own = page.getByRole('listitem').filter({ hasText: stage.account.email });
    await own.getByRole('button', { name: /^Edit/ }).click();
    await getDialog(page).getByLabel('Quota in GB').waitFor();
    expect(
      await getDialog(page)
        .getByLabel(/Administrator: manages/)
        .count(),
    ).toBe(0);
    await page.keyboard.press('Escape');
  });

  step('an album can be shared with that account', async () => {
    await stage.api('POST', '/albums', { albumName: 'Summer' });
    await go(page, 'Back to the library');
    await go(page, 'Albums');
    await page.getByRole('link', { name: /Summer/ }).click();
    await page.getByRole('button', { name: 'Share album' }).click();
    await page.getByRole('button', { name: `Add ${BOB.name}` }).click();
    await toast(page, `${BOB.name} can view the album`);
    await page.getByRole('combobox', { name: `Role of ${BOB.name}` }).selectOption('editor');
    await toast(page, `${BOB.name} can add photos`);
    await page.keyboard.press('Escape');
    await page.getByRole('img', { name: `Shared with Admin, ${BOB.name}` }).waitFor();
  });
});

chapter('a closed account', () => {
  step('an account is closed and restored, each with the way back', async () => {
    const cleo = await addUser(stage.api, 'Cleo');
    await goToAdmin(page, 'Accounts');
    const isClosed = async () =>
      (await stage.api('GET', `/admin/users/${cleo.id}`)).deletedAt !== null;
    const close = async () => {
      await page.getByRole('button', { name: `Delete ${cleo.name}` }).click();
      await getDialog(page).getByRole('button', { name: 'Delete account' }).click();
      await eventually(isClosed).toBe(true);
    };
    await close();
    await undo(page, 'Account closed');
    await eventually(isClosed).toBe(false);
    await close();
    await page.getByRole('button', { name: `Restore ${cleo.name}` }).click();
    await eventually(isClosed).toBe(false);
    await undo(page, 'Account restored');
    await eventually(isClosed).toBe(true);
    expect(await listFaults(page)).toEqual([]);
  });
});

chapter('settings', () => {
  step('an API key is shown only once', async () => {
    await go(page, 'Settings');
    await page.getByRole('button', { name: 'New key' }).click();
    await page.getByLabel('Name', { exact: true }).last().fill('frame');
    await page.getByRole('button', { name: 'Create key' }).click();
    const secret = await page.getByLabel('API key', { exact: true }).inputValue();
    const key = await createApi(stage.server.url, secret)('GET', '/api-keys/me');
    expect(key.name).toBe('frame');
    await page.getByRole('button', { name: 'Done' }).click();
    expect(await page.content()).not.toContain(secret);
  });

  step('the choice of dark or light theme is kept', async () => {
    const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    await page.getByLabel('Light').check({ force: true });
    const light = await background();
    await page.getByLabel('Dark').check({ force: true });
    await eventually(background).not.toBe(light);
    await page.reload();
    await page.getByRole('heading', { name: 'Settings' }).waitFor();
    await eventually(() => page.getByLabel('Dark').isChecked()).toBe(true);
    expect(await listFaults(page)).toEqual([]);
  });
});
