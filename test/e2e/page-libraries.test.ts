import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'bun:test';
import { chmod, mkdir, rename, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Page } from 'playwright-core';
import { journey } from '../support/journey.ts';
import { makeFolder } from '../support/libraries.ts';
import { eventually } from './eventually.ts';
import {
  daysOfMay,
  enter,
  enterAgain,
  leavePhone,
  openOwnStage,
  type Stage,
  TIMEOUT_MS,
} from './stage.ts';
import { photo, type Visitor } from './browser.ts';
import { listFaults, listFaultsOfLooks } from './faults.ts';
import { getDialog, goToAdmin, PHONE, press, toast } from './people.ts';

// External libraries in a real browser.

let stage: Stage;
let ada: Visitor;
let page: Page;
/** The root of the folders that may be chosen; the one for temporary files may have more than are listed. */
let root: string;
let folder: string;

beforeAll(async () => {
  // The page lists the libraries of all accounts.
  stage = await openOwnStage();
}, TIMEOUT_MS);

beforeEach(async () => {
  root = await makeFolder();
  // The server may run as another user.
  await chmod(root, 0o755);
  folder = join(root, 'disk');
  for (const { name, buffer } of await Promise.all(daysOfMay(3))) {
    await Bun.write(join(folder, '2024/Italy', name), buffer);
  }
  ada = await enter(stage, { viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' });
  ({ page } = ada);
}, TIMEOUT_MS);

afterEach(async () => {
  expect(ada.problems.filter((text) => !isRefusal(text))).toEqual([]);
  await ada.context.close();
  for (const { id } of await stage.api('GET', '/libraries')) {
    await stage.api('DELETE', `/libraries/${id}`);
  }
  await eventually(() => stage.api('GET', '/libraries')).toEqual([]);
  await rm(root, { recursive: true });
}, TIMEOUT_MS);

afterAll(() => stage?.close(), TIMEOUT_MS);

/** Adds a library that has been scanned, and goes to its page. */
async function showLibrary(): Promise<void> {
  const body = { ownerId: stage.account.id, name: 'Disk', importPaths: [folder] };
  const { id } = await stage.api('POST', '/libraries', body);
  await stage.api('POST', `/libraries/${id}/scan`);
  await eventually(() => stage.api('GET', `/libraries/${id}/statistics`)).toMatchObject({
    total: 3,
  });
  await goToAdmin(page, 'External libraries');
  await getCard().waitFor();
}

const getCard = (on = page) => on.getByRole('article', { name: 'Disk' });
/** A browser writes every refusal into its console. */
const isRefusal = (text: string) => /status of 400 .*\/api\/libraries/.test(text);
const scan = async () => {
  await press(page, 'Scan now');
  await toast(page, 'Scan started');
};

const { step, chapter } = journey('an administrator shows folders of the server', TIMEOUT_MS);

chapter('a library', () => {
  step('is refused with the reason at the folder', async () => {
    await goToAdmin(page, 'External libraries');
    await page.getByRole('heading', { name: 'No external libraries yet' }).waitFor();
    await press(page, 'New library');
    await page.getByLabel('Name', { exact: true }).fill('Disk');
    await page.getByRole('textbox', { name: 'Folder 1' }).fill(folder);
    await press(page, 'Add a folder');
    await page.keyboard.type('/not/there');
    await press(page, 'Create and scan');
    await page.getByText('This folder is not there.').waitFor();
    await eventually(() =>
      page.getByRole('textbox', { name: 'Folder 2' }).getAttribute('aria-invalid'),
    ).toBe('true');
    await eventually(() =>
      page.getByRole('textbox', { name: 'Folder 1' }).getAttribute('aria-invalid'),
    ).toBe(null);
    expect(await listFaultsOfLooks(page)).toEqual([]);
    await eventually(() => stage.api('GET', '/libraries')).toEqual([]);
  });

  step('is created and scanned', async () => {
    await press(page, 'Remove Folder 2');
    await press(page, 'Create and scan');
    await getCard().getByText('3', { exact: true }).waitFor();
    await getCard().getByText(folder).waitFor();
    await getCard().getByText('Admin', { exact: true }).waitFor();
    await eventually(() => getDialog(page).count()).toBe(0);
    expect(await listFaultsOfLooks(page)).toEqual([]);
  });

  step('is changed, with every wrong folder and pattern named', async () => {
    await press(page, 'Edit Disk');
    await press(page, 'Add a folder');
    await page.keyboard.type('relative');
    await press(page, 'Add a folder');
    await page.keyboard.type('/etc/passwd');
    await press(page, 'Save');
    await page.getByText('Enter the full path, which begins with a slash.').waitFor();
    await page.getByText('This folder could not be imported: it is not a folder').waitFor();
    await press(page, 'Remove Folder 3');
    await press(page, 'Remove Folder 2');
    await press(page, 'Add an exclusion');
    await page.keyboard.type('**/Raw/**');
    await press(page, 'Save');
    await getDialog(page).waitFor({ state: 'detached' });
    const [library] = await stage.api('GET', '/libraries');
    expect(library.importPaths).toEqual([folder]);
    expect(library.exclusionPatterns).toContain('**/Raw/**');
  });

  step('leaves its files when it is deleted', async () => {
    await press(page, 'Delete Disk');
    await getDialog(page).getByText('The files stay where they are.').waitFor();
    await press(page, 'Delete library');
    await toast(page, 'Library deleted');
    await page.getByRole('heading', { name: 'No external libraries yet' }).waitFor();
    expect(await Bun.file(join(folder, '2024/Italy/3.jpg')).exists()).toBe(true);
  });
});

chapter('a folder', () => {
  step('is chosen from those of the settings', async () => {
    await showLibrary();
    const own = await stage.api('GET', '/admin/config/safelight');
    const libraries = { folders: [root], writeSidecars: false };
    await stage.api('PUT', '/admin/config/safelight', { ...own, libraries });
    await mkdir(join(folder, 'inner'));
    const other = join(root, 'other');
    await mkdir(join(other, 'chosen'), { recursive: true });
    await press(page, 'Edit Disk');
    await press(page, 'Choose a folder');
    const picker = page.getByRole('dialog', { name: 'Choose a folder' });
    await picker.getByRole('button', { name: root, exact: true }).click();
    await picker.getByRole('button', { name: basename(folder), exact: true }).click();
    await picker.getByRole('button', { name: 'inner', exact: true }).waitFor();
    expect(await listFaultsOfLooks(page)).toEqual([]);
    await picker.getByRole('button', { name: 'Up one folder' }).click();
    await picker.getByRole('button', { name: basename(other), exact: true }).click();
    await picker.getByRole('button', { name: 'chosen', exact: true }).click();
    await picker.getByText(join(other, 'chosen'), { exact: true }).waitFor();
    await picker.getByRole('button', { name: 'Choose this folder' }).click();
    await picker.waitFor({ state: 'detached' });
    const field = page.getByRole('textbox', { name: 'Folder 2' });
    await eventually(() => field.inputValue()).toBe(join(other, 'chosen'));
    await press(page, 'Remove Folder 2');
    await press(page, 'Save');
    await getDialog(page).waitFor({ state: 'detached' });
    await stage.api('PUT', '/admin/config/safelight', own);
  });

  step('on a phone the list and the dialog fit', async () => {
    const phone = await enterAgain(stage, ada, { ...PHONE, reducedMotion: 'reduce' });
    await phone.page.goto('/admin/libraries');
    await getCard(phone.page).waitFor();
    expect(await listFaults(phone.page)).toEqual([]);
    await press(phone.page, 'Edit Disk');
    await phone.page.getByRole('textbox', { name: 'Folder 1' }).waitFor();
    await leavePhone(phone);
  });
});

chapter('files that are not there', () => {
  step('are kept while their folder cannot be reached', async () => {
    await showLibrary();
    await rename(folder, `${folder}-away`);
    await scan();
    await getCard().getByText('Not all files could be seen.').waitFor();
    expect(await listFaultsOfLooks(page)).toEqual([]);
    await rename(`${folder}-away`, folder);
    await scan();
    await getCard().getByText('Not all files could be seen.').waitFor({ state: 'detached' });
  });

  step('are gone when an administrator confirms it', async () => {
    const names = Array.from({ length: 22 }, (_, n) => `many/${n}.jpg`);
    const { buffer } = await photo('1.jpg', '2024:05:01 12:00:00');
    // Bytes behind the picture: no two are the same.
    for (const name of names)
      await Bun.write(join(folder, name), Buffer.concat([buffer, Buffer.from(name)]));
    await scan();
    const [{ id }] = await stage.api('GET', '/libraries');
    await eventually(() => stage.api('GET', `/libraries/${id}/statistics`)).toMatchObject({
      total: 25,
    });
    for (const name of names.slice(0, 20)) await rm(join(folder, name));
    await scan();
    await getCard().getByText('20 files are gone.').waitFor();
    expect(await listFaultsOfLooks(page)).toEqual([]);
    await press(page, 'Confirm …');
    await getDialog(page).getByRole('heading', { name: 'Are 20 files of “Disk” gone?' }).waitFor();
    await press(page, 'Files are gone');
    await getCard().getByText('20 files are missing: their items are offline').waitFor();
    const [library] = await stage.api('GET', '/libraries');
    const state = await stage.api('GET', `/libraries/${library.id}/state`);
    expect(state).toMatchObject({ unconfirmedFiles: 0, missingFiles: 20, scanError: null });
  });
});
