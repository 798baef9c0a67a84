import { afterAll, beforeAll, expect } from 'bun:test';
import { randomFillSync } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CDPSession, Page, Request } from 'playwright-core';
import { createStill, createVideo } from '../support/live-photos.ts';
import { type Photo, photo, type Visitor } from './browser.ts';
import { eventually } from './eventually.ts';
import { listFaults } from './faults.ts';
import { type Api, pictures, press } from './people.ts';
import { until } from './server.ts';
import { enter, openStage, type Stage, TIMEOUT_MS } from './stage.ts';
import { openTcpProxy, type TcpProxy } from './tcp-proxy.ts';
import { journey } from '../support/journey.ts';

// Uploads that are disturbed, in a real browser.

const SIZE = 6_000_000;
/** Bytes of it that the server has when it is disturbed. */
const PART = 2_000_000;

let stage: Stage;
let ada: Visitor;
let page: Page;
let api: Api;
let proxy: TcpProxy;
/** The appends so far: where each began. */
const offsets: number[] = [];

beforeAll(async () => {
  stage = await openStage();
  ({ api } = stage);
  proxy = await openTcpProxy(Number(new URL(stage.server.url).port));
  ada = await enter(stage, { baseURL: proxy.url });
  ({ page } = ada);
  page.on('request', (request: Request) => {
    if (request.method() !== 'PATCH') return;
    offsets.push(Number(request.headers()['upload-offset']));
  });
  page.on('dialog', (dialog) => void dialog.accept());
  await page.getByText('No photos yet').waitFor();
}, TIMEOUT_MS);

afterAll(async () => {
  proxy?.close();
  await stage?.close();
}, TIMEOUT_MS);

/** A picture that decodes, and goes on after its end. */
async function large(name: string, taken: string): Promise<Photo> {
  const small = await photo(name, taken);
  const noise = randomFillSync(Buffer.alloc(SIZE - small.buffer.length));
  return { ...small, buffer: Buffer.concat([small.buffer, noise]) };
}

const choose = (files: Photo[]) => page.locator('input[type=file]').first().setInputFiles(files);
/** Until the server has some of the upload, but not all. */
async function sendPart(files: Photo[]): Promise<void> {
  const isHeld = proxy.hold(PART);
  await choose(files);
  await isHeld;
  await page.locator('[data-status=sending] progress').waitFor();
}

/** Bytes a second, until the session is detached. */
async function limitUploads(uploadThroughput: number): Promise<CDPSession> {
  const devtools = await ada.context.newCDPSession(page);
  const others = { offline: false, latency: 0, downloadThroughput: -1 };
  await devtools.send('Network.emulateNetworkConditions', { ...others, uploadThroughput });
  return devtools;
}

const { step, chapter } = journey('an owner uploads photos, folders and live photos', TIMEOUT_MS);

step('an upload waits for a lost network and resumes', async () => {
  const file = await large('lake.jpg', '2024:07:14 12:00:00');
  await sendPart([file]);
  proxy.cut();
  await page.getByText(/Trying again/).waitFor();
  expect(await listFaults(page)).toEqual([]);
  proxy.mend();
  await page.getByText('1 file uploaded').waitFor();
  await pictures(page, 1);
  expect(offsets[0]).toBe(0);
  expect(offsets.at(-1)).toBeGreaterThan(500_000);
  await press(page, 'Close uploads');
});

step('after a reload the page asks for the same file and resumes', async () => {
  const file = await large('hill.jpg', '2024:08:14 12:00:00');
  await sendPart([file]);
  await page.reload();
  await page.getByText('1 upload interrupted').waitFor();
  await page.getByText('hill.jpg').waitFor();
  expect(await listFaults(page)).toEqual([]);
  offsets.length = 0;
  await choose([file]);
  await page.getByText('1 file uploaded').waitFor();
  await pictures(page, 2);
  expect(offsets).toHaveLength(1);
  expect(offsets[0]).toBeGreaterThan(500_000);
  await press(page, 'Close uploads');
  await eventually(() => page.getByText('interrupted').count()).toBe(0);
});

step('cancelling an upload deletes it on the server', async () => {
  await sendPart([await large('fog.jpg', '2024:09:14 12:00:00')]);
  const gone = page.waitForResponse(
    (response) => response.request().method() === 'DELETE' && response.status() === 204,
  );
  await press(page, 'Cancel uploads');
  await gone;
  await page.reload();
  await pictures(page, 2);
  await eventually(() => page.getByText('interrupted').count()).toBe(0);
});

