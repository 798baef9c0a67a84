import { afterEach, beforeEach, expect } from 'bun:test';
import type { Page } from 'playwright-core';
import { photo, type Visitor } from './browser.ts';
import { eventually } from './eventually.ts';
import { listFaultsOfLooks } from './faults.ts';
import { pictures, undo, viewerOpened } from './people.ts';
import { enter, leavePhone, onPhone, openStage, type Stage, TIMEOUT_MS } from './stage.ts';
import { journey } from '../support/journey.ts';

// The days of the timeline, how it is grouped, and what is selected in it.

/** Two days of a trip, two quiet days of the month before, and an old photo. */
const TAKEN = [
  '2024:08:12 19:30:00',
  '2024:08:12 12:00:00',
  '2024:08:11 09:00:00',
  '2024:07:20 18:00:00',
  '2024:07:03 18:00:00',
  '2021:05:02 09:00:00',
];

let stage: Stage;
let visitor: Visitor;
let page: Page;
let ids: string[];

beforeEach(async () => {
  stage = await openStage();
  ids = await stage.add(TAKEN.map((day, at) => photo(`${at}.jpg`, day, 300, 200)));
  await stage.api('PUT', '/assets', {
    ids: ids.slice(0, 2),
    latitude: 36.5988,
    longitude: -4.5169,
  });
  visitor = await enter(stage);
  ({ page } = visitor);
  await pictures(page, TAKEN.length);
}, TIMEOUT_MS);

afterEach(async () => {
  await stage?.close();
  expect(visitor.problems).toEqual([]);
}, TIMEOUT_MS);

const { step, chapter } = journey('somebody looks through the days of a library', TIMEOUT_MS);

const listDays = () => page.locator('[data-part=day] h3').allTextContents();
const getDay = (name: string) => page.locator('[data-part=day]', { hasText: name });
const waitForSelected = (count: number) =>
  count === 0
    ? page.waitForFunction(() => !document.querySelector('[data-part=tile][data-chosen]'))
    : page
        .getByText(count === 1 ? '1 item selected' : `${count} items selected`, { exact: true })
        .waitFor();

chapter('days', () => {
  step(
    'each day has a heading with its place, and short days stand beside each other',
    async () => {
      await eventually(listDays).toEqual([
        'Mon 12 Aug · Torremolinos',
        'Sun 11 Aug',
        'Sat 20 Jul',
        'Wed 3 Jul',
        'Sun 2 May',
      ]);
      const [first, second] = await Promise.all(
        ['Sat 20 Jul', 'Wed 3 Jul'].map(async (name) => (await getDay(name).boundingBox())!),
      );
      expect(second!.y).toBe(first!.y);
      expect(second!.x).toBeGreaterThan(first!.x + first!.width);
    },
  );

  step('a click on a day selects it, and another click on its check clears it', async () => {
    await getDay('Mon 12 Aug').click();
    await waitForSelected(2);
    await page
      .getByRole('checkbox', { name: 'Select all of Mon 12 Aug · Torremolinos' })
      .press('Space');
    await waitForSelected(0);
  });

  step('the page with days has no faults on a phone and on a desktop', async () => {
    expect(await listFaultsOfLooks(page)).toEqual([]);
  });
});

