import { afterEach, beforeEach, expect } from 'bun:test';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CDPSession, Page } from 'playwright-core';
import { type Photo, photo, type Visitor } from './browser.ts';
import { eventually } from './eventually.ts';
import { type Api, pictures, press } from './people.ts';
import { until } from './server.ts';
import { enter, openStage, type Stage, TIMEOUT_MS } from './stage.ts';
import { saveLarge } from './uploads.ts';
import { journey } from '../support/journey.ts';

// Folders, and files that the library has already, in a real browser.

let stage: Stage;
let ada: Visitor;
let page: Page;
let api: Api;

beforeEach(async () => {
  stage = await openStage();
  ({ api } = stage);
  ada = await enter(stage);
  ({ page } = ada);
  page.on('dialog', (dialog) => void dialog.accept());
  await page.getByText('No photos yet').waitFor();
}, TIMEOUT_MS);

afterEach(async () => {
  await stage?.close();
  expect(ada.problems).toEqual([]);
}, TIMEOUT_MS);

const choose = (files: Photo[] | string[]) =>
  page.locator('input[type=file]').first().setInputFiles(files);

/** Bytes a second, until the session is detached. */
async function limitUploads(uploadThroughput: number): Promise<CDPSession> {
  const devtools = await ada.context.newCDPSession(page);
  const others = { offline: false, latency: 0, downloadThroughput: -1 };
  await devtools.send('Network.emulateNetworkConditions', { ...others, uploadThroughput });
  return devtools;
}

const { step, chapter } = journey('an owner uploads folders and duplicates', TIMEOUT_MS);

chapter('a folder', () => {
  step('a folder is uploaded, and duplicates are checked in batches', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'safelight-folder-'));
    const album = join(folder, 'Album');
    await mkdir(album);
    const photos = Array.from({ length: 12 }, (_, index) =>
      photo(`${index}.jpg`, `2024:06:${10 + index} 12:00:00`, 300, 200),
    );
    for (const { name, buffer } of await Promise.all(photos))
      await writeFile(join(album, name), buffer);
    await writeFile(join(album, 'notes.txt'), 'not a photo');
    const ofFolder = page.getByLabel('Folder to upload').first();
    await ofFolder.setInputFiles(album);
    await page.getByText('12 files uploaded').waitFor();
    await pictures(page, 12);
    await press(page, 'Close uploads');
    let checks = 0;
    page.on('request', (request) => {
      if (request.url().endsWith('/bulk-upload-check')) checks++;
    });
    const limit = await limitUploads(600_000);
    // While these three are on their way, the others are read.
    const first = [1, 2, 3].map((day) =>
      saveLarge(folder, `large ${day}.jpg`, `2023:06:0${day} 12:00:00`),
    );
    const again = (await Promise.all(photos)).map(({ name }) => join(album, name));
    await choose([...(await Promise.all(first)), ...again]);
    await page.getByText('Uploading 13 of 15').waitFor();
    await limit.detach();
    await page.getByText('12 duplicates not uploaded again').waitFor();
    expect(checks).toBeLessThan(8);
    await press(page, 'Close uploads');
    await eventually(async () => (await api('GET', '/assets/statistics')).total).toBe(15);
    await rm(folder, { recursive: true });
  });
});

chapter('files that the library has', () => {
  step('files uploaded on the page of an album are added to it, including duplicates', async () => {
    const album = await api('POST', '/albums', { albumName: 'Lake' });
    const known = await photo('known.jpg', '2025:05:01 12:00:00');
    await choose([known]);
    await page.getByText('1 file uploaded').waitFor();
    await press(page, 'Close uploads');
    await page.goto(`/albums/${album.id}`);
    await page.getByText('Drop photos here').waitFor();
    await choose([known, await photo('fresh.jpg', '2025:05:02 12:00:00')]);
    await page.getByText('Uploaded to Lake').waitFor();
    await page.getByText('1 file uploaded, 1 duplicate not uploaded again').waitFor();
    await until('both in the album', async () => {
      return (await api('GET', `/albums/${album.id}`)).assetCount === 2;
    });
    await pictures(page, 2);
    await press(page, 'Close uploads');
    await page.goto('/photos');
    await choose([await photo('elsewhere.jpg', '2025:05:03 12:00:00')]);
    await page.getByText('1 file uploaded').waitFor();
    await press(page, 'Close uploads');
    await eventually(async () => (await api('GET', `/albums/${album.id}`)).assetCount).toBe(2);
  });

  step('a duplicate in the trash is restored and reported', async () => {
    const file = await photo('back.jpg', '2025:06:01 12:00:00');
    await choose([file]);
    await page.getByText('1 file uploaded').waitFor();
    await press(page, 'Close uploads');
    const { assets } = await api('POST', '/search/metadata', { originalFileName: 'back.jpg' });
    const [asset] = assets.items;
    await api('DELETE', '/assets', { ids: [asset.id] });
    const sent: string[] = [];
    page.on('request', (request) => {
      if (request.method() === 'PATCH') sent.push(request.url());
    });
    await choose([file]);
    await page.getByText('1 file restored from the trash').waitFor();
    await page.getByText('Restored from trash', { exact: true }).waitFor();
    await eventually(async () => (await api('GET', `/assets/${asset.id}`)).isTrashed).toBe(false);
    // Not a byte of it went over the network again.
    expect(sent).toEqual([]);
    await press(page, 'Close uploads');
  });
});
