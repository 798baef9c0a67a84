import { afterEach, beforeEach, expect } from 'bun:test';
import type { Page } from 'playwright-core';
import { journey } from '../support/journey.ts';
import { readNumber } from '../support/painted-clips.ts';
import { listEditorProblems, type Visitor } from './browser.ts';
import { eventually } from './eventually.ts';
import { listFaults, listFaultsOfLooks } from './faults.ts';
import {
  createFilm,
  enterEditor,
  getClips,
  hasClips,
  isSaved,
  makeNumbers,
  showsFrame,
  toClip,
  WIDE,
} from './film-editor.ts';
import { getDialog, go, press } from './people.ts';
import { until } from './server.ts';
import { daysOfMay, enter, openStage, type Stage, TIMEOUT_MS } from './stage.ts';

// The editor in a real browser: a clip with painted numbers tells which frame is shown.

let stage: Stage;
let visitor: Visitor;
let page: Page;
let videoId: string;

beforeEach(async () => {
  stage = await openStage();
  [videoId] = (await stage.add([makeNumbers(), ...daysOfMay(1)])) as [string, string];
}, TIMEOUT_MS);

afterEach(async () => {
  const problems = listEditorProblems(visitor);
  await stage.close();
  expect(problems).toEqual([]);
}, TIMEOUT_MS);

const blocks = () => getClips(page);
const key = (name: string) => page.keyboard.press(name);

const { step, chapter } = journey('a film is cut from the library', TIMEOUT_MS);

chapter('a film is created and deleted', () => {
  beforeEach(async () => {
    visitor = await enter(stage, WIDE);
    ({ page } = visitor);
  }, TIMEOUT_MS);

  step('a film is created and a video added', async () => {
    await go(page, 'Studio');
    await page.getByText('No films yet').waitFor();
    await press(page, 'New film');
    await page.getByLabel('Name').fill('Holiday');
    expect(await listFaultsOfLooks(page)).toEqual([]);
    await press(page, 'Create');
    await page.getByRole('button', { name: /^Add Video/ }).click();
    await blocks().getByRole('button', { name: 'numbers.mp4, 0:00.00 to 0:04.00' }).waitFor();
    await isSaved(page);
    await showsFrame(page, 0);
    await blocks().locator('canvas[data-ready="true"]').waitFor();
    expect(await listFaultsOfLooks(page)).toEqual([]);
  });

  step('a film is deleted, and its photos stay', async () => {
    await createFilm(stage, 'Holiday (copy)');
    await go(page, 'Studio');
    await press(page, 'Delete Holiday (copy)');
    await getDialog(page).getByRole('button', { name: 'Delete film' }).click();
    await page.getByText('Film deleted').waitFor();
    await until('one is left', async () => (await page.getByRole('article').count()) === 1);
    await eventually(async () =>
      (await stage.api('GET', '/studio/projects')).map(({ name }: { name: string }) => name),
    ).toEqual(['Holiday']);
    await eventually(async () => (await stage.api('GET', '/assets/statistics')).total).toBe(2);
    expect(await listFaults(page)).toEqual([]);
  });
});

chapter('a film is shown and played', () => {
  beforeEach(async () => {
    const clips = [toClip(videoId, 0)];
    visitor = await enterEditor(stage, await createFilm(stage, 'Holiday', { clips }));
    ({ page } = visitor);
    await hasClips(page, 1);
  }, TIMEOUT_MS);

  step('the arrows move by frames, and the frame that is shown is the one asked for', async () => {
    for (let at = 0; at < 3; at++) await key('ArrowRight');
    await page.getByText('0:00.03 / 0:04.00').waitFor();
    await showsFrame(page, 3);
    await key('Shift+ArrowRight');
    await showsFrame(page, 33);
    await key('End');
    await showsFrame(page, 119);
    await key('ArrowLeft');
    await showsFrame(page, 118);
    await key('Home');
    await showsFrame(page, 0);
  });

  step(
    'the film plays in real time, stands still where it is, and goes on in the same stream',
    async () => {
      await press(page, 'Play');
      const video = page.getByLabel('Film', { exact: true });
      await video.waitFor();
      const readVideo = async () => readNumber(await video.screenshot());
      const first = await until('a picture', async () => {
        const number = await readVideo();
        return number > 0 && number < 120 && number;
      });
      await until('it goes on', async () => (await readVideo()) > first);
      const readTime = async () =>
        (await page.getByRole('status', { name: 'Time' }).textContent())!;
      await until('the playhead follows', async () => !(await readTime()).startsWith('0:00.00'));
      const [moved] = await Promise.all([
        page.waitForResponse((response) => response.url().endsWith('/position'), { timeout: 0 }),
        press(page, 'Pause'),
      ]);
      expect([moved.status(), moved.request().postDataJSON().isPlaying]).toEqual([200, false]);
      await video.waitFor({ state: 'detached' });
      const [, seconds, frames] = (await readTime()).split(' ')[0]!.split(/[.:]/).map(Number);
      await showsFrame(page, seconds! * 30 + frames!);
      // At its end it stops by itself.
      await key('End');
      await key('Shift+ArrowLeft');
      await key(' ');
      await video.waitFor();
      await video.waitFor({ state: 'detached' });
      await showsFrame(page, 119);
      await key('Home');
    },
  );
});
