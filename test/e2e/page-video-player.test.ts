import { afterEach, beforeEach, expect } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { makeClip } from '../fixtures/clips.ts';
import { journey } from '../support/journey.ts';
import type { Photo, Visitor } from './browser.ts';
import { photo } from './browser.ts';
import { eventually } from './eventually.ts';
import { listFaults } from './faults.ts';
import { viewerOpened } from './people.ts';
import { enter, leavePhone, onPhone, openStage, type Stage, TIMEOUT_MS } from './stage.ts';

// The player of videos in a real browser: its bar, its keys, and gestures on the picture.

let stage: Stage;
let ada: Visitor;
let page: Page;
let film: string;

const PICTURES = ['-f', 'lavfi', '-i', 'testsrc2=size=640x360:rate=25:duration=20'];
const SOUND = ['-f', 'lavfi', '-i', 'sine=440:duration=20', '-shortest', '-c:a', 'aac'];
const H264 = ['-c:v', 'libx264', '-preset', 'veryfast', '-pix_fmt', 'yuv420p', '-g', '25'];

async function makeFilm(): Promise<Photo> {
  const folder = await mkdtemp(join(tmpdir(), 'safelight-player-'));
  const path = makeClip(join(folder, 'film.mp4'), [...PICTURES, ...SOUND, ...H264]);
  const buffer = Buffer.from(await Bun.file(path).arrayBuffer());
  await rm(folder, { recursive: true });
  return { name: 'film.mp4', mimeType: 'video/mp4', buffer };
}

beforeEach(async () => {
  stage = await openStage();
  // Its time is that of the upload, which is before the photo's neighbour in the timeline.
  [film] = (await stage.add([await makeFilm(), photo('old.jpg', '2020:05:03 12:00:00')])) as [
    string,
    string,
  ];
  ada = await enter(stage);
  ({ page } = ada);
}, TIMEOUT_MS);

afterEach(async () => {
  expect(ada.problems).toEqual([]);
  await stage.close();
}, TIMEOUT_MS);

const { step } = journey('an owner watches a video', TIMEOUT_MS);

const getVideo = (on: Page) => on.locator('.yarl__slide_current video');
const getPlayer = (on: Page) => on.locator('[data-part=player]');
const getBar = (on: Page) => on.getByRole('group', { name: 'Playback' });
const getLine = (on: Page) => on.getByRole('slider', { name: 'Position in the video' });
const read = (on: Page) =>
  getVideo(on).evaluate((element) => {
    const { paused, currentTime, muted, volume, controls } = element as HTMLVideoElement;
    return { paused, time: Math.round(currentTime), muted, volume, controls };
  });
const isHidden = async (on: Page) => (await getPlayer(on).getAttribute('data-hidden')) !== null;
/** Shows the beginning, paused or playing. */
const rewind = (on: Page, isPlaying: boolean) =>
  getVideo(on).evaluate(async (element, plays) => {
    const video = element as HTMLVideoElement;
    video.currentTime = 0;
    if (plays) await video.play();
    else video.pause();
  }, isPlaying);

step('it plays by itself, with a bar of its own', async () => {
  await page.goto(`/photos/${film}`);
  await viewerOpened(page);
  await eventually(async () => (await read(page)).time).toBeGreaterThan(0);
  expect(await read(page)).toMatchObject({ paused: false, controls: false });
  await page.mouse.move(300, 300);
  await getBar(page).getByRole('button', { name: 'Pause' }).click();
  await getBar(page).getByRole('button', { name: 'Play', exact: true }).waitFor();
  expect(await listFaults(page)).toEqual([]);
});

step('keys move along its line, and what they do is read out', async () => {
  await rewind(page, false);
  const line = getLine(page);
  for (const [key, text] of [
    ['ArrowRight', '0:05 of 0:20'],
    ['PageUp', '0:20 of 0:20'],
    ['Home', '0:00 of 0:20'],
  ] as const) {
    await line.press(key);
    await eventually(() => line.getAttribute('aria-valuetext')).toBe(text);
  }
  const { x, y, width, height } = (await line.boundingBox())!;
  expect(height).toBeGreaterThanOrEqual(44);
  await page.mouse.move(x + 1, y + height / 2);
  await page.mouse.down();
  await page.mouse.move(x + width / 4, y + height / 2, { steps: 4 });
  await page.mouse.move(x + width / 2, y + height / 2, { steps: 4 });
  await page.mouse.up();
  await eventually(async () => (await read(page)).time).toBe(10);
});

step('keys of the page play, mute and jump; a jump leads to no other photo', async () => {
  await page.getByRole('button', { name: 'Information' }).focus();
  await page.keyboard.press('k');
  await eventually(async () => (await read(page)).paused).toBe(false);
  await page.keyboard.press('K');
  await eventually(async () => (await read(page)).paused).toBe(true);
  await page.keyboard.press('m');
  await getBar(page).getByRole('button', { name: 'Sound on' }).waitFor();
  expect((await read(page)).muted).toBe(true);
  await rewind(page, false);
  await page.locator('.yarl__container').focus();
  await page.keyboard.press('Shift+ArrowRight');
  await eventually(async () => (await read(page)).time).toBe(10);
  await page.keyboard.press('Shift+ArrowLeft');
  await eventually(async () => (await read(page)).time).toBe(0);
  await page.keyboard.press('Space');
  await eventually(async () => (await read(page)).paused).toBe(false);
  await page.keyboard.press('Space');
  await eventually(async () => (await read(page)).paused).toBe(true);
  expect(new URL(page.url()).pathname).toBe(`/photos/${film}`);
});

