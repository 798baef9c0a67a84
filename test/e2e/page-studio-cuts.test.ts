import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'bun:test';
import type { Page } from 'playwright-core';
import { journey } from '../support/journey.ts';
import { listEditorProblems, type Visitor } from './browser.ts';
import { eventually } from './eventually.ts';
import { listFaultsOfLooks } from './faults.ts';
import {
  createFilm,
  enterEditor,
  getClips,
  hasClips,
  isSaved,
  makeNumbers,
  second,
  showsFrame,
  toClip,
} from './film-editor.ts';
import { press } from './people.ts';
import { until } from './server.ts';
import { daysOfMay, openStage, type Stage, TIMEOUT_MS } from './stage.ts';

// Edits of the timeline: a clip with painted numbers tells which frame is shown.

let stage: Stage;
let visitor: Visitor;
let page: Page;
let videoId: string;
let projectId: string;

beforeAll(async () => {
  stage = await openStage();
  [videoId] = (await stage.add([makeNumbers(), ...daysOfMay(1)])) as [string, string];
}, TIMEOUT_MS);

afterAll(() => stage?.close(), TIMEOUT_MS);

afterEach(async () => {
  const problems = listEditorProblems(visitor);
  await visitor.context.close();
  expect(problems).toEqual([]);
}, TIMEOUT_MS);

async function openFilm(...clips: ReturnType<typeof toClip>[]): Promise<void> {
  projectId = await createFilm(stage, 'Holiday', { clips, width: 640, height: 360 });
  visitor = await enterEditor(stage, projectId);
  ({ page } = visitor);
  await hasClips(page, clips.length);
}

/** Opens another film in another tab of the same browser. */
async function openOtherFilm(): Promise<void> {
  const options = { clips: [toClip(videoId, 0)], width: 640, height: 360 };
  const tab = await visitor.context.newPage();
  await tab.goto(`/studio/${await createFilm(stage, 'Party', options)}`);
  await hasClips(tab, 1);
  await isSaved(tab);
  await tab.close();
}

const readDocument = async () => (await stage.api('GET', `/studio/projects/${projectId}`)).document;
const blocks = () => getClips(page);
const key = (name: string) => page.keyboard.press(name);

const { step, chapter } = journey('the clips of a film are edited', TIMEOUT_MS);

chapter('a clip is cut', () => {
  beforeEach(async () => {
    await openFilm(toClip(videoId, 0));
    await blocks().getByRole('button').click();
  }, TIMEOUT_MS);

  step('a clip is split, its parts trimmed and moved, and what is shown follows', async () => {
    await key('Shift+ArrowRight');
    await key('s');
    await hasClips(page, 2);
    // The first part ends after ten frames; the gap shows nothing.
    await page.getByLabel('End (seconds)').fill('0.5');
    await page.getByLabel('End (seconds)').press('Enter');
    await blocks().getByRole('button', { name: 'numbers.mp4, 0:00.00 to 0:00.15' }).waitFor();
    await blocks().getByRole('button', { name: 'numbers.mp4, 0:01.00 to 0:04.00' }).click();
    await page.getByLabel('Start (seconds)').fill('0.5');
    await page.getByLabel('Start (seconds)').press('Enter');
    await blocks().getByRole('button', { name: 'numbers.mp4, 0:00.15 to 0:03.15' }).waitFor();
    await isSaved(page);
    await page.getByRole('slider', { name: 'Playhead' }).focus();
    await key('Home');
    await key('ArrowDown');
    await page.getByText('0:00.15 / 0:03.15').waitFor();
    await showsFrame(page, 30);
    await key('ArrowLeft');
    await showsFrame(page, 14);
    const { clips: stored } = await readDocument();
    expect(stored.map(({ sourceIn }: { sourceIn: object }) => sourceIn)).toEqual([
      { numerator: 0, denominator: 1 },
      { numerator: 1, denominator: 1 },
    ]);
  });

  step('a clip is moved and trimmed by pointer, and caught by its neighbour', async () => {
    const block = blocks().getByRole('button', { name: /0:00\.15 to 0:03\.15/ });
    const box = (await block.boundingBox())!;
    const middle = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
    await page.mouse.move(middle.x, middle.y);
    await page.mouse.down();
    await page.mouse.move(middle.x + 83, middle.y, { steps: 4 });
    await page.mouse.up();
    await blocks()
      .getByRole('button', { name: /numbers.mp4, 0:02\.1\d to/ })
      .waitFor();
    await page.mouse.move(middle.x + 83, middle.y);
    await page.mouse.down();
    await page.mouse.move(middle.x + 3, middle.y, { steps: 4 });
    await page.mouse.up();
    await block.waitFor();
    const end = { x: box.x + box.width - 3, y: middle.y };
    await page.mouse.move(end.x, end.y);
    await page.mouse.down();
    await page.mouse.move(end.x - 40, end.y, { steps: 4 });
    await page.mouse.up();
    await blocks()
      .getByRole('button', { name: /0:00\.15 to 0:02\.1\d/ })
      .waitFor();
    await isSaved(page);
  });

  step(
    'undo and redo go through the edits, also after the page is loaded again and another tab has a film',
    async () => {
      await press(page, 'Undo');
      await blocks()
        .getByRole('button', { name: /0:00\.15 to 0:03\.15/ })
        .waitFor();
      await isSaved(page);
      await openOtherFilm();
      await page.reload();
      await hasClips(page, 2);
      for (let at = 0; at < 4; at++) await key('Control+z');
      await until('it is one clip', async () => {
        await key('Control+z');
        return (await blocks().count()) === 1;
      });
      await key('Control+Shift+z');
      await hasClips(page, 2);
      await isSaved(page);
    },
  );
});

