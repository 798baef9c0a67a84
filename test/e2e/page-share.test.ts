import { afterAll, beforeAll, expect } from 'bun:test';
import type { Page } from 'playwright-core';
import { drop, photo, type Visitor, visit } from './browser.ts';
import { eventually } from './eventually.ts';
import { listFaults } from './faults.ts';
import { type Api, choose, getDialog, go, PHONE, pictures, press, getPageWidth } from './people.ts';
import {
  daysOfMay,
  enter,
  leavePhone,
  onPhone,
  openStage,
  type Stage,
  TIMEOUT_MS,
} from './stage.ts';
import { journey } from '../support/journey.ts';
import { until } from '../support/until.ts';

// Sharing with guests, members and partners in a real browser, and what people tell their account.

const BOB = { name: 'Bob', email: 'bob@example.com', password: 'bricks and mortar' };

let stage: Stage;
let ada: Visitor;
let page: Page;
let api: Api;
let ids: string[];
let album: { id: string };

beforeAll(async () => {
  stage = await openStage();
  ({ api } = stage);
  ids = await stage.add(daysOfMay(3));
  const bob = await api('POST', '/admin/users', { ...BOB, shouldChangePassword: false });
  album = await api('POST', '/albums', {
    albumName: 'Spring',
    assetIds: ids.slice(0, 2),
    albumUsers: [{ userId: bob.id, role: 'editor' }],
  });
  ada = await enter(stage);
  ({ page } = ada);
  await pictures(page, 3);
}, TIMEOUT_MS);

afterAll(() => stage?.close(), TIMEOUT_MS);

const guest = (options = {}) => visit(stage.browser, stage.server.url, options);
/** A browser writes every refusal into its console; the first look at a locked link is one. */
const isRefusal = (text: string) => /status of 401 .*\/api\/shared-links\//.test(text);

const { step, chapter } = journey('an owner shares photos and albums', TIMEOUT_MS);

