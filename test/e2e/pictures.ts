// SAFELIGHT_TEST_MEDIA=… bun test/e2e/pictures.ts: takes the pictures of the documentation anew, the main pages at three
// sizes, with the photos of that folder and the models of `.cache/models`. To be looked at, one by one, before a commit.
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { openBrowser } from './browser.ts';
import { createFilm, toClip } from './film-editor.ts';
import { createSender, waitForJobs } from '../bench/figures/server.ts';
import { addPhotos, createApi, PHONE } from './people.ts';
import { signUp, startServerWithCluster } from './server.ts';

const ROOT = join(import.meta.dir, '../..');
const FOLDER = join(ROOT, 'appliance/docs/pictures');
const MEDIA = process.env['SAFELIGHT_TEST_MEDIA'];
if (!MEDIA) throw new Error('SAFELIGHT_TEST_MEDIA names no folder with photos');

const SIZES = {
  phone: PHONE,
  landscape: { ...PHONE, viewport: { width: 844, height: 390 } },
  desktop: { viewport: { width: 1440, height: 900 } },
};
const IS_PICTURE =
  /^(?:nature|formats\/(?:webp|heic)|text\/(?:book|craft|japanese)|metadata\/faces\/portrait(?!-)).*\.(?:jpe?g|heic|webp)$/i;

/** Lisbon, Berlin, Kyoto, Málaga, Denver, Oslo, Cape Town and others. */
const PLACES = [
  [38.71, -9.14],
  [52.52, 13.4],
  [35.01, 135.77],
  [36.95, -4.55],
  [39.74, -104.99],
  [59.91, 10.75],
  [-33.92, 18.42],
  [48.14, 11.58],
  [41.39, 2.17],
  [50.06, 19.94],
  [45.44, 12.32],
  [64.15, -21.94],
] as const;

const server = await startServerWithCluster(`--models=${join(ROOT, '.cache/models')}`);
const account = await signUp(server.url);
const api = createApi(server.url, account.apiKey);
const send = createSender(`${server.url}/api`, { 'x-api-key': account.apiKey });
const files = readdirSync(MEDIA, { recursive: true, encoding: 'utf8' }).filter((path) =>
  IS_PICTURE.test(path),
);
const ids = await addPhotos(
  server.url,
  account.apiKey,
  files.sort().map((path) => ({
    name: basename(path),
    mimeType: 'image/jpeg',
    buffer: readFileSync(join(MEDIA, path)),
  })),
);
await waitForJobs(send);

const idAt = (name: string) => ids[files.findIndex((path) => path.endsWith(name))]!;
const nature = files.flatMap((path, at) => (path.startsWith('nature') ? [ids[at]!] : []));
const album = await api('POST', '/albums', { albumName: 'Flowers and hills', assetIds: nature });
await api('POST', '/albums', { albumName: 'Around the house', assetIds: ids.slice(0, 6) });
for (const [at, [latitude, longitude]] of PLACES.entries()) {
  const dateTimeOriginal = `202${at % 5}-0${(at % 8) + 2}-1${at % 9}T1${at % 8}:20:00.000Z`;
  await api('PUT', `/assets/${ids[at]}`, { latitude, longitude, dateTimeOriginal });
}
for (const [path, name] of [
  ['portrait.jpg', 'Maria'],
  ['craft-beer.jpg', 'Anna'],
] as const) {
  const person = await api('POST', '/people', { name });
  const [face] = await api('GET', `/faces?id=${idAt(path)}`);
  await api('PUT', `/faces/${person.id}`, { id: face.id });
}
const memory = { type: 'on_this_day', isSaved: true };
for (const year of [2012, 2023]) {
  const assetIds = nature.slice(year % 2 === 0 ? 0 : 4, year % 2 === 0 ? 4 : 9);
  const memoryAt = `${year}-08-05T10:00:00.000Z`;
  await api('POST', '/memories', { ...memory, memoryAt, data: { year }, assetIds });
}
await waitForJobs(send);
const clips = nature.slice(0, 4).map((id, at) => toClip(id, at * 4));
const film = await createFilm({ api }, 'Flowers', { clips });

const PAGES: Readonly<Record<string, string>> = {
  timeline: '/photos',
  viewer: `/photos/${idAt('el_torcal_rocks.jpg')}`,
  search: '/search?q=flower',
  explore: '/explore',
  map: '/map',
  people: '/people',
  album: `/albums/${album.id}`,
  memories: '/memories',
  studio: `/studio/${film}`,
  health: '/admin/health',
};

/** Waits until every picture within the window is drawn, and nothing is loaded any more. */
async function settle(page: Page): Promise<void> {
  await page.waitForLoadState('networkidle');
  await page.waitForFunction(() =>
    [...document.images].every((image) => image.complete || image.loading === 'lazy'),
  );
  await page.evaluate(() =>
    Promise.allSettled(document.getAnimations().map((one) => one.finished)),
  );
  await Bun.sleep(1500);
}

mkdirSync(FOLDER, { recursive: true });
const browser = await openBrowser();
for (const [size, options] of Object.entries(SIZES)) {
  const context = await browser.newContext({ baseURL: server.url, locale: 'en-US', ...options });
  const { email, password } = account;
  await context.request.post('/api/auth/login', { data: { email, password } });
  const page = await context.newPage();
  for (const [name, path] of Object.entries(PAGES)) {
    await page.goto(path);
    await settle(page);
    if (name === 'viewer' && size === 'desktop') await page.keyboard.press('i');
    await settle(page);
    const ending = size === 'desktop' ? '' : `-${size}`;
    const shot = await page.screenshot();
    await sharp(shot)
      .webp({ quality: 78 })
      .toFile(join(FOLDER, `${name}${ending}.webp`));
    console.log(`${name}${ending}`);
  }
  await context.close();
}
await browser.close();
await server.stop();
