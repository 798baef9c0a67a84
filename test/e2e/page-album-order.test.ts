import { afterEach, beforeEach, expect } from 'bun:test';
import type { Page, Route } from 'playwright-core';
import { journey } from '../support/journey.ts';
import { photo, type Visitor, visit } from './browser.ts';
import { eventually } from './eventually.ts';
import { listFaultsOfLooks } from './faults.ts';
import { type Api, pictures, viewerOpened } from './people.ts';
import {
  daysOfMay,
  enter,
  leavePhone,
  onPhone,
  openStage,
  type Stage,
  TIMEOUT_MS,
} from './stage.ts';

// The order of an album by hand, in a real browser.

let stage: Stage;
let visitor: Visitor;
let page: Page;
let api: Api;
let ids: string[];
let album: string;

beforeEach(async () => {
  stage = await openStage();
  ({ api } = stage);
  // Newest first, as the album begins.
  ids = (await stage.add(daysOfMay(5))).toReversed();
  album = (await api('POST', '/albums', { albumName: 'Best', assetIds: ids })).id;
  visitor = await enter(stage, { at: `/albums/${album}`, viewport: { width: 1200, height: 800 } });
  ({ page } = visitor);
}, TIMEOUT_MS);

afterEach(async () => {
  expect(visitor.problems).toEqual([]);
  await stage.close();
}, TIMEOUT_MS);

const { step } = journey('an owner arranges an album', TIMEOUT_MS);

const readPage = async (shown = page): Promise<string> => {
  const links = shown.locator('[data-part=tile-link]');
  const all = await links.evaluateAll((list) => list.map(({ dataset }) => dataset['id'] ?? ''));
  return all.map((id) => ids.indexOf(id)).join('');
};
const readServer = async (): Promise<string> => {
  const { items } = await api('GET', `/albums/${album}/items`);
  return items.map(({ id }: { id: string }) => ids.indexOf(id)).join('');
};
const expectOrder = async (order: string) => {
  await eventually(readPage).toBe(order);
  await eventually(readServer).toBe(order);
};
const tile = (at: number, on = page) => on.locator(`[data-part=tile-link][data-id="${ids[at]}"]`);
const choose = async (name: string) => {
  await page.getByRole('button', { name: 'Order of the photos' }).click();
  await page.getByRole('menuitem', { name }).click();
};
/** A point of a picture, so far from its left edge. */
const getPoint = async (at: number, part: number, on = page) => {
  const box = (await tile(at, on).boundingBox())!;
  return { x: box.x + box.width * part, y: box.y + box.height / 2 };
};

step('an album is shown by hand, without months', async () => {
  await pictures(page, 5);
  await page.waitForLoadState('networkidle');
  await choose('Manual');
  await page.getByText('Drag photos to move them').waitFor();
  await eventually(readPage).toBe('01234');
  expect(await page.getByRole('heading', { name: 'May 2024' }).count()).toBe(0);
  expect(await listFaultsOfLooks(page)).toEqual([]);
});

step('a picture is dragged to another place', async () => {
  const [from, to] = [await getPoint(0, 0.5), await getPoint(2, 0.9)];
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.mouse.move(to.x, to.y, { steps: 5 });
  await page.getByText('1 item', { exact: true }).waitFor();
  await page.mouse.up();
  await expectOrder('12034');
  expect(new URL(page.url()).pathname).toBe(`/albums/${album}`);
});

step('Escape ends a drag, and nothing is moved', async () => {
  const [from, to] = [await getPoint(1, 0.5), await getPoint(4, 0.9)];
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.mouse.move(to.x, to.y, { steps: 5 });
  await page.keyboard.press('Escape');
  await page.mouse.up();
  await page.getByText('1 item', { exact: true }).waitFor({ state: 'detached' });
  await expectOrder('12034');
});

step('what is selected is moved together', async () => {
  for (const at of [1, 3]) await page.locator(`[data-check="${ids[at]}"]`).click({ force: true });
  const [from, to] = [await getPoint(3, 0.5), await getPoint(4, 0.9)];
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.mouse.move(to.x, to.y, { steps: 5 });
  await page.mouse.up();
  await expectOrder('20413');
  await page.keyboard.press('Escape');
});

step('keys move the picture with the focus, and say where to', async () => {
  await tile(1).focus();
  await page.keyboard.press('Alt+ArrowLeft');
  await expectOrder('20143');
  await page.getByRole('status').getByText('Moved to place 3').waitFor();
  // The request of the first takes longer than that of the second.
  const delay = async (route: Route) => {
    await Bun.sleep(1000);
    await route.continue();
  };
  await page.route('**/items/move', delay, { times: 1 });
  let answered = 0;
  page.on('response', (response) => {
    if (response.url().endsWith('/items/move')) answered += 1;
  });
  await page.keyboard.press('Alt+ArrowRight');
  await page.keyboard.press('Alt+ArrowRight');
  await eventually(async () => answered).toBe(2);
  await expectOrder('20431');
  await eventually(() => page.evaluate(() => document.activeElement?.getAttribute('data-id'))).toBe(
    ids[1]!,
  );
});

