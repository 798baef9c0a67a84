import { afterEach, beforeEach, expect } from 'bun:test';
import type { Page } from 'playwright-core';
import { journey } from '../support/journey.ts';
import type { Visitor } from './browser.ts';
import { eventually } from './eventually.ts';
import { listFaults, listFaultsOfLooks } from './faults.ts';
import { addUser, type Api, getDialog, PHONE, press } from './people.ts';
import { until } from './server.ts';
import { enter, leavePhone, openStage, type Stage, TIMEOUT_MS } from './stage.ts';

// The bell and its notifications in a real browser.

const WINDOW = { viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' } as const;

let stage: Stage;
let ada: Visitor;
let page: Page;
let api: Api;

beforeEach(async () => {
  stage = await openStage();
  ({ api } = stage);
  // The first login in this browser would be one.
  await api('PUT', '/users/me/preferences', { notifications: { newLogin: false } });
}, TIMEOUT_MS);

afterEach(() => stage?.close(), TIMEOUT_MS);

const notify = (title: string, values: object = {}) =>
  api('POST', '/admin/notifications', { userId: stage.account.id, title, ...values });
const bell = (name: string | RegExp) => page.getByRole('button', { name, exact: true });
const titles = () => getDialog(page).getByRole('listitem').locator('a, strong').allTextContents();

const { step, chapter } = journey('an account reads its notifications', TIMEOUT_MS);

chapter('the bell', () => {
  let album: { id: string };
  beforeEach(async () => {
    album = await api('POST', '/albums', { albumName: 'Japan' });
    ada = await enter(stage, WINDOW);
    ({ page } = ada);
    await page.getByRole('heading', { name: 'No photos yet' }).waitFor();
  }, TIMEOUT_MS);
  afterEach(() => expect(ada.problems).toEqual([]));

  step('shows no number while there is nothing unread, and the panel says so', async () => {
    await bell('Notifications').click();
    await getDialog(page).getByText('No notifications').waitFor();
    expect(await listFaults(page)).toEqual([]);
    await page.keyboard.press('Escape');
  });

  step('counts a notification as soon as it arrives, without a reload', async () => {
    await notify('From the administrator', { description: 'The server moves on Sunday.' });
    await bell('Notifications, 1 unread').waitFor();
    const data = { kind: 'albumInvite', albumId: album.id, albumName: 'Japan', senderName: 'Bob' };
    await notify('in English', { level: 'info', type: 'AlbumInvite', data });
    await notify('in English', { level: 'error', type: 'JobFailed', data: { kind: 'jobFailed' } });
    await bell('Notifications, 3 unread').waitFor();
  });

  step('opens the list, newest first, in the words of the page', async () => {
    await bell('Notifications, 3 unread').click();
    await getDialog(page).getByText('The server moves on Sunday.').waitFor();
    await eventually(titles).toEqual([
      'A job failed',
      'Bob shared the album “Japan” with you',
      'From the administrator',
    ]);
    expect(await listFaultsOfLooks(page)).toEqual([]);
  });

  step('marks one as read, and deletes one', async () => {
    const row = (title: string) => getDialog(page).getByRole('listitem').filter({ hasText: title });
    await row('From the administrator').getByRole('button', { name: 'Mark as read' }).click();
    await until(
      'two unread',
      async () => (await api('GET', '/notifications?unread=true')).length === 2,
    );
    await row('A job failed').getByRole('button', { name: 'Delete' }).click();
    await until('two left', async () => (await api('GET', '/notifications')).length === 2);
    await eventually(titles).toEqual([
      'Bob shared the album “Japan” with you',
      'From the administrator',
    ]);
  });

  step('leads to the album of a notification and marks it as read', async () => {
    await getDialog(page).getByRole('link', { name: 'Bob shared the album' }).click();
    await page.waitForURL(`**/albums/${album.id}`);
    await bell('Notifications').waitFor();
  });

  step('marks all as read', async () => {
    for (const title of ['One', 'Two']) await notify(title);
    await bell('Notifications, 2 unread').click();
    await press(page, 'Mark all as read');
    await until(
      'none unread',
      async () => (await api('GET', '/notifications?unread=true')).length === 0,
    );
    await eventually(() =>
      getDialog(page)
        .getByRole('button', { name: /as read/ })
        .count(),
    ).toBe(0);
    await page.keyboard.press('Escape');
    await bell('Notifications').waitFor();
  });
});

chapter('on a phone', () => {
  step('notifications are below “More”', async () => {
    await notify('On the way');
    const phone = await enter(stage, { ...PHONE, reducedMotion: 'reduce', at: '/photos' });
    await phone.page.getByRole('button', { name: 'More', exact: true }).tap();
    await phone.page.getByRole('button', { name: 'Notifications, 1 unread' }).tap();
    await getDialog(phone.page).getByText('On the way').waitFor();
    expect(await listFaults(phone.page)).toEqual([]);
    await leavePhone(phone);
  });
});

chapter('nobody else', () => {
  step('sees the notifications of an account', async () => {
    const account = await addUser(api, 'Bob');
    await api('POST', '/admin/notifications', { userId: account.id, title: 'For Bob only' });
    await notify('For Ada only');
    const bob = await enter(stage, { as: account });
    await bob.page.getByRole('button', { name: 'Notifications, 1 unread' }).click();
    await getDialog(bob.page).getByText('For Bob only').waitFor();
    await eventually(() => getDialog(bob.page).getByRole('listitem').count()).toBe(1);
    expect(bob.problems).toEqual([]);
  });
});
