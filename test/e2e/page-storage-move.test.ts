import { afterAll, beforeAll, expect } from 'bun:test';
import { runCommand } from '../support/command-line.ts';
import { journey } from '../support/journey.ts';
import { type S3Server, startS3Server } from '../support/s3-server.ts';
import type { Visitor } from './browser.ts';
import { eventually } from './eventually.ts';
import { listFaultsOfLooks } from './faults.ts';
import { getPageWidth, goToAdmin, PHONE } from './people.ts';
import {
  daysOfMay,
  enter,
  leavePhone,
  onPhone,
  openOwnStage,
  type Stage,
  TIMEOUT_MS,
} from './stage.ts';

// Files of a server with an object store, while they are moved to its data folder.

let store: S3Server;
let flags: string[];
let stage: Stage;
let ada: Visitor;
beforeAll(async () => {
  store = startS3Server();
  flags = ['--object-store', store.url, '--object-store-credentials', store.credentials];
  stage = await openOwnStage(...flags);
  await stage.add(daysOfMay(2));
  ada = await enter(stage);
}, TIMEOUT_MS);
afterAll(async () => {
  await stage?.close();
  await store?.stop();
  expect(ada.problems).toEqual([]);
}, TIMEOUT_MS);

const { step } = journey('an administrator watches how files are moved', TIMEOUT_MS);

const getPlaces = () => ada.page.getByRole('region', { name: 'Object store' });
const getPlace = (name: string) => getPlaces().getByRole('listitem').filter({ hasText: name });
const untilStatus = (text: RegExp) =>
  getPlaces().getByRole('status').filter({ hasText: text }).waitFor();

step('sees that all originals are in the object store', async () => {
  await goToAdmin(ada.page, 'Storage');
  await getPlaces().getByText(store.url).waitFor();
  await getPlace('Object store').getByText('2 originals').waitFor();
  await getPlace('Data folder').getByText('0 originals').waitFor();
  expect(await listFaultsOfLooks(ada.page)).toEqual([]);
});

step('sees that they are moved, how far that is, and when it has ended', async () => {
  const held = Promise.withResolvers<undefined>();
  const originals = new Set<string>();
  // The second one is not sent yet.
  store.fault = async ({ method }, key) => {
    if (method !== 'GET' || !key.startsWith('originals/')) return undefined;
    originals.add(key);
    return originals.size > 1 && key === [...originals][1] ? held.promise : undefined;
  };
  const { dataDir, databaseUrl } = stage.server;
  const library = ['--data', dataDir, '--database-url', databaseUrl];
  const moving = runCommand(dataDir, ['storage', 'move', '--to', 'files', ...library, ...flags]);
  await eventually(() => originals.size).toBe(2);
  await ada.page.reload();
  await untilStatus(/being moved to the data folder/);
  await getPlace('Data folder').getByText('1 original', { exact: false }).waitFor();
  await getPlace('Object store').getByText('1 original', { exact: false }).waitFor();
  const bar = getPlaces().getByRole('progressbar', { name: 'Data folder' });
  expect(Number(await bar.getAttribute('value'))).toBeGreaterThan(0);
  expect(Number(await bar.getAttribute('value'))).toBeLessThan(1);
  expect(await listFaultsOfLooks(ada.page)).toEqual([]);
  held.resolve(undefined);
  expect(await moving).toMatchObject({
    code: 0,
    out: expect.stringContaining('moved 2 originals'),
  });
  await getPlace('Data folder').getByText('2 originals').waitFor();
  await getPlaces().getByRole('status').waitFor({ state: 'detached' });
});

step('is told how to move the rest', async () => {
  // As after a move that somebody has ended.
  await stage.database.sql`
    update original set object_key = 'originals/x' where sha256 = (select sha256 from original limit 1)`;
  await ada.page.reload();
  await untilStatus(/are in both places/);
});

step('also on a phone', async () => {
  const phone = await onPhone(stage, ada);
  await phone.page.goto('/admin/storage');
  await phone.page.getByRole('region', { name: 'Object store' }).waitFor();
  expect(await getPageWidth(phone.page)).toBe(PHONE.viewport.width);
  await leavePhone(phone);
});
