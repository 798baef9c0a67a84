import { afterAll, beforeAll, expect } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CDPSession, Page } from 'playwright-core';
import { journey } from '../support/journey.ts';
import { photo, type Photo, type Visitor } from './browser.ts';
import { eventually } from './eventually.ts';
import { createApi, logIn, logOut, press } from './people.ts';
import { getSharedServer } from './shared.ts';
import { enter, openStage, type Stage, TIMEOUT_MS } from './stage.ts';
import { openTcpProxy, type TcpProxy } from './tcp-proxy.ts';
import { saveLarge } from './uploads.ts';

// Uploads that go on when the page is closed, in a browser with Background Synchronization.

const TAG = 'safelight-uploads';
const SEEN_MS = 3000;
/** Bytes of a large file that the server has when its page is closed. */
const PART = 2_000_000;

let stage: Stage;
let other: Stage;
let wire: TcpProxy;
let visitor: Visitor;
let page: Page;
/** A window of the same browser that is no page of ours. */
let probe: Page;
let devtools: CDPSession;
let registrationId: string;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'safelight-upload-closed-'));
  stage = await openStage();
  other = await openStage();
  wire = await openTcpProxy(Number(new URL(stage.server.url).port));
  visitor = await enter(stage, { baseURL: wire.url, serviceWorkers: 'allow' });
  ({ page } = visitor);
  await visitor.context.addInitScript(allowSync);
  await page.reload();
  await page.getByText('No photos yet').waitFor();
  await page.evaluate(async () => void (await navigator.serviceWorker.ready));
  probe = await visitor.context.newPage();
  devtools = await visitor.context.newCDPSession(probe);
  const found = new Promise<string>((resolve) => {
    devtools.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
      const own = registrations.find(({ scopeURL }) => scopeURL.startsWith(wire.url));
      if (own) resolve(own.registrationId);
    });
  });
  await devtools.send('ServiceWorker.enable');
  registrationId = await found;
}, TIMEOUT_MS);

afterAll(async () => {
  await stage?.close();
  await other?.close();
  wire?.close();
  await rm(folder, { recursive: true });
}, TIMEOUT_MS);

/** The browser of the tests turns Background Synchronization off: the test fires its event. Runs in the page. */
function allowSync(): void {
  const { prototype } = Reflect.get(window, 'SyncManager') as { prototype: object };
  const tags: string[] = [];
  Object.assign(window, { syncTags: tags });
  Reflect.set(prototype, 'register', async (tag: string) => void tags.push(tag));
}

/** Fires the event that the browser fires when the connection is there again. */
const sync = () =>
  devtools.send('ServiceWorker.dispatchSyncEvent', {
    origin: wire.url,
    registrationId,
    tag: TAG,
    lastChance: false,
  });

/** The same, and the time in which the worker would do what it must not. */
async function syncInVain(): Promise<void> {
  await sync();
  await Bun.sleep(SEEN_MS);
}

const choose = (on: Page, files: readonly Photo[]) =>
  on
    .locator('input[type=file]')
    .first()
    .setInputFiles([...files]);

/** Returns the names of the kept files, of any account. */
async function listKeptNames(): Promise<string[]> {
  await probe.goto(`${wire.url}/api/server/ping`);
  return probe.evaluate(async () => {
    const cache = await caches.open('safelight-kept-uploads');
    const files = (await cache.keys()).map(({ url }) => new URL(url).searchParams.get('file'));
    return files.flatMap((file) => (file ? [JSON.parse(file).name as string] : [])).toSorted();
  });
}

/** Whether something of this kind is noted beside a file that is kept. */
async function hasStates(kind: 'begun' | 'refusal'): Promise<boolean> {
  if ((await listKeptNames()).length === 0) return false;
  return probe.evaluate(async (wanted) => {
    const cache = await caches.open('safelight-kept-uploads');
    const states = (await cache.keys()).filter(({ url }) => url.endsWith('/state'));
    const texts = await Promise.all(
      states.map(async (state) => (await cache.match(state))!.text()),
    );
    return texts.some((text) => text.includes(wanted));
  }, kind);
}

