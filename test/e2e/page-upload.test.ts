import { afterEach, beforeEach, expect } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page, Request } from 'playwright-core';
import { formatXmp, NO_VALUES } from '../../src/media/xmp.ts';
import { createStill, createVideo } from '../support/live-photos.ts';
import { type Photo, photo, type Visitor } from './browser.ts';
import { eventually } from './eventually.ts';
import { listFaults } from './faults.ts';
import { type Api, pictures, press } from './people.ts';
import { until } from './server.ts';
import { enter, openStage, type Stage, TIMEOUT_MS } from './stage.ts';
import { openTcpProxy, type TcpProxy } from './tcp-proxy.ts';
import { LARGE, save, saveLarge } from './uploads.ts';
import { journey } from '../support/journey.ts';

// Uploads that are disturbed, and live photos, in a real browser.

/** Bytes of a file that the server has when it is disturbed. */
const PART = 2_000_000;

let stage: Stage;
let ada: Visitor;
let page: Page;
let api: Api;
let proxy: TcpProxy;
let folder: string;
/** The appends so far: where each began. */
const offsets: number[] = [];

beforeEach(async () => {
  stage = await openStage();
  ({ api } = stage);
  folder = await mkdtemp(join(tmpdir(), 'safelight-upload-'));
  proxy = await openTcpProxy(Number(new URL(stage.server.url).port));
  ada = await enter(stage, { baseURL: proxy.url });
  ({ page } = ada);
  offsets.length = 0;
  page.on('request', (request: Request) => {
    if (request.method() !== 'PATCH') return;
    offsets.push(Number(request.headers()['upload-offset']));
  });
  page.on('dialog', (dialog) => void dialog.accept());
  await page.getByText('No photos yet').waitFor();
}, TIMEOUT_MS);

afterEach(async () => {
  const isOver = async () => !(await page.getByRole('button', { name: 'Cancel' }).count());
  await until('the end of all uploads', isOver, 30);
  await stage?.close();
  proxy?.close();
  await rm(folder, { recursive: true });
  // Refused on purpose: the halves that do not belong together.
  const expected = /net::ERR_|WebSocket|live-photo\/commit$/;
  expect(ada.problems.filter((text) => !expected.test(text))).toEqual([]);
}, TIMEOUT_MS);

const choose = (files: Photo[] | string[]) =>
  page.locator('input[type=file]').first().setInputFiles(files);
/** Until the server has some of the upload, but not all. */
async function sendPart(files: string[]): Promise<void> {
  const isHeld = proxy.hold(PART);
  await choose(files);
  await isHeld;
  await page.locator('[data-status=sending] progress').waitFor();
}

const { step, chapter } = journey('an owner uploads photos and live photos', TIMEOUT_MS);

chapter('files that cannot be uploaded', () => {
  step('each is named with its reason at once, and the others are uploaded', async () => {
    const toFile = (name: string, mimeType: string, text: string) => ({
      name,
      mimeType,
      buffer: Buffer.from(text),
    });
    await choose([
      toFile('notes.txt', 'text/plain', 'no photo'),
      toFile('empty.jpg', 'image/jpeg', ''),
      await photo('lake.jpg', '2024:07:14 12:00:00'),
    ]);
    const row = (name: string) => page.locator('[data-part=uploads-list] li', { hasText: name });
    await row('notes.txt').getByText('This kind of file is not supported.').waitFor();
    await row('empty.jpg').getByText('The file is empty.').waitFor();
    await page.getByText('1 file uploaded, 2 failed').waitFor();
    await pictures(page, 1);
    expect(await listFaults(page)).toEqual([]);
    await press(page, 'Close uploads');
  });

  step('an XMP file goes with its photo, and one without a photo is told', async () => {
    const toXmp = (name: string) => ({
      name,
      mimeType: 'application/rdf+xml',
      buffer: Buffer.from(formatXmp({ ...NO_VALUES, description: 'From the sidecar' })),
    });
    await choose([
      await photo('shore.jpg', '2024:07:17 12:00:00'),
      toXmp('shore.xmp'),
      toXmp('nothing.xmp'),
    ]);
    const row = page.locator('[data-part=uploads-list] li', { hasText: 'nothing.xmp' });
    await row.getByText('No photo belongs to this sidecar file.').waitFor();
    // Those that failed before stay in sight; the batch has one file that was uploaded.
    await page.getByText('1 file uploaded, 1 failed').waitFor();
    expect(await page.getByRole('button', { name: /again/ }).count()).toBe(0);
    const find = async () => {
      const { assets } = await api('POST', '/search/metadata', {
        originalFileName: 'shore.jpg',
        withExif: true,
      });
      return assets.items.map(
        (one: { exifInfo: { description: string } }) => one.exifInfo.description,
      );
    };
    await eventually(find).toEqual(['From the sidecar']);
    await press(page, 'Close uploads');
  });

  step('more than is free of the quota is named before it is sent', async () => {
    const { id, quotaUsageInBytes } = await api('GET', '/users/me');
    const small = await photo('hill.jpg', '2024:07:15 12:00:00');
    const limit = quotaUsageInBytes + small.buffer.length + 1000;
    const setQuota = (quotaSizeInBytes: number | null) =>
      api('PUT', `/admin/users/${id}`, { quotaSizeInBytes });
    await setQuota(limit);
    await page.reload();
    await pictures(page, 2);
    const begun: string[] = [];
    page.on('request', (request) => {
      if (request.method() === 'POST' && /uploads|assets$/.test(request.url()))
        begun.push(request.url());
    });
    await choose([await saveLarge(folder, 'too-large.jpg', '2024:07:16 12:00:00')]);
    const row = page.locator('[data-part=uploads-list] li', { hasText: 'too-large.jpg' });
    await row.getByText('Your quota has no room for it: it needs').waitFor();
    expect(begun).toEqual([]);
    expect(await listFaults(page)).toEqual([]);
    await choose([small]);
    await page.getByText('1 file uploaded, 1 failed').waitFor();
    await pictures(page, 3);
    await setQuota(null);
    await press(page, 'Close uploads');
  });
});

