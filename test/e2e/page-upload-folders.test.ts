import { afterAll, beforeAll, expect } from 'bun:test';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Page } from 'playwright-core';
import { photo, type Visitor } from './browser.ts';
import { eventually } from './eventually.ts';
import { follow } from './every-page.ts';
import { listFaults } from './faults.ts';
import { getDialog, pictures, press, toast, undo } from './people.ts';
import { enter, openStage, type Stage, TIMEOUT_MS } from './stage.ts';
import { journey } from '../support/journey.ts';

// Folders that become albums, files that no decoder can read, and photos that are added from an album.

let stage: Stage;
let ada: Visitor;
let page: Page;
let folder: string;

beforeAll(async () => {
  stage = await openStage();
  folder = join(await mkdtemp(join(tmpdir(), 'safelight-folders-')), 'Italy');
  await save('2023/lake.jpg', '2023:07:14 12:00:00');
  await save('2023/hill.jpg', '2023:07:15 12:00:00');
  await save('Rome/forum.jpg', '2022:07:15 12:00:00');
  ada = await enter(stage);
  ({ page } = ada);
}, TIMEOUT_MS);

afterAll(async () => {
  await stage?.close();
  await rm(dirname(folder), { recursive: true });
  expect(ada.problems).toEqual([]);
}, TIMEOUT_MS);

async function save(path: string, taken: string): Promise<void> {
  await mkdir(dirname(join(folder, path)), { recursive: true });
  await writeFile(join(folder, path), (await photo(path, taken)).buffer);
}

const listAlbums = async () =>
  (await stage.api('GET', '/albums'))
    .map(
      ({ albumName, assetCount }: { albumName: string; assetCount: number }) =>
        `${albumName}: ${assetCount}`,
    )
    .sort();
const row = (name: string) => page.locator('main li', { hasText: name });

const { step, chapter } = journey('folders, failed files and albums', TIMEOUT_MS);

chapter('an owner', () => {
  step('uploads a folder and keeps its structure as albums', async () => {
    await page.getByLabel('Folder to upload').first().setInputFiles(folder);
    await page.getByText('3 files uploaded').waitFor();
    expect(await listFaults(page)).toEqual([]);
    await press(page, 'Create 2 albums from these folders');
    await page.getByText('Uploaded to Italy/2023').first().waitFor();
    await eventually(listAlbums).toEqual(['Italy/2023: 2', 'Italy/Rome: 1']);
    await press(page, 'Close uploads');
  });

  step('sees a file that no decoder can read, and tries it again', async () => {
    const buffer = Buffer.from('this is no JPEG file at all');
    const bad = { name: 'bad.jpg', mimeType: 'image/jpeg', buffer };
    await page.locator('input[type=file]').first().setInputFiles([bad]);
    await page.getByRole('link', { name: '1 file could not be read' }).click();
    await row('bad.jpg').getByText('The file is damaged').waitFor();
    expect(await listFaults(page)).toEqual([]);
    await press(page, 'Try bad.jpg again');
    await row('bad.jpg').getByText('Trying again …').waitFor();
    await row('bad.jpg').getByText('The file is damaged').waitFor();
    const saved = page.waitForEvent('download');
    await press(page, 'Download bad.jpg');
    expect((await saved).suggestedFilename()).toBe('bad.jpg');
  });

  step('moves it to the trash and back', async () => {
    await press(page, 'Move bad.jpg to the trash');
    await page.getByText('No failed files').waitFor();
    await undo(page, '1 item moved to the trash');
    await row('bad.jpg').waitFor();
    await press(page, 'Close uploads');
  });

  step('adds photos of the timeline to an album', async () => {
    const { id } = await stage.api('POST', '/albums', { albumName: 'Lakes' });
    await follow(page, `/albums/${id}`);
    await page.getByText('Nothing in here yet').waitFor();
    await page.locator('main .empty').getByRole('button', { name: 'Add photos' }).click();
    const dialog = getDialog(page);
    await dialog.getByRole('checkbox', { name: /15 July 2023/ }).click();
    await dialog.getByRole('link', { name: /14 July 2023/ }).click();
    await dialog.getByText('2 items selected').waitFor();
    expect(await listFaults(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Add to album' }).click();
    await toast(page, '2 items added to Lakes');
    await eventually(() => getDialog(page).count()).toBe(0);
    await pictures(page, 2);
    await undo(page, '2 items added to Lakes');
    await pictures(page, 0);
  });
});
