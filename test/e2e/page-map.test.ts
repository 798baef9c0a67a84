import { afterEach, beforeEach, expect } from 'bun:test';
import type { Page } from 'playwright-core';
import { flat } from '../fixtures/index.ts';
import type { Visitor } from './browser.ts';
import { eventually } from './eventually.ts';
import { listFaults } from './faults.ts';
import { type Api, pictures, press, viewerOpened } from './people.ts';
import { until } from './server.ts';
import {
  daysOfMay,
  enter,
  leavePhone,
  onPhone,
  openStage,
  type Stage,
  TIMEOUT_MS,
} from './stage.ts';
import { journey } from '../support/journey.ts';

// The map in a real browser that reaches nothing but the server.

const PLACES = [
  { latitude: 48.8566, longitude: 2.3522 },
  { latitude: 48.8606, longitude: 2.3376 },
  { latitude: 48.8584, longitude: 2.2945 },
  { latitude: 40.7128, longitude: -74.006 },
  { latitude: -33.8568, longitude: 151.2153 },
];

let stage: Stage;
let ada: Visitor;
let page: Page;
let api: Api;
let ids: string[];
let asked: string[];

beforeEach(async () => {
  stage = await openStage();
  ({ api } = stage);
  ids = await stage.add(daysOfMay(PLACES.length + 2));
  for (const [n, place] of PLACES.entries()) {
    await api('PUT', '/assets', { ids: [ids[n]], ...place });
  }
  // Nobody is to find these: one is in the trash, one behind the PIN.
  await api('PUT', '/assets', { ids: ids.slice(5), latitude: 64.1466, longitude: -21.9426 });
  await api('DELETE', '/assets', { ids: [ids[5]] });
  const { sql } = stage.database;
  await sql`update asset set locked_at = now() where id = ${ids[6]!}`;
  await api('PUT', '/assets', { ids: [ids[4]], isFavorite: true });
  ada = await enter(stage, { at: 'about:blank' });
  ({ page } = ada);
  asked = [];
  page.on('request', (request) => asked.push(request.url()));
  await page.goto('/');
  await pictures(page, 5);
}, TIMEOUT_MS);

afterEach(async () => {
  expect(ada.problems).toEqual([]);
  await stage.close();
}, TIMEOUT_MS);

const counts = async (on = page) =>
  (
    await on
      .locator('[data-part=map-marker]')
      .evaluateAll((all) => all.map((one) => one.ariaLabel ?? ''))
  ).sort();
const shows = (list: string[], on = page) =>
  until(`${list.join()} on the map`, async () => (await counts(on)).join() === list.join());
const marker = (name: string) => page.getByRole('button', { name, exact: true });
const getZoom = () => Number(new URL(page.url()).searchParams.get('at')?.split(',')[2]);
/** Whether the middle of the map is drawn in more than one colour. */
const isDrawn = (on = page) =>
  until('a drawn map', () =>
    on
      .locator('[data-part=base-map][data-ready=true]')
      .first()
      .evaluate((canvas: HTMLCanvasElement) => {
        const { width, height } = canvas;
        const { data } = canvas.getContext('2d')!.getImageData(0, height / 4, width, height / 2);
        const colours = new Set<number>();
        for (let at = 0; at < data.length; at += 40) {
          colours.add(data[at]! * 65_536 + data[at + 1]! * 256 + data[at + 2]!);
        }
        return colours.size > 5;
      }),
  );

const { step, chapter } = journey('an owner explores the map', TIMEOUT_MS);