chapter('a shared link', () => {
  step('of a selection has a custom address, password and expiry', async () => {
    await choose(page, '1 May 2024');
    await choose(page, '3 May 2024');
    await press(page, 'Share by link');
    await getDialog(page).getByLabel('Note for yourself').fill('For grandma');
    await getDialog(page).getByLabel('Own address').fill('for-grandma');
    await getDialog(page).getByLabel('Password').fill('sesame');
    await getDialog(page).getByLabel('Ends').selectOption('In a week');
    expect(await listFaults(page)).toEqual([]);
    await press(page, 'Create link');
    await eventually(() => getDialog(page).getByLabel('Link', { exact: true }).inputValue()).toBe(
      `${stage.server.url}/s/for-grandma`,
    );
    await press(page, 'Done');
    const [link] = await api('GET', '/shared-links');
    expect(Date.parse(link.expiresAt) - Date.now()).toBeGreaterThan(6.9 * 86_400_000);
  });

  step('opens for a guest with its password and shows only its photos', async () => {
    const { page: seen, context, problems } = await guest();
    await seen.goto('/s/for-grandma');
    await seen.getByLabel('Password').fill('wrong');
    await press(seen, 'Show the photos');
    await seen.getByRole('alert').getByText('Invalid password').waitFor();
    await seen.getByLabel('Password').fill('sesame');
    await press(seen, 'Show the photos');
    await pictures(seen, 2);
    expect(seen.url()).not.toContain('sesame');
    expect(await listFaults(seen)).toEqual([]);
    await seen.locator('[data-part=tile-link]').first().click();
    await seen.locator('.yarl__slide_current img.yarl__slide_image').waitFor();
    await eventually(() => new URL(seen.url()).pathname).toMatch(
      /^\/s\/for-grandma\/photos\/[0-9a-f-]{36}$/,
    );
    const viewer = seen.getByRole('dialog', { name: 'Photo viewer' });
    await viewer.getByRole('button', { name: 'Download' }).waitFor();
    await eventually(() =>
      viewer.getByRole('button', { name: /favourites|Archive|trash/ }).count(),
    ).toBe(0);
    await seen.reload();
    await seen.locator('.yarl__slide_current img.yarl__slide_image').waitFor();
    expect(problems.filter((text) => !isRefusal(text))).toEqual([]);
    await context.close();
  });

  step('without download and metadata offers neither to guests', async () => {
    await go(page, 'Links');
    await press(page, 'More about For grandma');
    await page.getByRole('menuitem', { name: 'Edit' }).click();
    await getDialog(page).getByLabel('Ask for no password any more').check();
    await getDialog(page).getByLabel('See dates, places and cameras').uncheck();
    await press(page, 'Save');
    await page.getByText('no metadata').waitFor();
    expect(await listFaults(page)).toEqual([]);
    const { page: seen, context, problems } = await guest(PHONE);
    await seen.goto('/s/for-grandma');
    await pictures(seen, 2);
    await eventually(() => seen.getByRole('button', { name: 'Download all' }).count()).toBe(0);
    await seen.locator('[data-part=tile-link]').first().tap();
    await seen.locator('.yarl__slide_current img.yarl__slide_image').waitFor();
    await eventually(() => seen.getByRole('button', { name: /Download|Information/ }).count()).toBe(
      0,
    );
    expect(problems).toEqual([]);
    await context.close();
  });

  step('cannot be opened after it is deleted', async () => {
    await press(page, 'More about For grandma');
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await press(page, 'Delete link');
    await page.getByText('Nothing is shared by link').waitFor();
    const { page: seen, context } = await guest();
    await seen.goto('/s/for-grandma');
    await seen.getByRole('heading', { name: 'This link does not work' }).waitFor();
    await context.close();
  });

  step('of an album accepts uploads by guests when allowed', async () => {
    await page.goto(`/albums/${album.id}`);
    await press(page, 'Share album');
    await press(page, 'New link');
    await page.getByLabel('Add photos to the album').check();
    await press(page, 'Create link');
    const url = await page.getByLabel('Link', { exact: true }).inputValue();
    await press(page, 'Done');
    await page.keyboard.press('Escape');
    const { page: seen, context, problems } = await guest();
    await seen.goto(url);
    await pictures(seen, 2);
    await drop(seen, [await photo('of a guest.jpg', '2024:06:01 12:00:00')]);
    await seen.getByText('1 file uploaded').waitFor();
    await pictures(seen, 3);
    expect(problems).toEqual([]);
    await context.close();
    await pictures(page, 3);
  });

  step('is written with the external domain of the server', async () => {
    const { hasPassword: _, ...mail } = await api('GET', '/admin/notifications/mail');
    const externalDomain = 'https://photos.example.com';
    await api('PUT', '/admin/notifications/mail', { ...mail, externalDomain });
    await press(page, 'Share album');
    await press(page, 'New link');
    await press(page, 'Create link');
    const link = page.getByLabel('Link', { exact: true });
    await until(async () => (await link.inputValue()).startsWith(`${externalDomain}/share/`));
    await press(page, 'Done');
    await page.keyboard.press('Escape');
    await api('PUT', '/admin/notifications/mail', mail);
  });
});

