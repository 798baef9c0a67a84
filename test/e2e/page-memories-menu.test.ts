import { afterEach, beforeEach, expect } from 'bun:test';
import type { Page } from 'playwright-core';
import { journey } from '../support/journey.ts';
import { eventually } from './eventually.ts';
import { listFaultsOfLooks } from './faults.ts';
import { hasRow, type MemoryStage, menu, open, openMemoryStage, row, shows } from './memories.ts';
import { type Api, getDialog, holdToast, press, toast, undo } from './people.ts';
import { until } from './server.ts';
import { TIMEOUT_MS } from './stage.ts';

// The menu of the player of memories, in a real browser.

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

const get = (id: string) => api('GET', `/memories/${id}`);

const { step, chapter } = journey('an owner changes memories', TIMEOUT_MS);

chapter('the menu of the player', () => {
  step('saves a memory, and changes its title', async () => {
    await open(page, 'Spring walk');
    await press(page, 'More actions');
    await page.getByRole('menuitem', { name: 'Hide memory' }).waitFor();
    expect(await listFaultsOfLooks(page)).toEqual([]);
    await page.getByRole('menuitem', { name: 'Save memory' }).click();
    const isSaved = async () => (await get(world.spring)).isSaved;
    await eventually(isSaved).toBe(true);
    await undo(page, 'Memory saved');
    await eventually(isSaved).toBe(false);
    await menu(page, 'Save memory');
    await toast(page, 'Memory saved');
    await eventually(isSaved).toBe(true);
    await menu(page, 'Edit title');
    await page.getByRole('textbox', { name: 'Title' }).fill('A walk in May');
    await press(page, 'Save');
    await page.getByRole('heading', { name: 'A walk in May' }).waitFor();
    await eventually(async () => (await get(world.spring)).name).toBe('A walk in May');
  });

  step('removes a picture from it, and puts it back', async () => {
    await shows(page, '1 of 3');
    await menu(page, 'Remove this picture');
    await holdToast(page, 'Removed from the memory');
    await shows(page, '1 of 2');
    await undo(page, 'Removed from the memory');
    await shows(page, '1 of 3');
  });

  step('chooses which pictures it shows, at least one', async () => {
    await menu(page, 'Edit pictures');
    const picture = (at: number) => getDialog(page).getByRole('checkbox').nth(at);
    await picture(1).click();
    await getDialog(page).getByText('2 of 3 pictures').waitFor();
    expect(await listFaultsOfLooks(page)).toEqual([]);
    await picture(0).click();
    await picture(2).click();
    await eventually(() => getDialog(page).getByRole('button', { name: 'Save' }).isDisabled()).toBe(
      true,
    );
    await picture(0).click();
    await picture(2).click();
    await press(page, 'Save');
    await holdToast(page, 'Removed from the memory');
    await shows(page, '1 of 2');
    await eventually(async () =>
      (await get(world.spring)).assets.map(({ id }: { id: string }) => id),
    ).toEqual([world.ids[0], world.ids[2]]);
    await undo(page, 'Removed from the memory');
    await shows(page, '1 of 3');
  });

  step('hides a memory and goes on, and undo shows it again', async () => {
    await menu(page, 'Hide memory');
    await holdToast(page, 'Memory hidden');
    await page.waitForURL(`**/memories/${world.trip}`);
    await undo(page, 'Memory hidden');
    await until('the memory is back', async () => !(await get(world.spring)).isHidden);
  });

  step('shows less of a person', async () => {
    await menu(page, 'Show less of Ann');
    await toast(page, 'You will see less of this');
    await eventually(() => api('GET', '/memories/show-less')).toMatchObject([{ kind: 'person' }]);
    await page.waitForURL(`**/memories/${world.film}`);
    await page.keyboard.press('Escape');
    await row(page).waitFor();
    await hasRow(page, ['A walk in May', 'A film']);
  });
});

chapter('sharing from the player', () => {
  step('puts the pictures into an album and shares them by link', async () => {
    await api('PUT', `/memories/${world.spring}`, { name: 'A walk in May' });
    await open(page, 'A walk in May');
    await menu(page, 'Add to album');
    await page.getByLabel('Find an album').fill('Walks');
    await page.getByRole('button', { name: 'New album “Walks”' }).click();
    await toast(page, '3 items added to Walks');
    await menu(page, 'Share by link');
    await press(page, 'Create link');
    await page.getByText('The link is ready').waitFor();
    await press(page, 'Done');
    const [link] = await api('GET', '/shared-links');
    expect(link.assets).toHaveLength(3);
  });

  step('makes an album of it and shares that with somebody', async () => {
    await menu(page, 'Share as album');
    await eventually(() => page.getByRole('textbox', { name: 'Title' }).inputValue()).toBe(
      'A walk in May',
    );
    await press(page, 'Create album');
    await page.getByRole('heading', { name: 'Share “A walk in May”' }).waitFor();
    expect(await listFaultsOfLooks(page)).toEqual([]);
    await getDialog(page).getByRole('button', { name: world.bob.name }).click();
    await until('the album is shared', async () => {
      const albums = await api('GET', '/albums');
      const shared = albums.find(
        ({ albumName }: { albumName: string }) => albumName === 'A walk in May',
      );
      return shared?.assetCount === 3 && shared.albumUsers.length === 2;
    });
    await page.keyboard.press('Escape');
  });
});