chapter('the photos of the account', () => {
  step('the map shows all photos and loads from this server only', async () => {
    await page.getByRole('link', { name: 'Map', exact: true }).click();
    await shows(['1 photo here', '1 photo here', '3 photos here']);
    await isDrawn();
    expect(await listFaults(page)).toEqual([]);
    expect(
      asked.filter((url) => !url.startsWith(stage.server.url) && !/^(blob|data):/.test(url)),
    ).toEqual([]);
    expect(asked.some((url) => url.includes('/map/markers'))).toBe(false);
  });

  step('a cluster opens beside the map, and its photos open in the viewer', async () => {
    await marker('3 photos here').click();
    await pictures(page, 3);
    // Below their days; those of other places have none here.
    const days = page.locator('[data-part=map-panel] [data-part=day] h3');
    await eventually(async () =>
      (await days.allTextContents()).map((day) => day.split(' · ')[0]),
    ).toEqual(['Fri, 3 May 2024', 'Thu, 2 May 2024', 'Wed, 1 May 2024']);
    await page.locator('[data-part=map-panel] [data-part=tile-link]').first().click();
    await viewerOpened(page);
    await page.waitForURL('**/map/photos/*');
    await page.keyboard.press('Escape');
    await pictures(page, 3);
    await press(page, 'Look closer at this place');
    await until('closer', () => Promise.resolve(getZoom() > 5));
    await press(page, 'Close the photos');
    await eventually(() => page.locator('[data-part=map-panel]').count()).toBe(0);
  });

  step(
    'wheel, keys, buttons and dragging move the map, and clusters split when zooming in',
    async () => {
      await page.goto('/map?at=48.857,2.33,9');
      await shows(['3 photos here']);
      await page.mouse.move(640, 400);
      for (let turn = 0; turn < 6; turn++) await page.mouse.wheel(0, -400);
      await until('further down', () => Promise.resolve(getZoom() > 12));
      await until('single photos', async () => !(await counts()).includes('3 photos here'));
      const before = getZoom();
      await press(page, 'Zoom out');
      await until('one up', () => Promise.resolve(Math.abs(getZoom() - before + 1) < 0.11));
      const region = page.getByRole('region', { name: /^Map/ });
      await region.press('+');
      await until('one down', () => Promise.resolve(Math.abs(getZoom() - before) < 0.11));
      const longitude = () => Number(new URL(page.url()).searchParams.get('at')?.split(',')[1]);
      const west = longitude();
      await region.press('ArrowRight');
      await until('east of there', () => Promise.resolve(longitude() > west));
      const east = longitude();
      await page.mouse.move(900, 300);
      await page.mouse.down();
      await page.mouse.move(500, 300, { steps: 5 });
      await page.mouse.up();
      await until('further east', () => Promise.resolve(longitude() > east));
      await eventually(() => page.locator('[data-part=map-panel]').count()).toBe(0);
      await press(page, 'Show all photos');
      await shows(['1 photo here', '1 photo here', '3 photos here']);
    },
  );

  step('filters narrow the photos shown and are kept in the address', async () => {
    await press(page, 'Filter');
    const dialog = page.getByRole('dialog', { name: 'On the map' });
    await dialog.getByLabel('Only favorites').check();
    await shows(['1 photo here']);
    await dialog.getByLabel('Only favorites').uncheck();
    await dialog.getByLabel('Taken from').fill('2024-05-02');
    await dialog.getByLabel('until').fill('2024-05-04');
    await shows(['1 photo here', '2 photos here']);
    expect(await listFaults(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Done' }).click();
    await page.reload();
    await shows(['1 photo here', '2 photos here']);
    await press(page, 'Filter (1)');
    await dialog.getByRole('button', { name: 'Show everything' }).click();
    await dialog.getByRole('button', { name: 'Done' }).click();
    await shows(['1 photo here', '1 photo here', '3 photos here']);
    await api('PUT', '/assets', { ids: [ids[3]], visibility: 'archive' });
    await page.reload();
    await shows(['1 photo here', '3 photos here']);
    await press(page, 'Filter');
    await dialog.getByLabel('Also the archive').check();
    await shows(['1 photo here', '1 photo here', '3 photos here']);
    await dialog.getByLabel('Also the archive').uncheck();
    await dialog.getByRole('button', { name: 'Done' }).click();
    await api('PUT', '/assets', { ids: [ids[3]], visibility: 'timeline' });
  });
});

chapter('one place', () => {
  step('a photo with a place shows a small map that leads to the large one', async () => {
    await page.goto(`/photos/${ids[3]}`);
    await press(page, 'Information');
    await isDrawn();
    await page.getByRole('link', { name: 'Show on the map' }).click();
    await page.locator('[data-part=map-frame] [data-part=map-pin]').waitFor();
    await shows(['1 photo here']);
    await eventually(getZoom).toBe(13);
    await marker('1 photo here').click();
    await viewerOpened(page);
    await page.keyboard.press('Escape');
  });

  step('an album leads to the map of its photos, if any has a place', async () => {
    const albumName = 'Two of them';
    const placed = await api('POST', '/albums', { albumName, assetIds: [ids[0], ids[3]] });
    const bare = await api('POST', '/albums', { albumName: 'Nowhere' });
    await page.goto(`/albums/${placed.id}`);
    await page.getByRole('link', { name: 'Map of the album' }).click();
    await shows(['1 photo here', '1 photo here']);
    expect(await listFaults(page)).toEqual([]);
    await press(page, 'Filter');
    const dialog = page.getByRole('dialog', { name: 'On the map' });
    await dialog.getByLabel('Taken from').fill('2024-05-02');
    expect(await dialog.getByLabel('Photos of partners').count()).toBe(0);
    await dialog.getByRole('button', { name: 'Show everything' }).click();
    await dialog.getByRole('button', { name: 'Done' }).click();
    await page.reload();
    await shows(['1 photo here', '1 photo here']);
    await page.getByRole('link', { name: `Photos of “${albumName}”` }).click();
    await pictures(page, 2);
    await page.goto(`/albums/${bare.id}`);
    await page.getByText('Nothing in here yet').waitFor();
    await eventually(() => page.getByRole('link', { name: 'Map of the album' }).count()).toBe(0);
  });

  step('an empty result is explained', async () => {
    await page.goto('/map?at=64.1466,-21.9426,10');
    await page.getByText('No photos were taken here').waitFor();
    await eventually(counts).toEqual([]);
  });

  step('a new file with a position appears on the map as soon as it has been read', async () => {
    const position = {
      GPSLatitudeRef: 'N',
      GPSLatitude: '39/1 6/1 54/1',
      GPSLongitudeRef: 'W',
      GPSLongitude: '108/1 24/1 4/1',
    };
    const buffer = await flat([9, 80, 90]).withExif({ IFD3: position }).jpeg().toBuffer();
    const [id] = await stage.add([{ name: 'springs.jpg', mimeType: 'image/jpeg', buffer }]);
    // Its picture may be made first.
    await until('its place', async () => (await api('GET', `/assets/${id}`)).exifInfo.latitude);
    await page.goto('/map?at=39.115,-108.401,11');
    await shows(['1 photo here']);
    await marker('1 photo here').click();
    await page.getByRole('dialog', { name: 'Photo viewer' }).waitFor();
  });

  step('on a phone pinching zooms the map, and photos open from below', async () => {
    const phone = await onPhone(stage, ada);
    await phone.page.goto('/map?at=48.857,2.33,9');
    await shows(['3 photos here'], phone.page);
    const devtools = await phone.page.context().newCDPSession(phone.page);
    const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', apart?: number) =>
      devtools.send('Input.dispatchTouchEvent', {
        type,
        touchPoints: apart
          ? [
              { x: 195 - apart, y: 350, id: 1 },
              { x: 195 + apart, y: 350, id: 2 },
            ]
          : [],
      });
    await touch('touchStart', 30);
    for (const apart of [50, 80, 110, 140]) await touch('touchMove', apart);
    await touch('touchEnd');
    await until('a closer view', async () => {
      const at = new URL(phone.page.url()).searchParams.get('at');
      return Number(at?.split(',')[2]) > 10.5;
    });
    await phone.page.goto('/map?at=48.857,2.33,9');
    await phone.page.getByRole('button', { name: '3 photos here' }).tap();
    await pictures(phone.page, 3);
    await leavePhone(phone);
  });
});
