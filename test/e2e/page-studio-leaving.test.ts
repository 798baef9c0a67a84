import { afterAll, beforeAll, expect } from 'bun:test';
import type { Page } from 'playwright-core';
import { journey } from '../support/journey.ts';
import { listEditorProblems, type Visitor } from './browser.ts';
import { eventually } from './eventually.ts';
import { createFilm, enterEditor, isSaved, toClip } from './film-editor.ts';
import { go, press } from './people.ts';
import { daysOfMay, openStage, type Stage, TIMEOUT_MS } from './stage.ts';

// Nothing that was typed or edited is lost, however a field or the editor is left.

let stage: Stage;
let visitor: Visitor;
let page: Page;
let projectId: string;

beforeAll(async () => {
  stage = await openStage();
  const [assetId] = (await stage.add(daysOfMay(1))) as [string];
  const clips = [toClip(assetId, 0), toClip(assetId, 6)];
  projectId = await createFilm(stage, 'Left', { clips });
  visitor = await enterEditor(stage, projectId);
  ({ page } = visitor);
}, TIMEOUT_MS);

afterAll(() => stage?.close(), TIMEOUT_MS);

const readClips = async () =>
  (await stage.api('GET', `/studio/projects/${projectId}`)).document.clips;
const readOpacities = async () =>
  (await readClips()).map(({ opacity }: { opacity: number }) => opacity);
const block = (times: string) => page.getByRole('button', { name: `1.jpg, ${times}` });
const first = () => block('0:00.00 to 0:04.00');
const last = () => block('0:06.00 to 0:10.00');
const field = (label: string) => page.getByLabel(label, { exact: true });

const { step } = journey('nothing is lost', TIMEOUT_MS);

step('a typed value is of its clip when another one is chosen', async () => {
  await first().click();
  await field('Opacity (percent)').fill('40');
  await last().click();
  await eventually(readOpacities).toEqual([0.4, undefined]);
  await eventually(() => field('Opacity (percent)').inputValue()).toBe('100');
  await field('Opacity (percent)').fill('70');
  await press(page, 'Add a title');
  await eventually(readOpacities).toEqual([0.4, 0.7]);
});

step('a value that does not fit is not shown as if it did', async () => {
  await first().click();
  for (const seconds of ['6', '9']) {
    await field('End (seconds)').fill(seconds);
    await field('End (seconds)').press('Enter');
    await eventually(() => field('End (seconds)').inputValue()).toBe('6');
  }
  await press(page, 'Undo');
  await first().waitFor();
  expect(listEditorProblems(visitor)).toEqual([]);
});

/** Lets no revision through before the returned function is called. */
async function holdSaves(): Promise<() => void> {
  const { promise: released, resolve } = Promise.withResolvers<void>();
  await page.route('**/api/studio/projects/*', async (route) => {
    if (route.request().method() === 'PUT') await released;
    await route.continue();
  });
  return resolve;
}

step('an editor that is left saves first, and is the newest when one comes back', async () => {
  await isSaved(page);
  await go(page, 'Studio');
  await page.getByRole('link', { name: 'Left' }).click();
  await first().click();
  const release = await holdSaves();
  await field('Opacity (percent)').fill('20');
  await page.evaluate(() => history.back());
  await page.getByRole('status').getByText('Saving …', { exact: true }).waitFor();
  expect(new URL(page.url()).pathname).toBe(`/studio/${projectId}`);
  release();
  await page.getByRole('link', { name: 'Left' }).click();
  expect(await readOpacities()).toEqual([0.2, 0.7]);
  await last().click();
  await field('Opacity (percent)').fill('60');
  await field('Opacity (percent)').press('Enter');
  await eventually(readOpacities).toEqual([0.2, 0.6]);
  await press(page, 'Undo');
  await press(page, 'Undo');
  await eventually(readOpacities).toEqual([0.4, 0.7]);
  await isSaved(page);
  expect(await page.getByRole('alert').count()).toBe(0);
});

step('a tab that is closed asks, and saves what was typed', async () => {
  const asked: string[] = [];
  page.on('dialog', (dialog) => {
    asked.push(dialog.type());
    void dialog.accept();
  });
  await first().click();
  await field('Opacity (percent)').fill('90');
  await page.goto('/photos');
  expect(asked).toEqual(['beforeunload']);
  await eventually(readOpacities).toEqual([0.9, 0.7]);
  await page.goto(`/studio/${projectId}`);
  await first().click();
  await eventually(() => field('Opacity (percent)').inputValue()).toBe('90');
  await page.goto('/studio');
  expect(asked).toEqual(['beforeunload']);
  expect(listEditorProblems(visitor)).toEqual([]);
});
