import { afterEach, beforeEach, expect } from 'bun:test';
import type { Page } from 'playwright-core';
import { journey } from '../support/journey.ts';
import { eventually } from './eventually.ts';
import { listFaultsOfLooks } from './faults.ts';
import { menu, type MemoryStage, open, openMemoryStage, player } from './memories.ts';
import { type Api, getDialog, press, toast } from './people.ts';
import { until } from './server.ts';
import { TIMEOUT_MS } from './stage.ts';

// The film of a memory, in a real browser.

const FILM_LIMIT_MS = 600_000;

let world: MemoryStage;
let page: Page;
let api: Api;

beforeEach(async () => {
  world = await openMemoryStage();
  ({ page, api } = world);
}, TIMEOUT_MS);

afterEach(async () => {
  expect(world.ada.problems).toEqual([]);
  await world.stage.close();
}, TIMEOUT_MS);

const exports = () => page.getByRole('list', { name: 'Exports' }).getByRole('listitem');

const { step } = journey('an owner exports a memory as a film', TIMEOUT_MS);

step(
  'a film is made, and saved to the library from its notification',
  async () => {
    await open(page, 'A trip');
    await menu(page, 'Export');
    const dialog = getDialog(page);
    await dialog.getByText('The film is silent').waitFor({ state: 'detached' });
    await dialog.getByText('Only the music is heard').waitFor();
    await dialog.getByLabel('Music').selectOption('No music');
    await dialog.getByText('The film is silent').waitFor();
    await dialog.getByLabel('Music').selectOption('Gentle');
    await dialog.getByLabel('Format').selectOption('Square (1:1)');
    await dialog.getByText(/^The film is dated .*, like its memory\.$/).waitFor();
    expect(await listFaultsOfLooks(page)).toEqual([]);
    await dialog.getByRole('button', { name: /^Film/ }).click();
    await exports().first().waitFor();
    const [queued] = await api('GET', `/memories/exports?memoryId=${world.trip}`);
    expect(queued).toMatchObject({ format: 'square', music: 'gentle' });
    await page.keyboard.press('Escape');
    await player(page).getByRole('button', { name: 'Close' }).click();
    const ready = page.getByRole('link', { name: 'The film of “A trip” is ready' });
    const bell = page.getByRole('button', { name: /^Notifications, / });
    await until(
      'the film',
      async () => {
        const [run] = await api('GET', `/memories/exports?memoryId=${world.trip}`);
        expect(run.status).not.toBe('failed');
        return run.status === 'completed';
      },
      FILM_LIMIT_MS / 1000,
    );
    await bell.click();
    await ready.waitFor();
    expect(await listFaultsOfLooks(page)).toEqual([]);
    await ready.click();
    await page.waitForURL(`**/memories/${world.trip}?exports`);
    await press(page, 'Save to library');
    await toast(page, 'Saved to your library');
    const show = exports().getByRole('link', { name: 'Show in library' });
    const [run] = await api('GET', `/memories/exports?memoryId=${world.trip}`);
    await eventually(() => show.getAttribute('href')).toBe(`/photos/${run.libraryAssetId}`);
    await eventually(() => exports().getByRole('button', { name: 'Save to library' }).count()).toBe(
      0,
    );
    await show.click();
    await page.getByRole('dialog', { name: 'Photo viewer' }).waitFor();
  },
  FILM_LIMIT_MS,
);
