import { afterAll, beforeAll, expect } from 'bun:test';
import type { Page } from 'playwright-core';
import { journey } from '../support/journey.ts';
import { listSoundProcesses } from '../support/streams.ts';
import { listEditorProblems, type Visitor } from './browser.ts';
import { eventually } from './eventually.ts';
import { listFaultsOfLooks } from './faults.ts';
import {
  createFilm,
  getSounds,
  hasSounds,
  isSaved,
  makeTone,
  second,
  toClip,
  WIDE,
} from './film-editor.ts';
import { press } from './people.ts';
import { until } from './server.ts';
import { enter, openStage, type Stage, TIMEOUT_MS } from './stage.ts';
import { routeUntil } from './routes.ts';

// Sounds of a film are heard while it plays.

/** Member that the test adds to the window of the page. */
type World = { heard?: HTMLAudioElement };

let stage: Stage;
let visitor: Visitor;
let page: Page;

beforeAll(async () => {
  stage = await openStage();
  const [assetId] = (await stage.add([makeTone()])) as [string];
  const times = { start: second(3, 2), duration: second(3), sourceIn: second(1) };
  const projectId = await createFilm(stage, 'Concert', {
    width: 640,
    height: 360,
    clips: [toClip(assetId, 0, second(8))],
    sounds: [{ assetId, ...times, fadeOut: second(2), volume: 0.5 }],
  });
  visitor = await enter(stage, { ...WIDE, at: '/studio' });
  ({ page } = visitor);
  // It is not in the document.
  await page.addInitScript(() => {
    const { Audio: Original } = window;
    window.Audio = function () {
      return ((window as unknown as World).heard = new Original());
    } as unknown as typeof Audio;
  });
  await page.goto(`/studio/${projectId}`);
  await isSaved(page);
  await hasSounds(page, 1);
}, TIMEOUT_MS);

afterAll(() => stage?.close(), TIMEOUT_MS);

const clip = () =>
  page.getByRole('list', { name: 'Track 1' }).getByRole('button', { name: /^tone.mp4/ });
const readSound = () =>
  page.evaluate(() => {
    const { paused, currentTime } = (window as unknown as World).heard!;
    return { paused, currentTime };
  });
const isHeard = () =>
  page.evaluate(() => {
    const audio = (window as unknown as World).heard;
    return audio !== undefined && !audio.paused && audio.currentTime > 0;
  });
const video = () => page.getByLabel('Film', { exact: true });
const isPlaying = () => until('the sound plays', isHeard);

/** Returns how far the sound is from the playhead when that moves, in seconds: the median of ten times. */
const measureDrift = () =>
  page.evaluate(async () => {
    const shown = document.querySelector('output[aria-label="Time"]')!;
    const audio = (window as unknown as World).heard!;
    const drifts: number[] = [];
    await new Promise<void>((resolve) => {
      const observer = new MutationObserver(() => {
        const [minutes, seconds, frames] = shown
          .textContent!.split(' ')[0]!
          .split(/[.:]/)
          .map(Number);
        drifts.push(Math.abs(audio.currentTime - (minutes! * 60 + seconds! + frames! / 30)));
        if (drifts.length < 10) return;
        observer.disconnect();
        resolve();
      });
      observer.observe(shown, { subtree: true, characterData: true, childList: true });
    });
    return drifts.toSorted((a, b) => a - b)[5]!;
  });

const { step } = journey('a film is played with its sounds', TIMEOUT_MS);

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

step('a stream that an earlier one of this window ends is opened again', async () => {
  const released = Promise.withResolvers<void>();
  const opened: string[] = [];
  const end = await routeUntil(page, '**/api/studio/preview-streams', async (route) => {
    opened.push(route.request().method());
    if (opened.length === 1) await released.promise;
    await route.continue();
  });
  // A paused stream would go on.
  await page.reload();
  await hasSounds(page, 1);
  await press(page, 'To the start');
  await press(page, 'Play');
  await eventually(() => opened.length).toBe(1);
  await press(page, 'Pause');
  await press(page, 'Play');
  await video().waitFor();
  await isPlaying();
  released.resolve();
  await eventually(() => opened.length).toBe(3);
  await isPlaying();
  expect(await page.getByRole('alert').allTextContents()).toEqual([]);
  await press(page, 'To the end');
  end();
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
      return !shown!.startsWith('0:00.00') || isOver();
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
  await getSounds(page).getByRole('button').click();
  await press(page, 'Remove from the film');
  await isSaved(page);
  const [response] = await Promise.all([
    page.waitForResponse((response) => response.url().includes('/sound?'), { timeout: 0 }),
    press(page, 'Play'),
  ]);
  expect(response.status()).toBe(204);
  await video().waitFor();
  await press(page, 'Pause');
  for (let at = 0; at < 2; at++) await press(page, 'Undo');
  await hasSounds(page, 1);
  await isSaved(page);
  expect(listEditorProblems(visitor)).toEqual([]);
});
