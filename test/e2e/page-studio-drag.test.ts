import { afterAll, beforeAll, expect } from 'bun:test';
import type { Locator, Page } from 'playwright-core';
import { journey } from '../support/journey.ts';
import { listEditorProblems, type Visitor } from './browser.ts';
import { eventually } from './eventually.ts';
import { createFilm, enterEditor, second, toClip } from './film-editor.ts';
import { toast } from './people.ts';
import { daysOfMay, openStage, type Stage, TIMEOUT_MS } from './stage.ts';

// Clips are moved over the tracks of the editor.

let stage: Stage;
let visitor: Visitor;
let page: Page;
let projectId: string;
let assetId: string;

const clip = (start: number, duration = second(4)) => toClip(assetId, start, duration);
const ROW_PIXELS = 52;
/** As the page begins. */
const PIXELS_PER_SECOND = 40;

beforeAll(async () => {
  stage = await openStage();
  [assetId] = (await stage.add(daysOfMay(1))) as [string];
  projectId = await createFilm(stage, 'Drag', { clips: [clip(0), clip(6)] });
  visitor = await enterEditor(stage, projectId);
  ({ page } = visitor);
}, TIMEOUT_MS);

afterAll(() => stage?.close(), TIMEOUT_MS);

type Clip = { track: number; start: { numerator: number; denominator: number } };

const readPlaces = async () => {
  const { document } = await stage.api('GET', `/studio/projects/${projectId}`);
  return document.clips.map(({ track, start }: Clip) => [
    track,
    start.numerator,
    start.denominator,
  ]);
};
const block = (times: string) => page.getByRole('button', { name: `1.jpg, ${times}` });

/** Presses on the middle of it and moves the pointer by each of these, from where it was pressed. */
async function drag(what: Locator, path: readonly (readonly [number, number])[]): Promise<void> {
  const box = (await what.boundingBox())!;
  const from = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  for (const [across, down] of path)
    await page.mouse.move(from.x + across, from.y + down, { steps: 6 });
  await page.mouse.up();
}

const { step } = journey('clips are dragged', TIMEOUT_MS);

step('a clip goes on with the pointer on another track, and only to the one below it', async () => {
  const across = 12 * PIXELS_PER_SECOND;
  await block('0:00.00 to 0:04.00').waitFor();
  await drag(block('0:00.00 to 0:04.00'), [
    [0, -ROW_PIXELS],
    [across / 2, -ROW_PIXELS - 5],
    [across, -ROW_PIXELS],
  ]);
  await block('0:12.00 to 0:16.00').waitFor();
  await eventually(readPlaces).toEqual([
    [1, 12, 1],
    [0, 6, 1],
  ]);
});

step('it comes back to its track, in one step that is undone', async () => {
  await drag(block('0:12.00 to 0:16.00'), [
    [20, ROW_PIXELS],
    [0, ROW_PIXELS],
  ]);
  await eventually(readPlaces).toEqual([
    [0, 12, 1],
    [0, 6, 1],
  ]);
  await page.keyboard.press('Control+z');
  await eventually(readPlaces).toEqual([
    [1, 12, 1],
    [0, 6, 1],
  ]);
});

step('a clip that is dragged away and back has not been moved', async () => {
  const undo = page.getByRole('button', { name: 'Undo', exact: true });
  await page.keyboard.press('Control+z');
  await eventually(() => undo.isDisabled()).toBe(true);
  await drag(block('0:06.00 to 0:10.00'), [
    [90, 0],
    [0, 0],
  ]);
  await eventually(() => undo.isDisabled()).toBe(true);
  await eventually(readPlaces).toEqual([
    [0, 0, 1],
    [0, 6, 1],
  ]);
  expect(listEditorProblems(visitor)).toEqual([]);
});

step('keys move a clip to the next track, and say why not', async () => {
  await block('0:06.00 to 0:10.00').click();
  await page.keyboard.press('Alt+ArrowUp');
  await eventually(readPlaces).toEqual([
    [0, 0, 1],
    [1, 6, 1],
  ]);
  await page.getByRole('button', { name: 'Move to the track below' }).click();
  await eventually(readPlaces).toEqual([
    [0, 0, 1],
    [0, 6, 1],
  ]);
  await page.keyboard.press('Alt+ArrowDown');
  await toast(page, 'There is no further track.');
  const [up, down] = ['above', 'below'].map((side) =>
    page.getByRole('button', { name: `Move to the track ${side}` }),
  );
  expect(await up!.getAttribute('title')).toBe('Move to the track above (Alt+↑)');
  expect(await down!.getAttribute('title')).toBe('There is no further track.');
  expect(await down!.isDisabled()).toBe(true);
  await page.keyboard.press('Control+z');
  await page.keyboard.press('Control+z');
});

step('clips are drawn as long as they last, and at least to be seen', async () => {
  const clips = [clip(0, second(1, 2)), clip(1, second(1, 30)), clip(2, second(1, 4)), clip(3)];
  await page.goto(`/studio/${await createFilm(stage, 'Short', { clips })}`);
  const blocks = page.getByRole('list', { name: 'Track 1' }).getByRole('button');
  await eventually(() => blocks.count()).toBe(4);
  const widths = await blocks.evaluateAll((all) =>
    all.map((block) => block.getBoundingClientRect().width),
  );
  const least = 3;
  expect(widths).toEqual([
    PIXELS_PER_SECOND / 2,
    least,
    PIXELS_PER_SECOND / 4,
    4 * PIXELS_PER_SECOND,
  ]);
  // The middle of a short one is no edge.
  await drag(blocks.nth(2), [[PIXELS_PER_SECOND * 10, 0]]);
  await block('0:12.00 to 0:12.07').waitFor();
});