step('a list that was read before a move does not undo it', async () => {
  const { promise: isRead, resolve: setRead } = Promise.withResolvers<void>();
  const { promise: isMoved, resolve: setMoved } = Promise.withResolvers<void>();
  const hold = async (route: Route) => {
    const response = await route.fetch();
    setRead();
    await isMoved;
    await route.fulfill({ response });
  };
  await page.route(`**/albums/${album}/items?*`, hold, { times: 1 });
  await api('PATCH', `/albums/${album}`, { description: 'Read again' });
  await isRead;
  await tile(1).focus();
  await page.keyboard.press('Alt+ArrowLeft');
  await eventually(readPage).toBe('20413');
  const read = page.waitForResponse((response) => response.url().includes('/items?'));
  setMoved();
  await read;
  await page.waitForLoadState('networkidle');
  expect(await readPage()).toBe('20413');
  await page.keyboard.press('Alt+ArrowRight');
  await expectOrder('20431');
});

step('a finger moves a picture after a long press, and does not scroll meanwhile', async () => {
  const phone = await onPhone(stage, visitor);
  await phone.page.goto(`/albums/${album}`);
  await eventually(() => readPage(phone.page)).toBe('20431');
  // Parts of the head that are still loading move the photos below it.
  await pictures(phone.page, 5);
  await phone.page.waitForLoadState('networkidle');
  const [from, to] = [await getPoint(1, 0.5, phone.page), await getPoint(2, 0.1, phone.page)];
  const devtools = await phone.context.newCDPSession(phone.page);
  const touch = (type: 'touchStart' | 'touchMove', { x, y }: { x: number; y: number }) =>
    devtools.send('Input.dispatchTouchEvent', { type, touchPoints: [{ x, y }] });
  await touch('touchStart', from);
  await phone.page.getByText('1 item', { exact: true }).waitFor();
  await touch('touchMove', { x: from.x - 20, y: from.y });
  await touch('touchMove', to);
  await devtools.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
  await eventually(() => readPage(phone.page)).toBe('12043');
  await expectOrder('12043');
  await leavePhone(phone);
});

step('the viewer goes through the album in this order', async () => {
  await tile(1).click();
  await viewerOpened(page);
  for (const at of [2, 0]) {
    await page.keyboard.press('ArrowRight');
    await page.waitForURL(`**/albums/${album}/photos/${ids[at]}`);
  }
  await page.keyboard.press('Escape');
  await page.waitForURL(`**/albums/${album}`);
});

step('a guest sees the same order', async () => {
  const link = await api('POST', '/shared-links', { type: 'ALBUM', albumId: album });
  const guest = await visit(stage.browser, stage.server.url);
  await guest.page.goto(`/share/${link.key}`);
  await eventually(() => readPage(guest.page)).toBe('12043');
  expect(await guest.page.getByText('Drag photos to move them').count()).toBe(0);
  expect(await listFaultsOfLooks(guest.page)).toEqual([]);
  expect(guest.problems).toEqual([]);
});

step('by date it is as before', async () => {
  await choose('Newest first');
  await page.getByRole('heading', { name: 'May 2024' }).first().waitFor();
  await eventually(readPage).toBe('01234');
});

step('the oldest comes first, for everybody, in months and in the viewer too', async () => {
  const [older] = await stage.add([photo('6.jpg', '2023:02:09 12:00:00')]);
  await api('PUT', `/albums/${album}/assets`, { ids: [older] });
  ids.push(older!);
  await eventually(readPage).toBe('012345');
  await choose('Oldest first');
  await eventually(readPage).toBe('543210');
  const names = await page
    .locator('[data-part=timeline-body]')
    .getByRole('heading')
    .allInnerTexts();
  expect(names.filter((name) => /^\w+ \d{4}$/.test(name))).toEqual(['February 2023', 'May 2024']);
  expect(await listFaultsOfLooks(page)).toEqual([]);

  await tile(5).click();
  await viewerOpened(page);
  for (const at of [4, 3]) {
    await page.keyboard.press('ArrowRight');
    await page.waitForURL(`**/albums/${album}/photos/${ids[at]}`);
  }
  await page.keyboard.press('Escape');
  await eventually(readPage).toBe('543210');

  const link = await api('POST', '/shared-links', { type: 'ALBUM', albumId: album });
  const guest = await visit(stage.browser, stage.server.url);
  await guest.page.goto(`/share/${link.key}`);
  await eventually(() => readPage(guest.page)).toBe('543210');
  expect(guest.problems).toEqual([]);
});
