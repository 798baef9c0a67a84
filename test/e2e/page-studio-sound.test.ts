import { afterAll, beforeAll, expect } from 'bun:test';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { ffmpeg } from '../support/exported-films.ts';
import { journey } from '../support/journey.ts';
import { STREAM_FLAGS } from '../support/stream-viewer.ts';
import { listSoundProcesses } from '../support/streams.ts';
import { listEditorProblems, openBrowser, type Visitor } from './browser.ts';
import { eventually } from './eventually.ts';
import { listFaults, listFaultsOfLooks } from './faults.ts';
import { type Api, getPageWidth, go, press } from './people.ts';
import { until } from './server.ts';
import { enter, leavePhone, onPhone, openStage, type Stage, TIMEOUT_MS } from './stage.ts';

// Sounds of a film in a real browser.

let opened: Stage;
let stage: Stage;
let visitor: Visitor;
let page: Page;
let api: Api;
let folder: string;

beforeAll(async () => {
  opened = await openStage();
  stage = { ...opened, browser: await openBrowser(STREAM_FLAGS) };
  ({ api } = stage);
  folder = await mkdtemp(join(tmpdir(), 'safelight-studio-sound-'));
  const path = join(folder, 'tone.mp4');
  ffmpeg(
    ...'-f lavfi -i testsrc2=s=320x180:r=30:d=8 -f lavfi -i sine=440:r=48000:d=8'.split(' '),
    ...'-c:v libx264 -preset ultrafast -pix_fmt yuv420p -c:a aac'.split(' '),
    path,
  );
  await stage.add([{ name: 'tone.mp4', mimeType: 'video/mp4', buffer: await readFile(path) }]);
  visitor = await enter(stage, { viewport: { width: 1440, height: 900 } });
  ({ page } = visitor);
  // It is not in the document.
  await page.addInitScript(() => {
    const { Audio: Original } = window;
    window.Audio = function () {
      return ((window as any).heard = new Original());
    } as unknown as typeof Audio;
  });
}, TIMEOUT_MS);

afterAll(async () => {
  await stage?.browser.close();
  await opened?.close();
  await rm(folder, { recursive: true, force: true });
}, TIMEOUT_MS);

const sounds = (on: Page = page) =>
  on.getByRole('list', { name: 'Sounds', exact: true }).getByRole('listitem');
const sound = (times: string) => sounds().getByRole('button', { name: `tone.mp4, ${times}` });
const clip = () =>
  page.getByRole('list', { name: 'Track 1' }).getByRole('button', { name: /^tone.mp4/ });
const hasSounds = (count: number, on: Page = page) =>
  until(`${count} sounds`, async () => (await sounds(on).count()) === count);
const isSaved = (on: Page = page) =>
  on.getByRole('status').getByText('Saved', { exact: true }).waitFor();
const readDocument = async () => (await api('GET', '/studio/projects'))[0].document;
const key = (name: string) => page.keyboard.press(name);

async function fill(label: string, value: string): Promise<void> {
  await page.getByLabel(label).fill(value);
  await page.getByLabel(label).press('Enter');
}

const { step } = journey('a film gets sounds', TIMEOUT_MS);

step('the sound of a video is added at the playhead, to the end of the film', async () => {
  await go(page, 'Studio');
  await press(page, 'New film');
  await page.getByLabel('Name').fill('Concert');
  await press(page, 'Create');
  await page.getByRole('button', { name: /^Add Video/ }).click();
  await clip().waitFor();
  for (let at = 0; at < 2; at++) await key('Shift+ArrowRight');
  await page.getByRole('button', { name: /^Add the sound of Video/ }).click();
  await sound('00:02:00 to 00:08:00').waitFor();
  await sounds().locator('canvas[data-ready="true"]').waitFor();
  await isSaved();
  expect(await listFaultsOfLooks(page)).toEqual([]);
});

