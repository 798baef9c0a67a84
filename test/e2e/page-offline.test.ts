import { afterAll, beforeAll, expect } from 'bun:test';
import type { Page } from 'playwright-core';
import { announce } from '../../src/events/announce.ts';
import { journey } from '../support/journey.ts';
import { photo } from './browser.ts';
import { eventually } from './eventually.ts';
import { getDialog, go, logIn, logOut, pictures, press } from './people.ts';
import {
  addStageAccount,
  daysOfMay,
  enter,
  openOwnStage,
  type Stage,
  TIMEOUT_MS,
} from './stage.ts';
import { openTcpProxy, type TcpProxy } from './tcp-proxy.ts';

// The page as an installed app: without a connection, with files of other apps, and across an update of the server.

let stage: Stage;
/** The stage by an address at which nobody answers while it is cut. */
let away: Stage;
let wire: TcpProxy;
let page: Page;
let ids: string[];

beforeAll(async () => {
  stage = await openOwnStage();
  ids = await stage.add(daysOfMay(2));
  wire = await openTcpProxy(Number(new URL(stage.server.url).port));
  away = { ...stage, server: { ...stage.server, url: wire.url } };
  ({ page } = await enter(away, { serviceWorkers: 'allow' }));
}, TIMEOUT_MS);

afterAll(async () => {
  wire?.close();
  await stage?.close();
}, TIMEOUT_MS);

/** The paths of everything in the caches of a window, with what is asked for. */
const listCached = (of = page) =>
  of.evaluate(async () => {
    const all: string[] = [];
    for (const name of await caches.keys()) {
      const requests = await (await caches.open(name)).keys();
      all.push(...requests.map(({ url }) => url.slice(location.origin.length)));
    }
    return all;
  });

const isCached = async (part: string) => (await listCached()).some((url) => url.includes(part));
const offlineLine = () => page.getByText('Offline', { exact: true });

const { step, chapter } = journey('the page in an installed browser', TIMEOUT_MS);

chapter('without a connection', () => {
  step('a reload shows what was there, and says that the server does not answer', async () => {
    await pictures(page, 2);
    await page.evaluate(async () => void (await navigator.serviceWorker.ready));
    for (const part of [
      '/server/config',
      '/timeline/bucket?',
      ...ids.map((id) => `${id}/thumbnail`),
    ]) {
      await eventually(() => isCached(part)).toBe(true);
    }
    wire.cut();
    await page.reload();
    await pictures(page, 2);
    await offlineLine().waitFor();
  });

  step('a photo that was seen opens', async () => {
    await page.locator('main img').first().click();
    await page.getByRole('dialog').locator('img').first().waitFor();
    await page.keyboard.press('Escape');
  });

  step('back again, it shows what came meanwhile', async () => {
    ids.push(...(await stage.add([photo('3.jpg', '2024:05:03 12:00:00')])));
    wire.mend();
    await offlineLine().waitFor({ state: 'detached' });
    await pictures(page, 3);
    await eventually(() => isCached(ids[2]!)).toBe(true);
  });

  step(
    'what goes to Locked is no longer cached, and nothing is cached that is seen there',
    async () => {
      await stage.freshApi('POST', '/auth/pin-code', { pinCode: '123456' });
      await stage.api('PUT', '/assets', { ids: [ids[2]], visibility: 'locked' });
      await pictures(page, 2);
      await eventually(() => isCached(ids[2]!)).toBe(false);
      await page.goto('/locked');
      await page.getByLabel('PIN', { exact: true }).fill('123456');
      await press(page, 'Unlock');
      await page.locator('main img').first().waitFor();
      // Pictures are cached in the order in which they are seen.
      ids.push(...(await stage.add([photo('4.jpg', '2024:05:04 12:00:00')])));
      await go(page, 'Photos');
      await eventually(() => isCached(ids[3]!)).toBe(true);
      expect(await isCached(ids[2]!)).toBe(false);
      expect(await isCached('visibility=locked')).toBe(false);
    },
  );

  step('when more has changed than is listed, no picture is cached', async () => {
    await eventually(() => isCached('/thumbnail')).toBe(true);
    await announce(stage.database.db, { event: 'many' });
    await eventually(() => isCached('/thumbnail')).toBe(false);
  });

  step('with the session goes what was cached', async () => {
    await logOut(page);
    await page.getByRole('heading', { name: 'Log in' }).waitFor();
    const listAnswers = async () => (await listCached()).filter((url) => url.startsWith('/api/'));
    await eventually(listAnswers).toEqual(['/api/server/config']);
    wire.cut();
    await page.reload();
    await page.getByRole('heading', { name: 'No connection' }).waitFor();
    wire.mend();
    await page.getByRole('heading', { name: 'Log in' }).waitFor();
  });

  step('another account in this browser finds nothing of the first', async () => {
    const other = await addStageAccount(stage);
    await logIn(page, other.account.email, other.account.password);
    await eventually(() => isCached('/timeline/buckets')).toBe(true);
    const own = await listCached();
    expect(own.filter((url) => ids.some((id) => url.includes(id)))).toEqual([]);
    wire.cut();
    await page.reload();
    await offlineLine().waitFor();
    await pictures(page, 0);
    wire.mend();
  });
});

