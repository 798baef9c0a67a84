import { afterAll, beforeAll, expect } from 'bun:test';
import type { Page } from 'playwright-core';
import { journey } from '../support/journey.ts';
import { listEditorProblems, type Visitor } from './browser.ts';
import { eventually } from './eventually.ts';
import { listFaults, listFaultsOfLooks } from './faults.ts';
import {
  createFilm,
  enterEditor,
  getSounds,
  hasSounds,
  isSaved,
  makeTone,
  second,
  toClip,
} from './film-editor.ts';
import { getPageWidth, press } from './people.ts';
import { leavePhone, onPhone, openStage, type Stage, TIMEOUT_MS } from './stage.ts';

// Sounds of a film are edited as its clips are.

let stage: Stage;
let visitor: Visitor;
let page: Page;
let projectId: string;

beforeAll(async () => {
  stage = await openStage();
  const [videoId] = (await stage.add([makeTone()])) as [string];
  projectId = await createFilm(stage, 'Concert', { clips: [toClip(videoId, 0, second(8))] });
  visitor = await enterEditor(stage, projectId);
  ({ page } = visitor);
}, TIMEOUT_MS);

afterAll(() => stage?.close(), TIMEOUT_MS);

const sounds = () => getSounds(page);
const sound = (times: string) => sounds().getByRole('button', { name: `tone.mp4, ${times}` });
const clip = () =>
  page.getByRole('list', { name: 'Track 1' }).getByRole('button', { name: /^tone.mp4/ });
const readDocument = async () => (await stage.api('GET', `/studio/projects/${projectId}`)).document;
const key = (name: string) => page.keyboard.press(name);

async function fill(label: string, value: string): Promise<void> {
  await page.getByLabel(label).fill(value);
  await page.getByLabel(label).press('Enter');
}

const { step } = journey('a film gets sounds', TIMEOUT_MS);

step('the film gets music, which is made quieter and taken away', async () => {
  await clip().waitFor();
  await page.getByLabel('Music').selectOption('Calm');
  await fill('Volume (percent)', '50');
  await eventually(async () => (await readDocument()).music).toEqual({
    track: 'calm',
    volume: 0.5,
  });
  await page.getByLabel('Music').selectOption('Bright');
  await eventually(async () => (await readDocument()).music).toEqual({
    track: 'bright',
    volume: 0.5,
  });
  expect(await listFaultsOfLooks(page)).toEqual([]);
  await page.getByLabel('Music').selectOption('No music');
  await eventually(async () => (await readDocument()).music).toBeUndefined();
});

step('the sound of a video is added at the playhead, to the end of the film', async () => {
  await clip().waitFor();
  for (let at = 0; at < 2; at++) await key('Shift+ArrowRight');
  await page.getByRole('button', { name: /^Add the sound of Video/ }).click();
  await sound('0:02.00 to 0:08.00').waitFor();
  await sounds().locator('canvas[data-ready="true"]').waitFor();
  await isSaved(page);
  expect(await listFaultsOfLooks(page)).toEqual([]);
});

step(
  'it is trimmed, moved, faded and made quieter; a second one lies in a row of its own',
  async () => {
    await fill('End (seconds)', '6');
    await sound('0:02.00 to 0:06.00').focus();
    await key('Alt+ArrowRight');
    await sound('0:02.01 to 0:06.01').waitFor();
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
    await hasSounds(page, 2);
    const [first, second] = await Promise.all(
      [sound('0:01.00 to 0:05.00'), sound('0:02.00 to 0:08.00')].map(
        async (block) => (await block.boundingBox())!,
      ),
    );
    expect(second!.y).toBeGreaterThanOrEqual(first!.y + first!.height);
    await press(page, 'Remove from the film');
    await hasSounds(page, 1);
  },
);

step('it is dragged and trimmed by pointer', async () => {
  const box = (await sound('0:01.00 to 0:05.00').boundingBox())!;
  const at = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  await page.mouse.move(at.x, at.y);
  await page.mouse.down();
  await page.mouse.move(at.x + 20, at.y, { steps: 4 });
  await page.mouse.up();
  await sounds()
    .getByRole('button', { name: /tone.mp4, 0:01\.1\d to 0:05\.1\d/ })
    .waitFor();
  await page.mouse.move(box.x + box.width + 17, at.y);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width - 23, at.y, { steps: 4 });
  await page.mouse.up();
  await sounds()
    .getByRole('button', { name: /tone.mp4, 0:01\.1\d to 0:04\.1\d/ })
    .waitFor();
  await isSaved(page);
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
  await sound('0:01.00 to 0:05.00').waitFor();
  await press(page, 'Redo');
  await press(page, 'Redo');
  await isSaved(page);
  await page.reload();
  await hasSounds(page, 1);
  expect(await listFaultsOfLooks(page)).toEqual([]);
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
  await isSaved(page);
  expect(await listFaultsOfLooks(page)).toEqual([]);
  await press(page, 'Undo');
  await clip().waitFor();
  await isSaved(page);
});

step('a phone shows the sounds', async () => {
  const phone = await onPhone(stage, visitor);
  await phone.page.goto(page.url());
  await hasSounds(phone.page, 1);
  await eventually(() => getPageWidth(phone.page)).toBe(390);
  await leavePhone(phone);
});

step('there is nothing to complain about', async () => {
  expect(await listFaults(page)).toEqual([]);
  expect(listEditorProblems(visitor)).toEqual([]);
});