step(
  'it is trimmed, moved, faded and made quieter; a second one lies in a row of its own',
  async () => {
    await fill('End (seconds)', '6');
    await sound('00:02:00 to 00:06:00').focus();
    await key('Alt+ArrowRight');
    await sound('00:02:01 to 00:06:01').waitFor();
    await fill('Start (seconds)', '1');
    await fill('Fade out (seconds)', '2');
    await fill('Volume (percent)', '50');
    const two = { numerator: 2, denominator: 1 };
    await eventually(async () => (await readDocument()).sounds?.[0]).toMatchObject({
      start: { numerator: 1, denominator: 1 },
      duration: { numerator: 4, denominator: 1 },
      fadeOut: two,
      volume: 0.5,
    });
    await page.getByRole('button', { name: /^Add the sound of Video/ }).click();
    await hasSounds(2);
    const [first, second] = await Promise.all(
      [sound('00:01:00 to 00:05:00'), sound('00:02:00 to 00:08:00')].map(
        async (block) => (await block.boundingBox())!,
      ),
    );
    expect(second!.y).toBeGreaterThanOrEqual(first!.y + first!.height);
    await press(page, 'Remove from the film');
    await hasSounds(1);
  },
);

step('it is dragged and trimmed by pointer', async () => {
  const box = (await sound('00:01:00 to 00:05:00').boundingBox())!;
  const at = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  await page.mouse.move(at.x, at.y);
  await page.mouse.down();
  await page.mouse.move(at.x + 20, at.y, { steps: 4 });
  await page.mouse.up();
  await sounds()
    .getByRole('button', { name: /tone.mp4, 00:01:1\d to 00:05:1\d/ })
    .waitFor();
  await page.mouse.move(box.x + box.width + 17, at.y);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width - 23, at.y, { steps: 4 });
  await page.mouse.up();
  await sounds()
    .getByRole('button', { name: /tone.mp4, 00:01:1\d to 00:04:1\d/ })
    .waitFor();
  await isSaved();
});

step('a clip is muted, and undo and redo go through all of it', async () => {
  await clip().click();
  await page.getByLabel('Mute').check();
  await eventually(async () => (await readDocument()).clips[0].volume).toBe(0);
  await page.getByLabel('Volume (percent)').and(page.locator('[value="0"]')).waitFor();
  await press(page, 'Undo');
  await eventually(async () => (await readDocument()).clips[0].volume).toBeUndefined();
  await press(page, 'Undo');
  await press(page, 'Undo');
  await sound('00:01:00 to 00:05:00').waitFor();
  await press(page, 'Redo');
  await press(page, 'Redo');
  await isSaved();
  await page.reload();
  await hasSounds(1);
  expect(await listFaultsOfLooks(page)).toEqual([]);
});

const readSound = () =>
  page.evaluate(() => {
    const { paused, currentTime } = (window as any).heard as HTMLAudioElement;
    return { paused, currentTime };
  });
const isHeard = () =>
  page.evaluate(() => {
    const audio = (window as any).heard as HTMLAudioElement | undefined;
    return audio !== undefined && !audio.paused && audio.currentTime > 0;
  });
const video = () => page.getByLabel('Film', { exact: true });
const isPlaying = () => until('the sound plays', isHeard);

/** Returns how far the sound is from the playhead when that moves, in seconds: the median of ten times. */
const measureDrift = () =>
  page.evaluate(async () => {
    const shown = document.querySelector('output[aria-label="Time"]')!;
    const audio = (window as any).heard as HTMLAudioElement;
    const drifts: number[] = [];
    await new Promise<void>((resolve) => {
      const observer = new MutationObserver(() => {
        const [minutes, seconds, frames] = shown.textContent!.split(' ')[0]!.split(':').map(Number);
        drifts.push(Math.abs(audio.currentTime - (minutes! * 60 + seconds! + frames! / 30)));
        if (drifts.length < 10) return;
        observer.disconnect();
        resolve();
      });
      observer.observe(shown, { subtree: true, characterData: true, childList: true });
    });
    return drifts.toSorted((a, b) => a - b)[5]!;
  });

