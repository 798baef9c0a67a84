import { afterEach, beforeEach, expect } from 'bun:test';
import type { Page } from 'playwright-core';
import { journey } from '../support/journey.ts';
import { eventually } from './eventually.ts';
import { listFaults, listFaultsOfLooks } from './faults.ts';
import { hasRow, type MemoryStage, open, openMemoryStage, player, row, shows } from './memories.ts';
import { PHONE, pictures, press } from './people.ts';
import { until } from './server.ts';
import { enterAgain, leavePhone, TIMEOUT_MS } from './stage.ts';

// The player of memories, in a real browser.

let world: MemoryStage;
let page: Page;

beforeEach(async () => {
  world = await openMemoryStage();
  ({ page } = world);
}, TIMEOUT_MS);

afterEach(async () => {
  expect(world.ada.problems).toEqual([]);
  await world.stage.close();
}, TIMEOUT_MS);

const get = (id: string) => world.api('GET', `/memories/${id}`);
const prefer = (memories: object) => world.api('PUT', '/users/me/preferences', { memories });

/** Returns a function that lists all that the player has shown since, as '/memories/ID: 2 of 3'. */
async function recordShown(): Promise<() => Promise<string[]>> {
  await page.evaluate(() => {
    const shown: string[] = [];
    Object.assign(window, { shown });
    new MutationObserver(() => {
      const text = document.querySelector('[data-part=memory-player]')?.textContent ?? '';
      const now = `${location.pathname}: ${/\d+ of \d+/.exec(text)?.[0]}`;
      if (shown.at(-1) !== now) shown.push(now);
    }).observe(document.body, { subtree: true, childList: true, characterData: true });
  });
  return () => page.evaluate(() => (window as unknown as { shown: string[] }).shown);
}

const { step, chapter } = journey('an owner plays memories', TIMEOUT_MS);

chapter('by hand', () => {
  step('shows a memory with its date and marks it as seen', async () => {
    await open(page, 'Spring walk');
    await page.waitForURL(`**/memories/${world.spring}`);
    await shows(page, '1 of 3');
    await player(page).getByText('1 May 2024').waitFor();
    await player(page)
      .getByText(/years? ago/)
      .waitFor();
    await until('the time of looking', async () => (await get(world.spring)).seenAt);
    await eventually(async () => (await get(world.trip)).seenAt).toBeUndefined();
    expect(await listFaultsOfLooks(page)).toEqual([]);
  });

  step('goes on and back by keys, buttons, taps and swipes', async () => {
    await page.keyboard.press('ArrowRight');
    await shows(page, '2 of 3');
    await page.keyboard.press('ArrowLeft');
    await shows(page, '1 of 3');
    await press(page, 'Next');
    await shows(page, '2 of 3');
    await page.mouse.click(300, 450);
    await shows(page, '1 of 3');
    await page.mouse.click(1000, 450);
    await shows(page, '2 of 3');
    await page.mouse.move(900, 450);
    await page.mouse.down();
    await page.mouse.move(700, 460);
    await page.mouse.up();
    await shows(page, '3 of 3');
  });

  step('pauses by the space bar, and while a button of the mouse is held', async () => {
    await page.getByRole('button', { name: 'Pause' }).waitFor();
    await player(page).focus();
    await page.keyboard.press(' ');
    await page.getByRole('button', { name: 'Play' }).waitFor();
    await page.keyboard.press(' ');
    await page.getByRole('button', { name: 'Pause' }).waitFor();
    await page.mouse.move(800, 450);
    await page.mouse.down();
    await page.getByRole('button', { name: 'Play' }).waitFor();
    await page.mouse.up();
    await page.getByRole('button', { name: 'Pause' }).waitFor();
    await shows(page, '3 of 3');
  });

  step('goes on to the next memory after the last picture, and Escape closes it', async () => {
    await page.keyboard.press('ArrowRight');
    await page.waitForURL(`**/memories/${world.trip}`);
    await shows(page, '1 of 1');
    await page.keyboard.press('Escape');
    await page.waitForURL('**/photos');
    await pictures(page, 5);
    await hasRow(page, ['Spring walk', 'A trip', 'New: A film']);
  });

  step('on a phone a tap at the right goes on, and a swipe down closes the player', async () => {
    const phone = await enterAgain(world.stage, world.ada, PHONE);
    await phone.page.goto('/photos');
    await pictures(phone.page, 5);
    await open(phone.page, 'Spring walk');
    await shows(phone.page, '1 of 3');
    expect(await listFaults(phone.page)).toEqual([]);
    await phone.page.touchscreen.tap(300, 400);
    await shows(phone.page, '2 of 3');
    await phone.page.mouse.move(200, 300);
    await phone.page.mouse.down();
    await phone.page.mouse.move(205, 460);
    await phone.page.mouse.up();
    await phone.page.waitForURL('**/photos');
    await leavePhone(phone);
  });
});

chapter('by itself', () => {
  step('advances by itself after the time that the account prefers', async () => {
    // Fewer pixels to draw while pictures move.
    await page.setViewportSize({ width: 480, height: 360 });
    await prefer({ duration: 1 });
    await page.reload();
    await row(page).waitFor();
    const listShown = await recordShown();
    await open(page, 'Spring walk');
    await page.waitForURL(`**/memories/${world.film}`);
    const { spring, trip } = world;
    expect(await listShown()).toEqual(
      expect.arrayContaining([
        ...['1 of 3', '2 of 3', '3 of 3'].map((at) => `/memories/${spring}: ${at}`),
        `/memories/${trip}: 1 of 1`,
      ]),
    );
  });

  step('plays a film to its end, with sound that can be switched off', async () => {
    const sound = () => page.locator('video').evaluate((film: HTMLVideoElement) => !film.muted);
    await page.goto(`/memories/${world.film}`);
    await player(page).getByRole('button', { name: 'Sound' }).waitFor();
    // A page that was not touched yet may have to begin without sound.
    if (!(await sound())) await press(page, 'Sound on');
    await eventually(sound).toBe(true);
    await press(page, 'Sound off');
    await eventually(sound).toBe(false);
    await page.getByRole('button', { name: 'Play', exact: true }).waitFor();
    await eventually(() =>
      page.locator('video').evaluate((video: HTMLVideoElement) => video.ended),
    ).toBe(true);
  });

  step('stands still where less motion is asked for, until it is played', async () => {
    await page.emulateMedia({ reducedMotion: 'reduce' });
    await page.goto('/photos');
    await open(page, 'Spring walk');
    await page.getByRole('button', { name: 'Play', exact: true }).waitFor();
    await page.keyboard.press('ArrowRight');
    await shows(page, '2 of 3');
    const listShown = await recordShown();
    await page.getByRole('button', { name: 'Play', exact: true }).click();
    // Also into the next memory.
    await page.waitForURL(`**/memories/${world.film}`);
    expect(await listShown()).toContain(`/memories/${world.trip}: 1 of 1`);
    await page.emulateMedia({ reducedMotion: 'no-preference' });
    await page.keyboard.press('Escape');
  });
});