async function setQuota(quotaSizeInBytes: number | null): Promise<void> {
  const { url, adminKey } = await getSharedServer();
  await createApi(url, adminKey)('PUT', `/admin/users/${stage.account.id}`, { quotaSizeInBytes });
}

/** Returns the number of uploads that the server was asked to take in, of any account. */
async function countUploads(): Promise<number> {
  const [row] = await stage.database.sql`select count(*)::int as count from upload`;
  return row!['count'];
}

const countKept = (on: Page) =>
  on.evaluate(async () => {
    const cache = await caches.open('safelight-kept-uploads');
    return (await cache.keys()).filter(({ url }) => url.includes('?file=')).length;
  });

const readTotal = async (of = stage) => (await of.api('GET', '/assets/statistics')).total;

/** Chooses files while the server is away, and closes the page when the browser keeps them. */
async function leaveKept(files: readonly Photo[]): Promise<void> {
  wire.cut();
  await choose(page, files);
  await eventually(() => countKept(page)).toBe(files.length);
  await page.close();
  wire.mend();
}

async function reopen(): Promise<void> {
  page = await visitor.context.newPage();
  await page.goto('/photos');
  await page.locator('#content').waitFor();
}

const taken = (day: number) => `2024:06:0${day} 12:00:00`;
const panel = () => page.getByRole('region', { name: 'Uploads' });

const { step } = journey('files are uploaded when the page is closed', TIMEOUT_MS);

step('files that were chosen without a connection arrive after the page was closed', async () => {
  const files = await Promise.all([photo('lake.jpg', taken(1)), photo('fog.jpg', taken(2))]);
  wire.cut();
  await choose(page, files);
  await page
    .getByText('You can close this page: the rest is uploaded in the background.')
    .waitFor();
  expect(await countKept(page)).toBe(2);
  expect(await page.evaluate(() => Reflect.get(window, 'syncTags'))).toContain(TAG);
  await page.close();
  await sync();
  wire.mend();
  expect(await readTotal()).toBe(0);
  await sync();
  await eventually(readTotal).toBe(2);
  await eventually(listKeptNames).toEqual([]);
  const { assets } = await stage.api('POST', '/search/metadata', { originalFileName: 'fog.jpg' });
  const response = await fetch(`${stage.server.url}/api/assets/${assets.items[0].id}/original`, {
    headers: { 'x-api-key': stage.account.apiKey },
  });
  expect(Buffer.from(await response.arrayBuffer()).equals(files[1]!.buffer)).toBe(true);
});

step('the page that is opened next has nothing to do', async () => {
  await reopen();
  await page.locator('[data-part=tile]').nth(1).waitFor();
  await eventually(() =>
    page.evaluate(async () => (await (await caches.open('safelight-kept-uploads')).keys()).length),
  ).toBe(0);
  expect(await panel().count()).toBe(0);
});

step('what the library has already is not sent again', async () => {
  const before = await countUploads();
  await leaveKept([await photo('lake.jpg', taken(1))]);
  await sync();
  await eventually(listKeptNames).toEqual([]);
  expect(await readTotal()).toBe(2);
  expect(await countUploads()).toBe(before);
});

step('what the page had begun goes on from there, and the next page does not list it', async () => {
  const before = await countUploads();
  await reopen();
  const isHeld = wire.hold(PART);
  const path = await saveLarge(folder, 'sea.jpg', taken(9));
  await page.locator('input[type=file]').first().setInputFiles([path]);
  await isHeld;
  await eventually(() => hasStates('begun')).toBe(true);
  await page.close();
  await sync();
  await eventually(readTotal).toBe(3);
  await eventually(listKeptNames).toEqual([]);
  expect(await countUploads()).toBe(before + 1);
  await reopen();
  await eventually(() =>
    page.evaluate(() =>
      Object.keys(localStorage).filter((key) => key.startsWith('safelight.upload.')),
    ),
  ).toEqual([]);
  expect(await page.getByText('1 upload interrupted').count()).toBe(0);
  await page.close();
});