step('the sound plays with the pictures, and stops with them', async () => {
  await press(page, 'To the start');
  await press(page, 'Play');
  await video().waitFor();
  await isPlaying();
  await press(page, 'Pause');
  await eventually(async () => (await readSound()).paused).toBe(true);
  await eventually(() => listSoundProcesses(process.pid).length).toBe(0);
  await until('they are together', async () => {
    await press(page, 'To the start');
    await press(page, 'Play');
    await isPlaying();
    const drift = await Promise.race([measureDrift(), video().waitFor({ state: 'detached' })]);
    await press(page, 'To the end');
    return typeof drift === 'number' && drift < 1 / 30;
  });
  await eventually(async () => (await readSound()).paused).toBe(true);
});

step('a muted film fetches no sound, and has it from where it is once that is on', async () => {
  await press(page, 'Sound off');
  await page.reload();
  const fetched: URL[] = [];
  page.on('request', (request) => {
    if (request.url().includes('/sound?')) fetched.push(new URL(request.url()));
  });
  const isOver = async () => (await video().count()) === 0;
  await until('the sound is turned on while the film plays, and heard', async () => {
    fetched.length = 0;
    const mute = page.getByRole('button', { name: 'Sound off' });
    if ((await mute.count()) > 0) await mute.click();
    await press(page, 'To the start');
    await press(page, 'Play');
    await video().waitFor();
    await until('it goes on', async () => {
      const shown = await page.getByRole('status', { name: 'Time' }).textContent();
      return !shown!.startsWith('00:00:00') || isOver();
    });
    expect(fetched).toEqual([]);
    await press(page, 'Sound on');
    await until('it is heard, or over', async () => (await isHeard()) || isOver());
    return isHeard();
  });
  expect(fetched).toHaveLength(1);
  expect(Number(fetched[0]!.searchParams.get('numerator'))).toBeGreaterThan(0);
  await press(page, 'Sound off');
  await eventually(isHeard).toBe(false);
  await press(page, 'Sound on');
  await press(page, 'To the start');
  expect(await listFaultsOfLooks(page)).toEqual([]);
});

step('a film without sound plays, and asks for none that there is not', async () => {
  await clip().click();
  await page.getByLabel('Mute').check();
  await sounds().getByRole('button').click();
  await press(page, 'Remove from the film');
  await isSaved();
  const [response] = await Promise.all([
    page.waitForResponse((response) => response.url().includes('/sound?'), { timeout: 0 }),
    press(page, 'Play'),
  ]);
  expect(response.status()).toBe(204);
  await video().waitFor();
  await press(page, 'Pause');
  for (let at = 0; at < 2; at++) await press(page, 'Undo');
  await hasSounds(1);
  await isSaved();
});

step('a film of sounds only says why it is not played or exported', async () => {
  await clip().click();
  await press(page, 'Remove from the film');
  const reason = 'A film lasts as long as its clips and titles: add one to hear its sounds.';
  await page.getByRole('group', { name: 'Preview' }).getByText(reason).waitFor();
  for (const name of ['Play', 'Export']) {
    const button = page.getByRole('button', { name, exact: true });
    expect([await button.isDisabled(), await button.getAttribute('title')]).toEqual([true, reason]);
  }
  await isSaved();
  expect(await listFaultsOfLooks(page)).toEqual([]);
  await press(page, 'Undo');
  await clip().waitFor();
  await isSaved();
});

step('a phone shows the sounds', async () => {
  const phone = await onPhone(stage, visitor);
  await phone.page.goto(page.url());
  await hasSounds(1, phone.page);
  await eventually(() => getPageWidth(phone.page)).toBe(390);
  await leavePhone(phone);
});

step('there is nothing to complain about', async () => {
  expect(await listFaults(page)).toEqual([]);
  expect(listEditorProblems(visitor)).toEqual([]);
});
