import { afterEach, beforeEach, expect } from 'bun:test';
import { chmod, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { journey } from '../support/journey.ts';
import { makeFolder } from '../support/libraries.ts';
import type { Visitor } from './browser.ts';
import { eventually } from './eventually.ts';
import { listFaults, listFaultsOfLooks } from './faults.ts';
import { go, PHONE, pictures, press, viewerOpened } from './people.ts';
import { until } from './server.ts';
import {
  daysOfMay,
  enter,
  enterAgain,
  leavePhone,
  openStage,
  type Stage,
  TIMEOUT_MS,
} from './stage.ts';

// The items of the own folders in a real browser.

let stage: Stage;
let ada: Visitor;
let page: Page;
let folder: string;
let libraryId: string;

beforeEach(async () => {
  [stage, folder] = await Promise.all([openStage(), makeFolder()]);
  // The server may run as another user.
  await chmod(folder, 0o755);
  ada = await enter(stage, { viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' });
  ({ page } = ada);
}, TIMEOUT_MS);

afterEach(async () => {
  expect(ada.problems).toEqual([]);
  await stage.api('DELETE', `/libraries/${libraryId}`);
  await stage.close();
  await rm(folder, { recursive: true });
}, TIMEOUT_MS);

async function addLibrary(): Promise<void> {
  const [first, second, third] = await Promise.all(daysOfMay(3));
  await Bun.write(join(folder, '2024/Italy', first!.name), first!.buffer);
  await Bun.write(join(folder, '2024/Italy', second!.name), second!.buffer);
  await Bun.write(join(folder, '2024/Spain', third!.name), third!.buffer);
  const body = { ownerId: stage.account.id, name: 'Disk', importPaths: [folder] };
  ({ id: libraryId } = await stage.api('POST', '/libraries', body));
  await stage.api('POST', `/libraries/${libraryId}/scan`);
  await until('the items of the library', async () => {
    const { total } = await stage.api('GET', `/libraries/${libraryId}/statistics`);
    return total === 3;
  });
}

/** Returns the names of the folders above 2024, from the root. */
const listNames = () => folder.split('/').slice(1);
const getFolder = (name: string, on = page) => on.getByRole('treeitem', { name, exact: true });
const isFocused = (name: string) =>
  getFolder(name).evaluate((element) => element === document.activeElement);

const { step, chapter } = journey('a person looks through folders', TIMEOUT_MS);

chapter('the tree of folders', () => {
  step('is empty at first', async () => {
    await page.getByRole('heading', { name: 'No photos yet' }).waitFor();
    await go(page, 'Folders');
    await page.getByRole('heading', { name: 'No folders yet' }).waitFor();
    expect(await listFaultsOfLooks(page)).toEqual([]);
  });

  step('opens down to the first choice', async () => {
    await addLibrary();
    await page.reload();
    await getFolder('2024').waitFor();
    await eventually(() => getFolder('2024').getAttribute('aria-expanded')).toBe('true');
    await eventually(() => getFolder('Italy').getAttribute('aria-level')).toBe(
      String(listNames().length + 2),
    );
    const counted = page.locator('[role=treeitem]', { hasText: /^2024\s*3$/ });
    await counted.waitFor();
    await eventually(() => counted.getAttribute('aria-description')).toBe('3 items');
    expect(await listFaultsOfLooks(page)).toEqual([]);
  });

  step('is operated by the keyboard', async () => {
    await getFolder(listNames()[0]!).focus();
    await page.keyboard.press('End');
    await eventually(() => isFocused('Spain')).toBe(true);
    await page.keyboard.press('ArrowLeft');
    await eventually(() => isFocused('2024')).toBe(true);
    await page.keyboard.press('ArrowLeft');
    await eventually(() => getFolder('Italy').count()).toBe(0);
    await page.keyboard.press('ArrowRight');
    await getFolder('Italy').waitFor();
    await page.keyboard.press('ArrowRight');
    await eventually(() => isFocused('Italy')).toBe(true);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Italy', level: 2 }).waitFor();
    await eventually(() => isFocused('Italy')).toBe(true);
  });
});

chapter('a folder', () => {
  step('shows its items and the way to them', async () => {
    await addLibrary();
    await go(page, 'Folders');
    await getFolder('Italy').click();
    await pictures(page, 2);
    await page.getByText('2 items', { exact: true }).waitFor();
    await eventually(() => getFolder('Italy').getAttribute('aria-selected')).toBe('true');
    const crumbs = page.getByRole('navigation', { name: 'Folders above' });
    await eventually(() => crumbs.getByRole('link').allInnerTexts()).toEqual([
      'Folders',
      ...listNames(),
      '2024',
    ]);
    expect(await listFaultsOfLooks(page)).toEqual([]);
  });

  step('opens an item, and is there again afterwards', async () => {
    await page.getByRole('link', { name: /^Photo, .*1 May 2024/ }).click();
    await viewerOpened(page);
    await eventually(() => new URL(page.url()).pathname).toStartWith('/folders/photos/');
    await page.keyboard.press('Escape');
    await pictures(page, 2);
    const getPath = () => new URL(page.url()).searchParams.get('path');
    await eventually(getPath).toBe(join(folder, '2024/Italy'));
  });

  step('without items leads to those below it', async () => {
    await page.getByRole('link', { name: '2024', exact: true }).click();
    await page.getByRole('heading', { name: 'No photos in this folder' }).waitFor();
    expect(await listFaultsOfLooks(page)).toEqual([]);
    await page.getByRole('link', { name: 'Spain', exact: true }).click();
    await pictures(page, 1);
  });

  step('marks items whose files are gone', async () => {
    await rm(join(folder, '2024/Italy/1.jpg'));
    await stage.api('POST', `/libraries/${libraryId}/scan`);
    await until('the file to be missed', async () => {
      const state = await stage.api('GET', `/libraries/${libraryId}/state`);
      return state.missingFiles === 1;
    });
    await getFolder('Italy').click();
    await page.reload();
    await page.getByRole('link', { name: /1 May 2024.*, offline$/ }).waitFor();
    await pictures(page, 2);
    await eventually(() => page.locator('[data-part=badge-offline]').count()).toBe(1);
    expect(await listFaultsOfLooks(page)).toEqual([]);
  });

  step('on a phone the tree and the items take turns', async () => {
    const phone = await enterAgain(stage, ada, { ...PHONE, reducedMotion: 'reduce' });
    await phone.page.goto('/photos');
    await press(phone.page, 'More');
    await go(phone.page, 'Folders');
    await getFolder('Italy', phone.page).waitFor();
    expect(await listFaults(phone.page)).toEqual([]);
    await getFolder('Italy', phone.page).tap();
    await pictures(phone.page, 2);
    await eventually(() => phone.page.getByRole('tree').isVisible()).toBe(false);
    expect(await listFaults(phone.page)).toEqual([]);
    const crumbs = phone.page.getByRole('navigation', { name: 'Folders above' });
    await crumbs.getByRole('link', { name: 'Folders' }).tap();
    await getFolder('Italy', phone.page).waitFor();
    await leavePhone(phone);
  });
});