step('while its page is open, only the page sends them', async () => {
  await reopen();
  wire.cut();
  await choose(page, [await photo('snow.jpg', taken(3))]);
  await eventually(() => countKept(page)).toBe(1);
  await sync();
  wire.mend();
  await page.getByText('1 file uploaded').waitFor();
  await eventually(() => countKept(page)).toBe(0);
  expect(await readTotal()).toBe(4);
  await press(page, 'Close uploads');
});

step('what the server refuses is kept, and shown with its reason by the next page', async () => {
  await setQuota(1);
  await leaveKept([await photo('storm.jpg', taken(4))]);
  await sync();
  await eventually(() => hasStates('refusal')).toBe(true);
  await setQuota(null);
  await reopen();
  await panel().getByText('Your storage quota is used up.').waitFor();
  await panel().getByText('storm.jpg').waitFor();
  expect(await listKeptNames()).toEqual(['storm.jpg']);
  await press(page, 'Close uploads');
  await eventually(listKeptNames).toEqual([]);
  expect(await readTotal()).toBe(4);
});

step('a queue that is paused waits for the person', async () => {
  wire.cut();
  await choose(page, [await photo('rain.jpg', taken(5))]);
  await eventually(() => countKept(page)).toBe(1);
  await press(page, 'Pause uploads');
  await eventually(() =>
    page.evaluate(async () =>
      (await (await caches.open('safelight-kept-uploads')).keys()).some(({ url }) =>
        url.endsWith('/paused'),
      ),
    ),
  ).toBe(true);
  await page.close();
  wire.mend();
  await syncInVain();
  expect(await listKeptNames()).toEqual(['rain.jpg']);
  await reopen();
  await panel().getByText('Paused').waitFor();
  expect(await readTotal()).toBe(4);
  await press(page, 'Resume uploads');
  await page.getByText('1 file uploaded').waitFor();
  expect(await readTotal()).toBe(5);
  await press(page, 'Close uploads');
});

step('without room in the browser, the person is asked to leave the page open', async () => {
  await page.evaluate(() => {
    navigator.storage.estimate = async () => ({ quota: 1000, usage: 900 });
  });
  wire.cut();
  await choose(page, [await photo('hail.jpg', taken(6))]);
  await page.getByText('This browser has no room to keep 1 file.').waitFor();
  expect(await countKept(page)).toBe(0);
  wire.mend();
  await page.getByText('1 file uploaded').waitFor();
  expect(await readTotal()).toBe(6);
  await page.close();
  await reopen();
});

step('when the session has ended, they wait for the same account', async () => {
  await leaveKept([await photo('wind.jpg', taken(7))]);
  const [cookies] = [await visitor.context.cookies()];
  await visitor.context.clearCookies();
  await syncInVain();
  expect(await listKeptNames()).toEqual(['wind.jpg']);
  expect(await readTotal()).toBe(6);
  await visitor.context.addCookies(cookies);
  await reopen();
  await page.getByText('1 file uploaded').waitFor();
  await eventually(listKeptNames).toEqual([]);
  expect(await readTotal()).toBe(7);
});

step('another account of this browser gets nothing of them', async () => {
  await leaveKept([await photo('sun.jpg', taken(8))]);
  await visitor.context.clearCookies();
  const { email, password } = other.account;
  await visitor.context.request.post('/api/auth/login', { data: { email, password } });
  await syncInVain();
  expect(await readTotal(other)).toBe(0);
  await reopen();
  await page.getByText('No photos yet').waitFor();
  await eventually(listKeptNames).toEqual([]);
  await syncInVain();
  expect(await panel().count()).toBe(0);
  expect([await readTotal(), await readTotal(other)]).toEqual([7, 0]);
});

step('a logout deletes them', async () => {
  wire.cut();
  await choose(page, [await photo('moon.jpg', taken(9))]);
  await eventually(() => countKept(page)).toBe(1);
  await logOut(page);
  await eventually(() => page.evaluate(() => caches.has('safelight-kept-uploads'))).toBe(false);
  wire.mend();
  await page.getByRole('heading', { name: 'Log in' }).waitFor();
  await logIn(page, stage.account.email, stage.account.password);
  await page.locator('[data-part=tile]').first().waitFor();
  await syncInVain();
  expect([await readTotal(), await readTotal(other)]).toEqual([7, 0]);
});
