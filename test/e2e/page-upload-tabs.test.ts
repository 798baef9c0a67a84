import { afterEach, beforeEach, expect } from 'bun:test';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { journey } from '../support/journey.ts';
import type { Visitor } from './browser.ts';
import { eventually } from './eventually.ts';
import { type Api, press } from './people.ts';
import { enter, openStage, type Stage, TIMEOUT_MS } from './stage.ts';
import { openTcpProxy, type TcpProxy } from './tcp-proxy.ts';
import { saveLarge } from './uploads.ts';

// Uploads in several tabs of one browser: each upload belongs to one of them.

/** Bytes of a file that the server has when its upload is held. */
const PART = 2_000_000;
/** Longer than a page takes to see that a tab was closed. */
const SEEN_MS = 4000;

let stage: Stage;
let visitor: Visitor;
let page: Page;
let api: Api;
let proxy: TcpProxy;
let folder: string;

const { step, chapter } = journey('uploads belong to the tab that sends them', TIMEOUT_MS);

/** Opens another tab of the same browser. `patches` are the offsets of its appends, `deletes` counts what it gives up. */
async function openTab(tab?: Page) {
  tab ??= await visitor.context.newPage();
  const patches: number[] = [];
  const deletes: string[] = [];
  tab.on('request', (request) => {
    if (request.method() === 'PATCH') patches.push(Number(request.headers()['upload-offset']));
    if (request.method() === 'DELETE') deletes.push(request.url());
  });
  tab.on('dialog', (dialog) => void dialog.accept());
  if (tab !== page) await tab.goto('/');
  await tab.locator('#content').waitFor();
  const choose = (file: string) => tab.locator('input[type=file]').first().setInputFiles([file]);
  return { tab, patches, deletes, choose };
}
type Tab = Awaited<ReturnType<typeof openTab>>;

/** Until the server has some of the upload, but not all. */
async function sendPart({ tab, choose }: Tab, file: string): Promise<void> {
  const isHeld = proxy.hold(PART);
  await choose(file);
  await isHeld;
  await tab.locator('[data-status=sending] progress').waitFor();
}

const hasLocks = (tab: Page) => tab.evaluate(() => 'locks' in navigator);

async function close({ tab }: Tab): Promise<void> {
  // Without Web Locks the others see it when the page says that it ends, as it does when its window is closed by hand.
  if (!(await hasLocks(tab))) await tab.goto('about:blank');
  await tab.close();
}

/** Begins an upload in a tab that is closed then. */
async function leaveInterrupted(file: string): Promise<void> {
  const tab = await openTab();
  await sendPart(tab, file);
  await close(tab);
}

const countListed = ({ tab }: Tab) => tab.getByText('1 upload interrupted').count();
const readStored = () =>
  page.evaluate(() =>
    Object.entries(localStorage)
      .filter(([key]) => key.startsWith('safelight.upload.'))
      .map(([, value]) => JSON.parse(value)),
  );

/** Clicks in the moment in which another tab has taken the lock, and this one has not seen it. Runs in the page. */
async function clickUnderLock(button: HTMLElement | SVGElement, name: string): Promise<void> {
  const clickAndWait = async () => {
    (button as HTMLElement).click();
    await new Promise((done) => setTimeout(done, 500));
  };
  const locks = navigator.locks as LockManager | undefined;
  if (locks) return locks.request(name, clickAndWait);
  localStorage.setItem(`safelight.lock.${name}`, `another ${Date.now()}`);
  await clickAndWait();
  localStorage.removeItem(`safelight.lock.${name}`);
}

const readTotal = async () => (await api('GET', '/assets/statistics')).total;

/** Expects that the library has as many photos, and this file byte for byte. */
async function expectWhole(count: number, file: string): Promise<void> {
  await eventually(readTotal).toBe(count);
  const { assets } = await api('POST', '/search/metadata', {
    originalFileName: file.split('/').pop(),
  });
  expect(assets.items).toHaveLength(1);
  const response = await fetch(`${stage.server.url}/api/assets/${assets.items[0].id}/original`, {
    headers: { 'x-api-key': stage.account.apiKey },
  });
  expect(Bun.SHA256.hash(await response.arrayBuffer(), 'hex')).toBe(
    Bun.SHA256.hash(await readFile(file), 'hex'),
  );
}

async function open(host: '127.0.0.1' | '0.0.0.0'): Promise<void> {
  stage = await openStage();
  ({ api } = stage);
  folder = await mkdtemp(join(tmpdir(), 'safelight-upload-tabs-'));
  proxy = await openTcpProxy(Number(new URL(stage.server.url).port));
  visitor = await enter(stage, { baseURL: proxy.url.replace('127.0.0.1', host) });
  ({ page } = visitor);
  await page.getByText('No photos yet').waitFor();
  expect(await hasLocks(page)).toBe(host === '127.0.0.1');
}