chapter('interruptions', () => {
  step('an upload waits for a lost network and resumes', async () => {
    const file = await saveLarge(folder, 'lake.jpg', '2024:07:14 12:00:00');
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
    const file = await saveLarge(folder, 'hill.jpg', '2024:08:14 12:00:00');
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
    await sendPart([await saveLarge(folder, 'fog.jpg', '2024:09:14 12:00:00')]);
    const gone = page.waitForResponse(
      (response) => response.request().method() === 'DELETE' && response.status() === 204,
    );
    await press(page, 'Cancel uploads');
    await gone;
    await page.reload();
    await pictures(page, 2);
    await eventually(() => page.getByText('interrupted').count()).toBe(0);
  });
});

chapter('a pause', () => {
  step('nothing is sent until uploads are resumed, from where they stopped', async () => {
    await sendPart([await saveLarge(folder, 'moor.jpg', '2024:10:14 12:00:00')]);
    await press(page, 'Pause uploads');
    await page.getByText('Paused · 0 of 1 uploaded').waitFor();
    expect(await listFaults(page)).toEqual([]);
    expect(offsets).toEqual([0]);
    await press(page, 'Resume uploads');
    await page.getByText('1 file uploaded').waitFor();
    await pictures(page, 1);
    expect(offsets.at(-1)).toBeGreaterThan(500_000);
    await press(page, 'Close uploads');
  });
});

chapter('a live photo', () => {
  const pair = (name: string, still: Buffer, video: Buffer): Photo[] => [
    { name: `${name}.MOV`, mimeType: 'video/quicktime', buffer: video },
    { name: `${name}.JPG`, mimeType: 'image/jpeg', buffer: still },
  ];
  const total = async () => (await api('GET', '/assets/statistics')).total;
  const items = () => page.locator('[data-part=uploads-list] li');

  step('is uploaded as one item and resumes after an interruption', async () => {
    const still = await photo('live', '2025:02:01 12:00:00');
    const film = await createVideo(folder);
    const files = [
      await save(join(folder, 'IMG_7.MOV'), film, film.length + LARGE),
      await save(join(folder, 'IMG_7.JPG'), still.buffer, still.buffer.length),
    ];
    await sendPart(files);
    await eventually(() => items().count()).toBe(1);
    await page.getByText('Live photo').waitFor();
    proxy.cut();
    await page.getByText(/Trying again/).waitFor();
    await eventually(total).toBe(0);
    proxy.mend();
    await page.getByText('1 file uploaded').waitFor();
    await eventually(total).toBe(1);
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
    await choose(pair('IMG_8', still, film));
    await page.getByText('1 file uploaded').waitFor();
    await eventually(() => items().count()).toBe(1);
    await eventually(total).toBe(3);
    const listMoving = async () => {
      const { assets } = await api('POST', '/search/metadata', { isMotion: true });
      return assets.items.map((one: { originalFileName: string }) => one.originalFileName);
    };
    await eventually(listMoving).toEqual(['IMG_7.JPG']);
    await press(page, 'Close uploads');
  });

  step('uploads only the half that the library does not have', async () => {
    const still = await photo('half', '2025:03:01 12:00:00');
    const files = pair('IMG_9', still.buffer, await createVideo(folder));
    await choose([files[1]!]);
    await page.getByText('1 file uploaded').waitFor();
    await press(page, 'Close uploads');
    offsets.length = 0;
    await choose(files);
    await page.getByText('1 file uploaded').waitFor();
    expect(offsets).toHaveLength(1);
    await eventually(total).toBe(5);
    await press(page, 'Close uploads');
  });
});
