import { afterAll, beforeAll, expect } from 'bun:test';
import type { Page } from 'playwright-core';
import { journey } from '../support/journey.ts';
import { paintClip } from '../support/painted-clips.ts';
import { eventually } from './eventually.ts';
import { listFaultsOfLooks } from './faults.ts';
import {
  createFilm,
  enterEditor,
  getClips,
  hasClips,
  isSaved,
  makeNumbers,
  makeVideo,
  second,
  toClip,
} from './film-editor.ts';
import { getDialog } from './people.ts';
import { openStage, type Stage, TIMEOUT_MS } from './stage.ts';

// Clips of a film that cannot be shown any more, in a real browser.

let stage: Stage;
let page: Page;
let ids: string[];
let projectId: string;

const other = makeVideo('waves.mp4', (path) => {
  paintClip(path, { frames: 60, size: '640x360', coding: '-c:v libx264 -preset veryfast -g 30' });
});

beforeAll(async () => {
  stage = await openStage();
  ids = await stage.add([makeNumbers(), other]);
  const clips = [toClip(ids[0]!, 0, second(2)), toClip(ids[1]!, 2, second(2))];
  projectId = await createFilm(stage, 'Holiday', { clips });
}, TIMEOUT_MS);

afterAll(() => stage?.close(), TIMEOUT_MS);

const preview = () => page.getByRole('group', { name: 'Preview' });
const clip = (name: string) => getClips(page).getByRole('button', { name });

const { step } = journey('a clip of a film is not available any more', TIMEOUT_MS);

step('in the trash, it is named and marked', async () => {
  await stage.api('DELETE', '/assets', { ids: [ids[1]] });
  ({ page } = await enterEditor(stage, projectId));
  await hasClips(page, 2);
  await page.keyboard.press('End');
  await preview().getByText('waves.mp4 is not available any more.').waitFor();
  await clip('waves.mp4, 0:02.00 to 0:04.00, not available').waitFor();
  expect(await clip('numbers.mp4, 0:00.00 to 0:02.00').getAttribute('data-broken')).toBeNull();
  expect(await listFaultsOfLooks(page)).toEqual([]);
});

step('restored, it is shown and not marked any more', async () => {
  await stage.api('POST', '/trash/restore/assets', { ids: [ids[1]] });
  await page.keyboard.press('Home');
  await page.keyboard.press('End');
  await clip('waves.mp4, 0:02.00 to 0:04.00').waitFor();
  await eventually(() => preview().getByRole('alert').count()).toBe(0);
  await eventually(() => clip('not available').count()).toBe(0);
});

step('in Locked, it is marked without its name, and removed from the export', async () => {
  await stage.database.sql`update asset set locked_at = now() where id = ${ids[1]!}`;
  await page.getByRole('button', { name: 'Export', exact: true }).click();
  const dialog = getDialog(page);
  await dialog.getByRole('button', { name: 'Export', exact: true }).click();
  await dialog.getByText('An item of the film is not available any more.').waitFor();
  await eventually(() => page.getByText('waves.mp4').count()).toBe(0);
  expect(await listFaultsOfLooks(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Remove it' }).click();
  await page.keyboard.press('Escape');
  await hasClips(page, 1);
  await isSaved(page);
  const { document } = await stage.api('GET', `/studio/projects/${projectId}`);
  expect(document.clips.map(({ assetId }: { assetId: string }) => assetId)).toEqual([ids[0]]);
  await eventually(() => clip('not available').count()).toBe(0);
});
