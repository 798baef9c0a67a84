import { afterAll, beforeAll, expect } from 'bun:test';
import type { Page } from 'playwright-core';
import { journey } from '../support/journey.ts';
import type { Visitor } from './browser.ts';
import { eventually } from './eventually.ts';
import { PHONE, viewerOpened } from './people.ts';
import { until } from './server.ts';
import {
  daysOfMay,
  enter,
  enterAgain,
  leavePhone,
  openStage,
  type Stage,
  TIMEOUT_MS,
} from './stage.ts';

// Wheel, fingers and the slow movement of the slideshow in the viewer, in a real browser.

const MOVING_PHONE = { ...PHONE, reducedMotion: 'no-preference' } as const;

let stage: Stage;
let ada: Visitor;
let ids: string[];

beforeAll(async () => {
  stage = await openStage();
  ids = await stage.add(daysOfMay(2));
  ada = await enter(stage, { reducedMotion: 'no-preference' });
}, TIMEOUT_MS);

afterAll(async () => {
  await stage?.close();
  expect(ada.problems).toEqual([]);
}, TIMEOUT_MS);

const { step } = journey('somebody looks closer', TIMEOUT_MS);

const open = async (on: Page, id: string) => {
  await on.goto(`/photos/${id}`);
  await viewerOpened(on);
  await eventually(() => getScale(on)).toBe(1);
};
const getScale = (on: Page): Promise<number> =>
  on
    .locator('.yarl__slide_current .yarl__slide_wrapper')
    .first()
    .evaluate((slide) => new DOMMatrix(getComputedStyle(slide).transform).a);
/** Sends a touch of one finger along these points. */
async function swipe({ page, context }: Visitor, points: readonly { x: number; y: number }[]) {
  const devtools = await context.newCDPSession(page);
  const [first, ...others] = points;
  await devtools.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [first!] });
  for (const point of others)
    await devtools.send('Input.dispatchTouchEvent', { type: 'touchMove', touchPoints: [point] });
  await devtools.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
}

step('the wheel zooms in and out again', async () => {
  const { page } = ada;
  await open(page, ids[0]!);
  await page.mouse.move(600, 400);
  // The picture may not be there yet.
  await until('it is larger', async () => {
    await page.mouse.wheel(0, -300);
    return (await getScale(page)) > 1;
  });
  await page.mouse.wheel(0, 3000);
  await eventually(() => getScale(page)).toBe(1);
});

step(
  'on a phone a double tap zooms in and another one out, then a swipe up tells more',
  async () => {
    const phone = await enterAgain(stage, ada, MOVING_PHONE);
    await open(phone.page, ids[0]!);
    // On a busy machine two taps may be too far from each other.
    const doubleTapUntil = (state: string, is: (scale: number) => boolean) =>
      until(state, async () => {
        await phone.page.touchscreen.tap(195, 420);
        await phone.page.touchscreen.tap(195, 420);
        await phone.page.waitForTimeout(500);
        return is(await getScale(phone.page));
      });
    const info = phone.page.getByRole('complementary', { name: 'Information' });
    const up = Array.from({ length: 8 }, (_, at) => ({ x: 195, y: 600 - at * 25 }));
    await doubleTapUntil('it is larger', (scale) => scale > 1);
    await swipe(phone, up);
    expect(await info.count()).toBe(0);
    await doubleTapUntil('it fits again', (scale) => scale === 1);
    await swipe(phone, up);
    await info.waitFor();
    await leavePhone(phone);
  },
);

step('on a phone a swipe down closes it', async () => {
  const phone = await enterAgain(stage, ada, MOVING_PHONE);
  await phone.page.goto('/photos');
  await phone.page.locator('[data-part=tile]').first().tap();
  await viewerOpened(phone.page);
  const points = Array.from({ length: 12 }, (_, at) => ({ x: 195, y: 300 + at * 35 }));
  await swipe(phone, points);
  await phone.page.waitForURL('**/photos');
  await phone.page.getByRole('dialog', { name: 'Photo viewer' }).waitFor({ state: 'detached' });
  await leavePhone(phone);
});

step('a slideshow keeps the screen on and moves its photo slowly, until it is paused', async () => {
  const { page } = ada;
  await page.addInitScript(() => {
    localStorage.setItem('safelight.slideshow', '{"seconds":60,"isFullscreen":false}');
    const locks: string[] = [];
    Object.assign(window, { locks });
    Object.defineProperty(navigator, 'wakeLock', {
      value: {
        request: async (kind: string) => {
          locks.push(kind);
          return { release: async () => void locks.pop() };
        },
      },
    });
  });
  const countLocks = () =>
    page.evaluate(() => (window as unknown as { locks: string[] }).locks.length);
  await open(page, ids[0]!);
  await page.keyboard.press('p');
  const show = page.getByRole('dialog', { name: 'Slideshow' });
  const readMotion = () =>
    show
      .locator('[data-current] img')
      .last()
      .evaluate((picture) => {
        const [motion] = picture.getAnimations();
        return motion?.playState;
      });
  await eventually(readMotion).toBe('running');
  await eventually(countLocks).toBe(1);
  await show.getByRole('button', { name: 'Pause', exact: true }).click();
  await show.getByRole('button', { name: 'Play', exact: true }).waitFor();
  await eventually(readMotion).toBe('paused');
  await eventually(countLocks).toBe(0);
  await page.keyboard.press('Escape');
  await show.waitFor({ state: 'detached' });
});