/** As a phone's share sheet, or a form of any site: with a window of its own address. */
const share = (names: readonly string[], on: Page) =>
  on.evaluate((list) => {
    const transfer = new DataTransfer();
    for (const name of list) transfer.items.add(new File(['not a photo'], name));
    const form = document.createElement('form');
    form.method = 'POST';
    form.action = '/share-target';
    form.enctype = 'multipart/form-data';
    const input = document.createElement('input');
    input.type = 'file';
    input.name = 'files';
    input.multiple = true;
    input.files = transfer.files;
    form.append(input);
    document.body.append(form);
    form.submit();
  }, names);

chapter('files of another app', () => {
  let own: Page;

  beforeAll(async () => {
    ({ page: own } = await enter(await addStageAccount(stage), { serviceWorkers: 'allow' }));
    await own.evaluate(async () => void (await navigator.serviceWorker.ready));
    await eventually(() => own.evaluate(() => navigator.serviceWorker.controller !== null)).toBe(
      true,
    );
  }, TIMEOUT_MS);

  step('are shown before they are uploaded, and forgotten on request', async () => {
    await share(['a.jpg', 'b.jpg'], own);
    const dialog = getDialog(own);
    await dialog.getByText('b.jpg').waitFor();
    await press(own, 'Cancel');
    await dialog.waitFor({ state: 'detached' });
    await eventually(() => own.evaluate(() => caches.has('safelight-shared-files'))).toBe(false);
    expect(await own.getByText('a.jpg').count()).toBe(0);
  });

  step('are uploaded on request', async () => {
    await share(['c.jpg'], own);
    const dialog = getDialog(own);
    await dialog.getByText('c.jpg').waitFor();
    await dialog.getByRole('button', { name: 'Upload' }).click();
    await own.getByRole('region', { name: 'Uploads' }).getByText('c.jpg').waitFor();
    expect(new URL(own.url()).search).toBe('');
  });
});

/** Passes requests on; after `update` the worker has another version, and the code of the old page is gone. */
function startProxy(target: string) {
  let isUpdated = false;
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: async (request) => {
      const { pathname, search } = new URL(request.url);
      if (isUpdated && pathname.startsWith('/assets/library-')) {
        return new Response('gone', { status: 404 });
      }
      const body = request.method === 'GET' ? undefined : await request.bytes();
      const { headers, method } = request;
      headers.delete('if-none-match');
      const response = await fetch(`${target}${pathname}${search}`, {
        headers,
        method,
        redirect: 'manual',
        ...(body && { body }),
      });
      const copy = new Headers(response.headers);
      copy.delete('content-encoding');
      copy.delete('content-length');
      if (!isUpdated || pathname !== '/service-worker.js') {
        return new Response(response.body, { status: response.status, headers: copy });
      }
      copy.delete('etag');
      const script = await response.text();
      return new Response(script.replace('safelight-shell-', 'safelight-shell-next-'), {
        headers: copy,
      });
    },
  });
  return {
    url: server.url.origin,
    update: () => (isUpdated = true),
    stop: () => server.stop(true),
  };
}

chapter('an update', () => {
  let proxy: ReturnType<typeof startProxy>;
  let own: Page;
  const listCaches = () => own.evaluate(() => caches.keys());

  beforeAll(async () => {
    proxy = startProxy(stage.server.url);
    const server = { ...stage.server, url: proxy.url };
    const other = await addStageAccount(stage);
    ({ page: own } = await enter({ ...other, server }, { serviceWorkers: 'allow' }));
  }, TIMEOUT_MS);
  afterAll(() => proxy?.stop(), TIMEOUT_MS);

  step('takes its place, and the open page goes on', async () => {
    await own.evaluate(async () => void (await navigator.serviceWorker.ready));
    await own.goto('/photos');
    await go(own, 'Photos');
    const before = await listCaches();
    proxy.update();
    await own.evaluate(async () => void (await (await navigator.serviceWorker.ready).update()));
    await eventually(async () => (await listCaches()).length).toBe(before.length + 1);
    // The code of this page is no longer on the server.
    await go(own, 'Albums');
    await own.getByRole('heading', { level: 1, name: 'Albums' }).waitFor();
  });
});
