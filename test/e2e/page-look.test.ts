import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import type { Visitor } from './browser.ts';
import { listFaults } from './faults.ts';
import { PHONE, pictures } from './people.ts';
import { until } from './server.ts';
import { daysOfMay, enter, enterAgain, openStage, type Stage, TIMEOUT_MS } from './stage.ts';

// Every page in light, in dark and on a phone.

let stage: Stage;
let ada: Visitor;
let paths: string[];

beforeAll(async () => {
  stage = await openStage();
  const { api } = stage;
  const ids = await stage.add(daysOfMay(6));
  const albumName = 'A long name of an album that does not fit into any line beside the pictures';
  const album = await api('POST', '/albums', { albumName, assetIds: ids.slice(0, 2) });
  const [tag] = await api('PUT', '/tags', { tags: ['Travel/Japan/Kyoto'] });
  await api('PUT', `/tags/${tag.id}/assets`, { ids: ids.slice(0, 2) });
  const link = { type: 'ALBUM', albumId: album.id, slug: 'japan' };
  await api('POST', '/shared-links', link);
  await api('PUT', '/assets', { ids: [ids[2]], visibility: 'archive', isFavorite: true });
  await api('DELETE', '/assets', { ids: [ids[3]] });
  const person = await api('POST', '/people', { name: 'Benjamin Long-Lastname' });
  const box = { x: 100, y: 100, width: 150, height: 200, imageWidth: 900, imageHeight: 600 };
  await api('POST', '/faces', { assetId: ids[4], personId: person.id, ...box });
  const more = `explore memories people people/${person.id} documents favorites albums albums/${album.id} tags
    tags/${tag.id} links archive locked trash backup settings search?q=2024 admin/jobs admin/mail admin/users
    s/japan`;
  paths = ['/photos', `/photos/${ids[0]}`, ...more.split(/\s+/).map((path) => `/${path}`)];
  ada = await enter(stage);
  await pictures(ada.page, 4);
}, TIMEOUT_MS);

afterAll(() => stage?.close(), TIMEOUT_MS);

/** Returns a function that waits until no request of the page is pending and it is rendered. */
function watchLoading(page: Page): () => Promise<unknown> {
  let [begun, ended] = [0, 0];
  page.on('request', () => begun++);
  page.on('requestfinished', () => ended++);
  page.on('requestfailed', () => ended++);
  return () => {
    let seen = -1;
    return until('an end of loading', async () => {
      await page.evaluate(() => new Promise((idle) => requestIdleCallback(idle)));
      // Twice in a row: what has arrived may lead to another request.
      const isQuiet = begun === ended && begun === seen;
      seen = begun === ended ? begun : -1;
      return isQuiet;
    });
  };
}

const LOOKS = {
  'in light': { colorScheme: 'light' },
  'in dark': { colorScheme: 'dark' },
  'on a phone': { ...PHONE, colorScheme: 'light' },
} as const;

test.each(Object.entries(LOOKS))(
  'every page is readable and operable %s',
  async (_, options) => {
    const one = await enterAgain(stage, ada, { ...options, reducedMotion: 'reduce' });
    const loaded = watchLoading(one.page);
    const faults: string[] = [];
    for (const path of paths) {
      await one.page.goto(path);
      await one.page.locator('h1').first().waitFor({ state: 'attached' });
      await loaded();
      faults.push(...(await listFaults(one.page)).map((fault) => `${path}: ${fault}`));
    }
    expect(faults).toEqual([]);
    expect(one.problems).toEqual([]);
    await one.context.close();
  },
  TIMEOUT_MS,
);

test(
  'a page whose code cannot be loaded shows an error, and a reload shows the page',
  async () => {
    const one = await enterAgain(stage, ada, {});
    await one.page.route('**/assets/albums-page-*', (route) => route.abort());
    await one.page.goto('/photos');
    await one.page.getByRole('link', { name: 'Albums' }).click();
    await one.page.getByText('This part of the page could not be loaded.').waitFor();
    await one.page.unroute('**/assets/albums-page-*');
    await one.page.getByRole('button', { name: 'Try again' }).click();
    await one.page.getByRole('heading', { name: 'Albums', level: 1 }).waitFor();
    await one.context.close();
  },
  TIMEOUT_MS,
);

test(
  'counts take the form of the language of the browser',
  async () => {
    for (const [locale, text] of [
      ['en-GB', '4 items'],
      ['pl-PL', '4 elementy'],
    ] as const) {
      const one = await enterAgain(stage, ada, { locale });
      const warnings: string[] = [];
      one.page.on('console', (message) => warnings.push(message.text()));
      await one.page.goto('/photos');
      await one.page.getByText(text, { exact: true }).first().waitFor();
      expect([...one.problems, ...warnings]).toEqual([]);
      await one.context.close();
    }
  },
  TIMEOUT_MS,
);
