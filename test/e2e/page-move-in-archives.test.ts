import { afterAll, afterEach, beforeAll, expect } from 'bun:test';
import type { Page, Route } from 'playwright-core';
import { journey } from '../support/journey.ts';
import { paintPhoto } from '../support/painted-photos.ts';
import { makeZip } from '../support/zips.ts';
import type { Visitor } from './browser.ts';
import { eventually } from './eventually.ts';
import { listFaultsOfLooks } from './faults.ts';
import { press } from './people.ts';
import { enter, onPhone, leavePhone, openStage, type Stage, TIMEOUT_MS } from './stage.ts';

// An account moves in from the ZIP files of an export, which are on its own computer.

let stage: Stage;
let ada: Visitor;
let page: Page;
let zips: { name: string; mimeType: string; buffer: Buffer }[];

const ROOT = 'Takeout/Google Fotos';
const toJson = (title: string, timestamp: number) => ({
  title,
  photoTakenTime: { timestamp: String(timestamp) },
});

beforeAll(async () => {
  // Without dates of their own.
  const [beach, hill] = await Promise.all([paintPhoto(1), paintPhoto(2)]);
  const toZip = (part: number, entries: Parameters<typeof makeZip>[0]) => ({
    name: `takeout-20250203T101010Z-00${part}.zip`,
    mimeType: 'application/zip',
    buffer: makeZip(entries, { isZip64: true }),
  });
  zips = [
    toZip(1, [
      { name: `${ROOT}/Fotos von 2019/beach.jpg`, content: beach, isStored: true },
      { name: `${ROOT}/Sommer/hill.jpg`, content: hill },
      { name: `${ROOT}/Sommer/link.jpg`, content: 'hill.jpg', mode: 0o120777 },
    ]),
    toZip(2, [
      { name: `${ROOT}/Fotos von 2019/beach.jpg.json`, content: toJson('beach.jpg', 1556712000) },
      { name: `${ROOT}/Sommer/hill.jpg.json`, content: toJson('hill.jpg', 1526712000) },
      { name: `${ROOT}/Sommer/Metadaten.json`, content: { title: 'Sommer 2018' } },
    ]),
  ];
  stage = await openStage();
  ada = await enter(stage, { viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' });
  ({ page } = ada);
}, TIMEOUT_MS);

afterEach(() => {
  expect(ada.problems).toEqual([]);
});
afterAll(() => stage?.close(), TIMEOUT_MS);

const readMove = async () => (await stage.api('GET', '/move-ins'))[0];
const choose = (files: typeof zips) =>
  page.getByLabel('ZIP files', { exact: true }).setInputFiles(files);
const { step } = journey('an account moves in from ZIP files', TIMEOUT_MS);

step('says which files are none, before anything is sent', async () => {
  await page.goto('/move-in');
  await page.getByLabel('In ZIP files on this computer').check();
  const tgz = {
    name: 'takeout-001.tgz',
    mimeType: 'application/gzip',
    buffer: Buffer.from('1f8b0800', 'hex'),
  };
  await choose([tgz, zips[0]!]);
  await page.getByText('This is a .tgz archive.').waitFor();
  await eventually(() =>
    page.getByRole('button', { name: 'Upload', exact: true }).last().isDisabled(),
  ).toBe(true);
  expect(await listFaultsOfLooks(page)).toEqual([]);
  await press(page, 'Remove takeout-001.tgz');
  await choose(zips);
  await eventually(() =>
    page.getByRole('list', { name: 'Chosen files' }).getByRole('listitem').count(),
  ).toBe(2);
  const phone = await onPhone(stage, ada);
  await phone.page.goto('/move-in');
  await phone.page.getByLabel('In ZIP files on this computer').check();
  await phone.page.getByText('or drop them here').waitFor();
  expect(await listFaultsOfLooks(phone.page)).toEqual([]);
  await leavePhone(phone);
});

step('goes on after a reload, when the same files are chosen again', async () => {
  const held: Route[] = [];
  await page.route('**/archives/1', (route) => void held.push(route));
  await page.locator('form').getByRole('button', { name: 'Upload', exact: true }).click();
  await eventually(() => held.length).toBe(1);
  await page.getByText('Uploading …').waitFor();
  expect(await listFaultsOfLooks(page)).toEqual([]);
  page.once('dialog', (dialog) => void dialog.accept());
  await page.reload();
  await page.unroute('**/archives/1');
  await page.getByText('Choose the same files again to continue.').waitFor();
  const { parts } = (await readMove()).archives;
  expect(parts.map(({ received }: { received: number }) => received)).toEqual([
    zips[0]!.buffer.length,
    0,
  ]);
  expect(await listFaultsOfLooks(page)).toEqual([]);
  const sent: string[] = [];
  page.on('request', (request) => {
    if (request.method() === 'PATCH') sent.push(request.url().slice(-1));
  });
  await choose(zips);
  await page.getByText('Found in 2 ZIP files:').waitFor();
  expect(sent).toEqual(['1']);
});

step('shows what is there, and what is left out', async () => {
  await page.getByText('An export of Google Photos.').waitFor();
  expect(await page.getByRole('definition').allTextContents()).toEqual([
    '2',
    '0',
    '1',
    expect.any(String),
  ]);
  await page.getByText('1 file could not be copied').click();
  await page.getByText('This is a symbolic link, which is not followed.').waitFor();
  expect(await listFaultsOfLooks(page)).toEqual([]);
  expect((await stage.api('GET', '/albums')).length).toBe(0);
});

step('takes the photos in with their dates and album', async () => {
  await press(page, 'Start the move');
  await page.getByText('The move is complete').waitFor();
  await page.getByText('2 files copied').waitFor();
  expect((await stage.api('GET', '/albums'))[0]).toMatchObject({
    albumName: 'Sommer 2018',
    assetCount: 1,
  });
  const { assets } = await stage.api('POST', '/search/metadata', {});
  const dates = assets.items.map(
    (item: { originalFileName: string; localDateTime: string }) =>
      `${item.originalFileName} ${item.localDateTime.slice(0, 10)}`,
  );
  expect(dates.toSorted()).toEqual(['beach.jpg 2019-05-01', 'hill.jpg 2018-05-19']);
  expect(await listFaultsOfLooks(page)).toEqual([]);
});

step('a move that is canceled takes its files with it', async () => {
  await press(page, 'Move something else in');
  await page.getByLabel('In ZIP files on this computer').check();
  await page.route('**/archives/*', () => {});
  await choose(zips);
  await page.locator('form').getByRole('button', { name: 'Upload', exact: true }).click();
  await press(page, 'Cancel the move');
  await page.getByText('The uploaded files are removed from the server.').waitFor();
  expect(await listFaultsOfLooks(page)).toEqual([]);
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel the move' }).click();
  await page.getByLabel('On an Immich server').waitFor();
  expect(await stage.api('GET', '/move-ins')).toHaveLength(1);
});