step('a folder is uploaded, and duplicates are checked in batches', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'safelight-folder-'));
  const photos = Array.from({ length: 12 }, (_, index) =>
    photo(`${index}.jpg`, `2024:06:${10 + index} 12:00:00`, 300, 200),
  );
  for (const { name, buffer } of await Promise.all(photos))
    await writeFile(join(folder, name), buffer);
  await writeFile(join(folder, 'notes.txt'), 'not a photo');
  const ofFolder = page.getByLabel('Folder to upload').first();
  await ofFolder.setInputFiles(folder);
  await page.getByText('12 files uploaded').waitFor();
  await pictures(page, 14);
  await press(page, 'Close uploads');
  let checks = 0;
  page.on('request', (request) => {
    if (request.url().endsWith('/bulk-upload-check')) checks++;
  });
  const limit = await limitUploads(600_000);
  // While these three are on their way, the others are read.
  const first = [1, 2, 3].map((day) => large(`${day}.jpg`, `2023:06:0${day} 12:00:00`));
  await choose([...(await Promise.all(first)), ...(await Promise.all(photos))]);
  await page.getByText('12 duplicates not uploaded again').waitFor();
  expect(checks).toBeLessThan(8);
  await limit.detach();
  await press(page, 'Close uploads');
  await rm(folder, { recursive: true });
  await eventually(async () => (await api('GET', '/assets/statistics')).total).toBe(17);
});

chapter('a live photo', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'safelight-live-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  const pair = async (name: string, still: Buffer, video: Buffer): Promise<Photo[]> => [
    { name: `${name}.MOV`, mimeType: 'video/quicktime', buffer: video },
    { name: `${name}.JPG`, mimeType: 'image/jpeg', buffer: still },
  ];
  const total = async () => (await api('GET', '/assets/statistics')).total;
  const items = () => page.locator('[data-part=uploads-list] li');

  step('is uploaded as one item and resumes after an interruption', async () => {
    const still = await photo('live', '2025:02:01 12:00:00');
    const film = await createVideo(folder);
    const files = await pair(
      'IMG_7',
      still.buffer,
      Buffer.concat([film, randomFillSync(Buffer.alloc(SIZE))]),
    );
    await sendPart(files);
    await eventually(() => items().count()).toBe(1);
    await page.getByText('Live photo').waitFor();
    proxy.cut();
    await page.getByText(/Trying again/).waitFor();
    await eventually(total).toBe(17);
    proxy.mend();
    await page.getByText('1 file uploaded').waitFor();
    await eventually(total).toBe(18);
    await page.locator('[data-part=badge-live]').waitFor();
    await press(page, 'Close uploads');
    await choose(files);
    await page.getByText('1 duplicate not uploaded again').waitFor();
    await press(page, 'Close uploads');
    await eventually(() => page.getByText('interrupted').count()).toBe(0);
  });

  step('becomes two items when its content identifiers differ', async () => {
    const still = await createStill('0B6A1F52-0000-4000-8000-000000000001');
    const film = await createVideo(folder, '0B6A1F52-0000-4000-8000-000000000002');
    await choose(await pair('IMG_8', still, film));
    await page.getByText('1 file uploaded').waitFor();
    await eventually(() => items().count()).toBe(1);
    await eventually(total).toBe(20);
    const listMoving = async () => {
      const { assets } = await api('POST', '/search/metadata', { isMotion: true });
      return assets.items.map((one: any) => one.originalFileName);
    };
    await eventually(listMoving).toEqual(['IMG_7.JPG']);
    await press(page, 'Close uploads');
  });

  step('uploads only the half that the library does not have', async () => {
    const still = await photo('half', '2025:03:01 12:00:00');
    const files = await pair('IMG_9', still.buffer, await createVideo(folder));
    await choose([files[1]!]);
    await page.getByText('1 file uploaded').waitFor();
    await press(page, 'Close uploads');
    offsets.length = 0;
    await choose(files);
    await page.getByText('1 file uploaded').waitFor();
    expect(offsets).toHaveLength(1);
    await eventually(total).toBe(22);
    await press(page, 'Close uploads');
  });
});

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
  offsets.length = 0;
  await choose([file]);
  await page.getByText('1 file restored from the trash').waitFor();
  await page.getByText('Restored from trash', { exact: true }).waitFor();
  await eventually(async () => (await api('GET', `/assets/${asset.id}`)).isTrashed).toBe(false);
  // Not a byte of it went over the network again.
  expect(offsets).toEqual([]);
  await press(page, 'Close uploads');
});

step('no unexpected errors were reported', async () => {
  await until('an end', async () => !(await page.getByRole('button', { name: 'Cancel' }).count()));
  // Refused on purpose: the halves that do not belong together.
  const expected = /net::ERR_|WebSocket|live-photo\/commit$/;
  expect(ada.problems.filter((text) => !expected.test(text))).toEqual([]);
});