chapter('sharing with users of this server', () => {
  let bob: Visitor;

  step('members of an album can comment on it', async () => {
    await press(page, 'Comments: 0');
    await getDialog(page).getByLabel('Say something').fill('What a light!');
    await press(page, 'Send');
    await getDialog(page).getByText('What a light!').waitFor();
    await press(page, 'Like');
    await getDialog(page).getByRole('button', { name: 'Take the like back' }).waitFor();
    expect(await listFaults(page)).toEqual([]);
    await page.keyboard.press('Escape');

    bob = await enter(stage, { as: BOB, at: `/albums/${album.id}` });
    await pictures(bob.page, 3);
    await press(bob.page, 'Comments: 1');
    await bob.page.getByText('What a light!').waitFor();
    // Not his to delete.
    await eventually(() =>
      bob.page.getByRole('button', { name: /Delete the comment/ }).count(),
    ).toBe(0);
    await bob.page.getByLabel('Say something').fill('And the dog');
    await press(bob.page, 'Send');
    await bob.page.getByRole('button', { name: /Delete the comment “And the dog”/ }).waitFor();
    await bob.page.keyboard.press('Escape');
  });

  step('a photo in an album has its own comments, and tags in its information', async () => {
    await page.goto(`/albums/${album.id}/photos/${ids[0]}`);
    await page.locator('.yarl__slide_current img.yarl__slide_image').waitFor();
    await page.keyboard.press('i');
    await page.getByLabel('Say something').fill('This one!');
    await press(page, 'Send');
    await page.getByText('This one!').waitFor();
    await eventually(() => page.getByText('What a light!').count()).toBe(0);
    await press(page, 'Add a tag');
    await page.getByLabel('Find a tag, or name a new one').fill('Sea');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Remove Sea' }).waitFor();
    await page.keyboard.press('Escape');
  });

  step(
    'a partner sees a shared timeline and can show it on the own one, without changing photos',
    async () => {
      await go(page, 'Settings');
      await page.getByLabel('Share my timeline with').selectOption('Bob');
      await page.getByText('sees your timeline', { exact: true }).waitFor();
      await go(bob.page, 'Photos');
      await bob.page.getByText('No photos yet').waitFor();
      await go(bob.page, 'Settings');
      await bob.page.getByLabel('Show photos of Admin on my timeline').check();
      await go(bob.page, 'Photos');
      await pictures(bob.page, 4);
      // Of others nothing can be changed.
      await choose(bob.page, '1 May 2024');
      await bob.page.getByText('1 item selected').waitFor();
      await eventually(() =>
        bob.page.getByRole('button', { name: /trash|Archive|Lock/ }).count(),
      ).toBe(0);
      expect(bob.problems).toEqual([]);
    },
  );

  step('places can be hidden from a partner', async () => {
    const shownToBob = async () => {
      const response = await bob.page.request.get(`/api/assets/${ids[0]}`);
      expect(response.status()).toBe(200);
      return (await response.json()).exifInfo;
    };
    await api('PUT', `/assets/${ids[0]}`, { latitude: 48.2, longitude: 16.4 });
    await eventually(shownToBob).toMatchObject({ latitude: 48.2 });
    await page.getByLabel('Hide places from Bob').check();
    await page.getByText('Places are hidden from Bob').waitFor();
    await page.getByText('does not learn where your photos were taken').waitFor();
    await eventually(async () => (await shownToBob()).latitude).toBeNull();
    await page.reload();
    await eventually(() => page.getByLabel('Hide places from Bob').isChecked()).toBe(true);
    await page.getByLabel('Hide places from Bob').uncheck();
    await page.getByText('Bob sees places').waitFor();
    await eventually(shownToBob).toMatchObject({ latitude: 48.2 });
    expect(await listFaults(page)).toEqual([]);
    await bob.context.close();
    await press(page, 'Stop sharing with Bob');
    await page.getByText('Not shared with Bob').waitFor();
  });
});

chapter('the account', () => {
  step('shows which device changed which preference', async () => {
    await page.getByLabel('New albums begin with the').selectOption('oldest photo');
    await page.getByText('Saved').waitFor();
    await press(page, 'What was changed');
    await getDialog(page).getByText('Albums: default asset order').waitFor();
    await getDialog(page).getByText('(this one)').waitFor();
    await eventually(() => getDialog(page).locator('ins').textContent()).toBe('asc');
    await page.keyboard.press('Escape');
  });

  step('shows the backup progress of each device and can forget a device', async () => {
    await api('POST', '/users/me/backup-devices', {
      deviceKey: 'a-phone',
      name: 'Ada’s phone',
      platform: 'ios',
      pendingCount: 12,
    });
    await page.getByRole('link', { name: 'Backup devices' }).click();
    await page.getByRole('article', { name: 'Ada’s phone' }).getByText('12').waitFor();
    expect(await listFaults(page)).toEqual([]);
    await press(page, 'Forget Ada’s phone');
    await press(page, 'Forget device');
    await page.getByText('No device has reported yet').waitFor();
  });

  step('all pages of the account fit a phone', async () => {
    const phone = await onPhone(stage, ada);
    for (const path of ['/tags', '/links', '/trash', '/locked', '/backup', '/settings']) {
      await phone.page.goto(path);
      await phone.page.getByRole('heading', { level: 1 }).waitFor({ state: 'attached' });
      await eventually(() => getPageWidth(phone.page)).toBe(390);
      expect(await listFaults(phone.page)).toEqual([]);
    }
    await leavePhone(phone);
  });
});

step('no errors and no violations of the content security policy were reported', async () => {
  expect(ada.problems).toEqual([]);
});