afterEach(async () => {
  await stage?.close();
  proxy?.close();
  await rm(folder, { recursive: true });
  // The server cannot know how far away a page is.
  const expected = /net::ERR_|WebSocket|Cross-Origin-Opener-Policy/;
  expect(visitor.problems.filter((text) => !expected.test(text))).toEqual([]);
}, TIMEOUT_MS);

let here: Tab;

function defineMainSteps(): void {
  step(
    'another tab lists an upload when its tab is closed, not while it runs, and resumes it',
    async () => {
      here = await openTab(page);
      const file = await saveLarge(folder, 'lake.jpg', '2024:07:14 12:00:00');
      const first = await openTab();
      await sendPart(first, file);
      await page.reload();
      await page.getByText('No photos yet').waitFor();
      expect(await readStored()).toMatchObject([{ name: 'lake.jpg' }]);
      await Bun.sleep(SEEN_MS);
      expect(await countListed(here)).toBe(0);

      // Not while it waits for the network either.
      proxy.cut();
      await first.tab.getByText(/Trying again/).waitFor();
      await Bun.sleep(SEEN_MS);
      expect(await countListed(here)).toBe(0);
      const isHeld = proxy.hold(PART);
      proxy.mend();
      await isHeld;
      await close(first);

      await page.getByText('1 upload interrupted').waitFor();
      await page.getByText('lake.jpg').waitFor();
      await here.choose(file);
      await page.getByText('1 file uploaded').waitFor();
      expect(here.patches).toHaveLength(1);
      expect(here.patches[0]).toBeGreaterThan(500_000);
      expect(await readStored()).toEqual([]);
      await expectWhole(1, file);
      await press(page, 'Close uploads');
      await eventually(() => countListed(here)).toBe(0);
    },
  );

  defineForgetting();
}

function defineWaitingSteps(): void {
  step('one of two tabs resumes it, the other one waits and finds it in the library', async () => {
    const file = await saveLarge(folder, 'fog.jpg', '2024:09:14 12:00:00');
    await leaveInterrupted(file);
    const other = await openTab();
    for (const { tab } of [here, other]) await tab.getByText('1 upload interrupted').waitFor();
    here.patches.length = 0;
    await sendPart(here, file);
    await eventually(() => countListed(other)).toBe(0);
    await other.choose(file);
    await other.tab.getByText(/This file is already being uploaded/).waitFor();
    await page.locator('[data-status=sending]').waitFor();
    proxy.cut();
    await page.getByText(/Trying again/).waitFor();
    proxy.mend();
    await page.getByText('1 file uploaded').waitFor();
    await other.tab.getByText('1 duplicate not uploaded again').waitFor();
    expect(other.patches).toEqual([]);
    expect(here.patches.at(-1)).toBeGreaterThan(here.patches[0]!);
    await expectWhole(2, file);
    await other.tab.close();
    await press(page, 'Close uploads');
  });

  step('a file that is chosen twice is sent once', async () => {
    const file = await saveLarge(folder, 'rain.jpg', '2024:10:14 12:00:00');
    here.patches.length = 0;
    await sendPart(here, file);
    await here.choose(file);
    await page.getByText(/This file is already being uploaded/).waitFor();
    proxy.cut();
    await page.getByText(/connection was lost.*Trying again/).waitFor();
    proxy.mend();
    await page.getByText('1 file uploaded, 1 duplicate not uploaded again').waitFor();
    expect(here.patches.filter((offset) => offset === 0)).toHaveLength(1);
    await expectWhole(3, file);
    await press(page, 'Close uploads');
  });
}

function defineForgetting(): void {
  step('an upload that a tab has resumed meanwhile cannot be forgotten elsewhere', async () => {
    const file = await saveLarge(folder, 'snow.jpg', '2024:11:14 12:00:00');
    const before = await readTotal();
    await leaveInterrupted(file);
    await page.getByText('1 upload interrupted').waitFor();
    const [stored] = await readStored();
    const forgetButton = page.getByRole('button', { name: 'Discard' });
    await forgetButton.evaluate(
      clickUnderLock,
      `safelight.upload ${stored.userId} ${stored.sha256}`,
    );
    await eventually(() => countListed(here)).toBe(0);
    expect(await readStored()).toEqual([stored]);

    // The lock is free again: as when that tab was closed.
    await page.getByText('1 upload interrupted').waitFor();
    expect(here.deletes).toEqual([]);
    const deleted = page.waitForResponse((response) => response.request().method() === 'DELETE');
    await forgetButton.click();
    expect((await deleted).status()).toBe(204);
    await eventually(() => countListed(here)).toBe(0);
    expect(await readStored()).toEqual([]);
    await eventually(readTotal).toBe(before);
  });
}

chapter('in a browser with Web Locks', () => {
  beforeEach(() => open('127.0.0.1'), TIMEOUT_MS);
  defineMainSteps();
  defineWaitingSteps();
});

// Browsers have Web Locks where a page is secure. This address is of the same machine, but seems to be on a network.
chapter('over plain HTTP, without Web Locks', () => {
  beforeEach(() => open('0.0.0.0'), TIMEOUT_MS);
  defineMainSteps();
});