step('its volume is set, and kept for the next one', async () => {
  const volume = page.getByRole('slider', { name: 'Volume' });
  // Both keys before the next render.
  await volume.evaluate((slider) => {
    for (const key of ['End', 'PageDown'])
      slider.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
  });
  await eventually(() => volume.getAttribute('aria-valuetext')).toBe('70 %');
  expect(await read(page)).toMatchObject({ muted: false, volume: 0.7 });
  await page.locator('.yarl__container').press('ArrowRight');
  await page.waitForURL((url) => url.pathname !== `/photos/${film}`);
  await getPlayer(page).waitFor({ state: 'detached' });
  await page.locator('.yarl__container').press('ArrowLeft');
  await page.waitForURL(`**/photos/${film}`);
  await getPlayer(page).waitFor();
  await eventually(async () => (await read(page)).volume).toBe(0.7);
});

step('a click on the picture pauses and plays', async () => {
  await rewind(page, true);
  const { x, y, width, height } = (await getVideo(page).boundingBox())!;
  const click = () => page.mouse.click(x + width / 2, y + height / 3);
  await click();
  await eventually(async () => (await read(page)).paused).toBe(true);
  await click();
  await eventually(async () => (await read(page)).paused).toBe(false);
});

step('the bar goes while it plays, and comes back by the pointer and the focus', async () => {
  await rewind(page, true);
  await page.mouse.move(300, 300);
  expect(await isHidden(page)).toBe(false);
  await eventually(() => isHidden(page)).toBe(true);
  await page.mouse.move(320, 300);
  await eventually(() => isHidden(page)).toBe(false);
  await rewind(page, true);
  await eventually(() => isHidden(page)).toBe(true);
  await getLine(page).focus();
  await eventually(() => isHidden(page)).toBe(false);
});

step('an arrow on a button of the bar leads to the next photo', async () => {
  await getBar(page).getByRole('button', { name: 'Speed' }).focus();
  await page.keyboard.press('ArrowRight');
  await page.waitForURL((url) => url.pathname !== `/photos/${film}`);
});

step('on a phone a tap shows the bar and hides it, and the one in the middle pauses', async () => {
  const phone = await onPhone(stage, ada);
  const on = phone.page;
  await on.goto(`/photos/${film}`);
  await viewerOpened(on);
  await eventually(async () => (await read(on)).time).toBeGreaterThan(0);
  await rewind(on, true);
  await eventually(() => isHidden(on)).toBe(true);
  await on.touchscreen.tap(60, 300);
  await eventually(() => isHidden(on)).toBe(false);
  expect(await on.getByRole('slider', { name: 'Volume' }).count()).toBe(0);
  await on.touchscreen.tap(60, 300);
  await eventually(() => isHidden(on)).toBe(true);
  await on.touchscreen.tap(60, 300);
  await eventually(() => isHidden(on)).toBe(false);
  const { x, y, width, height } = (await on.locator('.viewer-stage').boundingBox())!;
  await on.touchscreen.tap(x + width / 2, y + height / 2);
  await eventually(async () => (await read(on)).paused).toBe(true);
  const sizes = await getBar(on)
    .locator('button:visible, [role=slider]:visible')
    .evaluateAll((controls) => controls.map((one) => one.getBoundingClientRect().height));
  expect(Math.min(...sizes)).toBeGreaterThanOrEqual(44);
  await leavePhone(phone);
});

step('on a phone a swipe over the picture leads on; one over the line does not', async () => {
  const phone = await onPhone(stage, ada);
  const on = phone.page;
  await on.goto(`/photos/${film}`);
  await viewerOpened(on);
  await eventually(async () => (await read(on)).time).toBeGreaterThan(0);
  await rewind(on, false);
  const devtools = await phone.context.newCDPSession(on);
  const swipe = async (y: number) => {
    const send = (type: 'touchStart' | 'touchMove' | 'touchEnd', x?: number) =>
      devtools.send('Input.dispatchTouchEvent', {
        type,
        touchPoints: x === undefined ? [] : [{ x, y }],
      });
    await send('touchStart', 300);
    for (let x = 280; x >= 100; x -= 20) await send('touchMove', x);
    await send('touchEnd');
  };
  const line = (await getLine(on).boundingBox())!;
  await swipe(line.y + line.height / 2);
  await eventually(async () => (await read(on)).time).toBeGreaterThan(0);
  expect(new URL(on.url()).pathname).toBe(`/photos/${film}`);
  await swipe(200);
  await on.waitForURL((url) => url.pathname !== `/photos/${film}`);
  await leavePhone(phone);
});