chapter('clips are mixed and titled', () => {
  beforeEach(
    () => openFilm(toClip(videoId, 0, second(1)), toClip(videoId, 1, second(3), second(1))),
    TIMEOUT_MS,
  );

  step('clips are mixed and fade, and a photo moves', async () => {
    const [cut, mixed] = ['0:01.00 to 0:04.00', '0:00.15 to 0:03.15'].map((times) =>
      blocks().getByRole('button', { name: `numbers.mp4, ${times}` }),
    );
    await cut!.click();
    const transition = page.getByLabel('Transition from the clip before');
    await transition.selectOption('Crossfade');
    await mixed!.waitFor();
    await page.getByLabel('Fade out (seconds)').fill('1');
    await page.getByLabel('Fade out (seconds)').press('Enter');
    const half = { numerator: 1, denominator: 2 };
    const readFades = async () => {
      const [, { fadeIn, fadeOut }] = (await readDocument()).clips;
      return { fadeIn, fadeOut };
    };
    await eventually(readFades).toEqual({
      fadeIn: half,
      fadeOut: { numerator: 1, denominator: 1 },
    });
    // The second comes where it is not seen yet, and the first goes where it is no more.
    await page.getByRole('slider', { name: 'Playhead' }).focus();
    await key('Home');
    await key('ArrowDown');
    await showsFrame(page, 15);
    await key('ArrowDown');
    await page.getByText('0:01.00 / 0:03.15').waitFor();
    await showsFrame(page, 45);
    await transition.selectOption('No transition');
    await cut!.waitFor();
    await press(page, 'Photos');
    await page.getByRole('button', { name: /^Add Photo/ }).click();
    await hasClips(page, 3);
    await page.getByLabel('Movement').selectOption('Zoom in');
    await eventually(async () => (await readDocument()).clips[2]?.cropTo?.width).toBe(0.8);
    expect(await listFaultsOfLooks(page)).toEqual([]);
    await press(page, 'Remove from the film');
    await hasClips(page, 2);
    await isSaved(page);
  });

  step('a title is written on it', async () => {
    await press(page, 'Add a title');
    await page.getByLabel('Text').fill("It's 100% : a, [b]");
    await page.getByRole('list', { name: 'Titles' }).getByText("It's 100%").waitFor();
    await isSaved(page);
    await until('the title is stored', async () => {
      const { titles } = await readDocument();
      return titles?.[0]?.text === "It's 100% : a, [b]";
    });
    await press(page, 'Remove from the film');
    await isSaved(page);
    expect(await listFaultsOfLooks(page)).toEqual([]);
  });
});

chapter('clips are removed', () => {
  beforeEach(() => openFilm(toClip(videoId, 0), toClip(videoId, 4)), TIMEOUT_MS);
  const find = (times: string) => blocks().getByRole('button', { name: `numbers.mp4, ${times}` });

  step('what comes after a removed clip moves up, unless a gap is wanted', async () => {
    await find('0:00.00 to 0:04.00').click();
    await press(page, 'Remove from the film');
    await hasClips(page, 1);
    await find('0:00.00 to 0:04.00').waitFor();
    await press(page, 'Undo');
    await find('0:04.00 to 0:08.00').waitFor();
    await find('0:00.00 to 0:04.00').click();
    await press(page, 'Remove and leave a gap');
    await hasClips(page, 1);
    await find('0:04.00 to 0:08.00').waitFor();
    await press(page, 'Undo');
    await find('0:00.00 to 0:04.00').click();
    await key('Delete');
    await hasClips(page, 1);
    await find('0:00.00 to 0:04.00').waitFor();
    await isSaved(page);
  });

  step('a title is removed without moving anything', async () => {
    await press(page, 'Add a title');
    const leave = page.getByRole('button', { name: 'Remove and leave a gap' });
    expect(await leave.isDisabled()).toBe(true);
    await press(page, 'Remove from the film');
    await find('0:00.00 to 0:04.00').waitFor();
    await isSaved(page);
  });
});