chapter('grouping', () => {
  const height = () =>
    page
      .locator('[data-part=tile]')
      .first()
      .evaluate((tile) => tile.clientHeight);
  const heads = () => page.locator('[data-part=month] h2').allTextContents();

  step('minus shows months and then years, with smaller photos, and it is remembered', async () => {
    const before = await height();
    await page.keyboard.press('-');
    await page.locator('[data-part=day]').first().waitFor({ state: 'detached' });
    await eventually(heads).toEqual(['August 2024', 'July 2024', 'May 2021']);
    await page.keyboard.press('-');
    await eventually(heads).toEqual(['2024', 'August 2024', 'July 2024', '2021', 'May 2021']);
    expect(await height()).toBeLessThan(before);
    await page.reload();
    await eventually(heads).toContain('2021');
  });

  step('Ctrl and the wheel go back to days', async () => {
    await page.mouse.move(400, 400);
    await page.keyboard.down('Control');
    for (const _ of [1, 2]) {
      await page.mouse.wheel(0, -120);
      await page.waitForTimeout(300);
    }
    await page.keyboard.up('Control');
    await page.locator('[data-part=day]').first().waitFor();
  });

  step('two fingers that come together show months, and days when they part', async () => {
    const phone = await onPhone(stage, visitor);
    await phone.page.goto('/photos');
    const days = phone.page.locator('[data-part=day]');
    await days.first().waitFor();
    const devtools = await phone.context.newCDPSession(phone.page);
    const pinch = async (from: number, to: number) => {
      const points = (gap: number) => [
        { x: 195 - gap, y: 400, id: 0 },
        { x: 195 + gap, y: 400, id: 1 },
      ];
      const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', gap?: number) =>
        devtools.send('Input.dispatchTouchEvent', {
          type,
          touchPoints: gap === undefined ? [] : points(gap),
        });
      await touch('touchStart', from);
      for (const share of [0.2, 0.4, 0.6, 0.8, 1])
        await touch('touchMove', from + (to - from) * share);
      await touch('touchEnd');
    };
    await pinch(110, 60);
    await days.first().waitFor({ state: 'detached' });
    await pinch(60, 110);
    await days.first().waitFor();
    await leavePhone(phone);
  });

  step('the menu goes to a date, and its first photo has the focus', async () => {
    await page.getByRole('button', { name: 'View', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Go to a date' }).click();
    await page.locator('input[type=date]').fill('2024-07-05');
    await page.getByRole('button', { name: 'Go', exact: true }).click();
    await page.waitForFunction(() => document.activeElement?.ariaLabel?.includes('3 July 2024'));
  });
});

chapter('keys, wherever the focus is', () => {
  step('arrows work after “Skip to content” and from a link of the navigation', async () => {
    await page.getByRole('link', { name: 'Skip to content' }).focus();
    await page.keyboard.press('Enter');
    await page.keyboard.press('ArrowRight');
    await page.waitForFunction(() => document.activeElement?.matches('[data-part=tile-link]'));
    await page.getByRole('link', { name: 'Albums', exact: true }).first().focus();
    await page.keyboard.press('Home');
    await page.waitForFunction(() => document.activeElement?.ariaLabel?.includes('19:30'));
  });

  step('Shift and arrows extend and shorten the selection, and Escape clears it', async () => {
    await page.keyboard.press('Shift+ArrowRight');
    await waitForSelected(2);
    await page.keyboard.press('Shift+ArrowRight');
    await waitForSelected(3);
    await page.keyboard.press('Shift+ArrowLeft');
    await waitForSelected(2);
    await page.keyboard.press('Escape');
    await waitForSelected(0);
  });

  step('Ctrl+A selects all, and in a field it is left to the field', async () => {
    await page.getByLabel('Search your photos').first().focus();
    await page.keyboard.press('Control+a');
    await page.locator('#content').focus();
    await page.keyboard.press('Control+a');
    await waitForSelected(TAKEN.length);
    await page.keyboard.press('Escape');
    await waitForSelected(0);
  });

  step('Delete moves what is selected to the trash, and Undo brings it back', async () => {
    await page.keyboard.press('Home');
    await page.waitForFunction(() => document.activeElement?.ariaLabel?.includes('19:30'));
    await page.keyboard.press('Space');
    await waitForSelected(1);
    await page.keyboard.press('Delete');
    await pictures(page, TAKEN.length - 1);
    await undo(page, '1 item moved to the trash');
    await pictures(page, TAKEN.length);
  });

  step('a question mark lists the keys, without faults', async () => {
    await page.keyboard.press('?');
    const dialog = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await dialog.getByText('Extend the selection').waitFor();
    expect(await listFaultsOfLooks(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
  });
});

chapter('dragging', () => {
  const tile = async (at: number) =>
    (await page.locator('[data-part=tile]').nth(at).boundingBox())!;

  step('a rectangle from free space selects what it touches', async () => {
    const [from, to] = [await tile(0), await tile(2)];
    await page.mouse.move(to.x + to.width + 60, to.y + to.height / 2);
    await page.mouse.down();
    await page.mouse.move(from.x + from.width + 20, from.y + 40, { steps: 4 });
    await page.mouse.up();
    await waitForSelected(2);
    await page.keyboard.press('Escape');
    await waitForSelected(0);
  });

  step('a drag from a check selects until the photo below the pointer, and back', async () => {
    const [from, over, to] = [await tile(0), await tile(3), await tile(1)];
    await page.mouse.move(from.x + 17, from.y + 17);
    await page.mouse.down();
    await page.mouse.move(over.x + 40, over.y + 40, { steps: 4 });
    await waitForSelected(4);
    await page.mouse.move(to.x + 40, to.y + 40, { steps: 4 });
    await page.mouse.up();
    await waitForSelected(2);
    await page.keyboard.press('Escape');
    await waitForSelected(0);
  });

  step('a finger selects by a long press and a drag, and does not scroll meanwhile', async () => {
    const phone = await onPhone(stage, visitor);
    await phone.page.goto('/photos');
    await pictures(phone.page, TAKEN.length);
    const box = async (at: number) =>
      (await phone.page.locator('[data-part=tile]').nth(at).boundingBox())!;
    const [from, to] = [await box(0), await box(3)];
    const devtools = await phone.context.newCDPSession(phone.page);
    const touch = (type: 'touchStart' | 'touchMove', x: number, y: number) =>
      devtools.send('Input.dispatchTouchEvent', { type, touchPoints: [{ x, y }] });
    await touch('touchStart', from.x + 40, from.y + 40);
    await phone.page.locator('[data-part=tile][data-chosen]').first().waitFor();
    await touch('touchMove', from.x + 40, from.y + 80);
    await touch('touchMove', to.x + 40, to.y + 40);
    await phone.page.waitForFunction(
      () => document.querySelectorAll('[data-part=tile][data-chosen]').length === 4,
    );
    await devtools.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
    expect(await phone.page.locator('.timeline-scroll').evaluate((it) => it.scrollTop)).toBe(0);
    await leavePhone(phone);
  });
});

chapter('filters', () => {
  const toggle = (name: string) => page.getByRole('button', { name, exact: true }).click();

  step(
    'the bar shows favourites only, the address keeps it, and a photo is opened within',
    async () => {
      await stage.api('PUT', '/assets', { ids: ids.slice(2, 4), isFavorite: true });
      await toggle('Filters');
      await page.locator('[data-part=filter-bar]').waitFor();
      expect(await listFaultsOfLooks(page)).toEqual([]);
      await toggle('Favorites');
      await pictures(page, 2);
      await page.reload();
      await pictures(page, 2);
      await page.locator('[data-part=tile-link]').first().click();
      await viewerOpened(page);
      await page.keyboard.press('Escape');
      await eventually(() => new URL(page.url()).search).toBe('?favourites=');
      await pictures(page, 2);
    },
  );

  step('a camera narrows further, and videos are none', async () => {
    await page.getByLabel('All cameras').selectOption('Camera One');
    await pictures(page, 2);
    await toggle('Videos');
    await page.getByText('No photos match the filters').waitFor();
  });

  step(
    '“Recently added” lists by the day of the upload, without filters all photos return',
    async () => {
      await toggle('Remove the filters');
      await pictures(page, TAKEN.length);
      await toggle('Filters');
      await toggle('Recently added');
      await page.waitForFunction(() => document.querySelectorAll('[data-part=day]').length === 1);
      await pictures(page, TAKEN.length);
      const newest = page.locator('[data-part=tile-link]').first();
      expect(await newest.getAttribute('data-id')).toBe(ids.at(-1)!);
    },
  );

  step('people with a name can be chosen, and none is shown without them', async () => {
    const { id: personId } = await stage.api('POST', '/people', { name: 'Grandma' });
    const { id: unnamed } = await stage.api('POST', '/people', { name: '' });
    const face = { x: 300, y: 200, width: 200, height: 200, imageWidth: 900, imageHeight: 600 };
    await stage.api('POST', '/faces', { assetId: ids[1], personId, ...face });
    await stage.api('POST', '/faces', { assetId: ids[2], personId: unnamed, ...face });
    await page.goto('/photos?favourites=');
    const people = page.getByLabel('All people');
    await eventually(() => people.locator('option').allTextContents()).toEqual([
      'All people',
      'Grandma',
    ]);
    await people.selectOption('Grandma');
    await page.getByText('No photos match the filters').waitFor();
    await toggle('Favorites');
    await pictures(page, 1);
    const [shown] = await page.locator('[data-part=tile-link]').all();
    expect(await shown!.getAttribute('data-id')).toBe(ids[1]!);
    await page.reload();
    await pictures(page, 1);
    expect(await people.inputValue()).toBe(personId);
    await people.selectOption('All people');
    await pictures(page, TAKEN.length);
  });
});
