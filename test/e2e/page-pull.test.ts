import { afterAll, beforeAll, expect } from 'bun:test';
import type { CDPSession, Page } from 'playwright-core';
import { journey } from '../support/journey.ts';
import { photo, type Visitor } from './browser.ts';
import { eventually } from './eventually.ts';
import { listFaults } from './faults.ts';
import { PHONE, viewerOpened } from './people.ts';
import { enter, openStage, type Stage, TIMEOUT_MS } from './stage.ts';

// Pulling a page down with a finger, which refreshes what it shows.

const COUNT = 24;
/** Long enough for a pull, in px. */
const FAR = 160;

let stage: Stage;
let visitor: Visitor;
let page: Page;
let devtools: CDPSession;
const asked: string[] = [];

beforeAll(async () => {
  stage = await openStage();
  const taken = (at: number) => `2024:05:${String(at + 1).padStart(2, '0')} 12:00:00`;
  const ids = await stage.add(
    Array.from({ length: COUNT }, (_, at) => photo(`${at}.jpg`, taken(at))),
  );
  await stage.api('POST', '/albums', { albumName: 'May', assetIds: ids });
  visitor = await enter(stage, {
    ...PHONE,
    viewport: { width: 390, height: 480 },
    reducedMotion: 'no-preference',
    at: '/photos',
  });
  ({ page } = visitor);
  page.on('request', (request) => asked.push(new URL(request.url()).pathname));
  devtools = await visitor.context.newCDPSession(page);
}, TIMEOUT_MS);

afterAll(async () => {
  expect(visitor.problems).toEqual([]);
  await stage?.close();
}, TIMEOUT_MS);

type Point = { x: number; y: number };
const TOP: Point = { x: 150, y: 160 };
const below = ({ x, y }: Point, by: number): Point => ({ x, y: y + by });

const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', ...touchPoints: Point[]) =>
  devtools.send('Input.dispatchTouchEvent', { type, touchPoints });

async function drag(from: Point, to: Point): Promise<void> {
  const steps = 8;
  for (let step = 1; step <= steps; step++) {
    const part = step / steps;
    const [x, y] = [from.x + (to.x - from.x) * part, from.y + (to.y - from.y) * part];
    await touch('touchMove', { x, y });
  }
}

async function swipe(from: Point, to: Point): Promise<void> {
  await touch('touchStart', from);
  await drag(from, to);
  await touch('touchEnd');
}

const badge = () => page.locator('[data-part=pull]');
const readBadge = () => badge().evaluate(({ style }) => style.opacity);
const settled = () => page.locator('#content > [role=status]').textContent();

const readRole = (at: Point) =>
  page.evaluate(({ x, y }) => document.elementFromPoint(x, y)?.closest('[role]')?.role, at);

/** Waits until nothing has been asked for in a while, and forgets what was. */
async function rest(): Promise<void> {
  await page.waitForLoadState('networkidle');
  asked.length = 0;
}

/** Expects that a gesture shows no badge and asks for nothing: what it would ask for is asked for by the next pull. */
async function expectNoPull(gesture: () => Promise<void>): Promise<void> {
  await rest();
  await gesture();
  expect(await readBadge()).toBe('0');
  expect(asked.filter((path) => path.startsWith('/api/timeline/buckets'))).toEqual([]);
}

/** Opens the page anew: a fling of the gesture before may still be under way. */
async function reopen(path = '/photos'): Promise<void> {
  await page.goto(path);
  await badge().waitFor({ state: 'attached' });
}

const { step } = journey('a finger pulls a page down', TIMEOUT_MS);

step('the timeline is asked for again, said politely, and nothing on it moves', async () => {
  await page.waitForFunction(() => document.querySelectorAll('[data-part=tile]').length > 5);
  await badge().waitFor({ state: 'attached' });
  expect(await page.evaluate(() => getComputedStyle(document.body).overscrollBehaviorY)).toBe(
    'contain',
  );
  await rest();
  const tile = page.locator('[data-part=tile]').first();
  const before = await tile.boundingBox();
  await touch('touchStart', TOP);
  await drag(TOP, below(TOP, FAR));
  await eventually(readBadge).toBe('1');
  expect(await tile.boundingBox()).toEqual(before);
  expect(asked).toEqual([]);
  await touch('touchEnd');
  await eventually(settled).toBe('Updated');
  expect(asked).toContain('/api/timeline/buckets');
  await eventually(readBadge).toBe('0');
  expect(await tile.boundingBox()).toEqual(before);
  expect(await listFaults(page)).toEqual([]);
});

step('a finger that comes back, or goes aside or up first, pulls nothing', async () => {
  await expectNoPull(async () => {
    await touch('touchStart', TOP);
    await drag(TOP, below(TOP, FAR));
    await drag(below(TOP, FAR), below(TOP, 5));
    await touch('touchEnd');
  });
  await expectNoPull(() => swipe(TOP, { x: TOP.x + 120, y: TOP.y + 60 }));
  await expectNoPull(() => swipe(below(TOP, 20), TOP));
});

step('where the page is scrolled, a finger scrolls it', async () => {
  const scroller = page.locator('.timeline-scroll');
  await scroller.evaluate((element) => (element.scrollTop = 400));
  await expectNoPull(() => swipe(TOP, below(TOP, FAR)));
  await eventually(() => scroller.evaluate((element) => element.scrollTop < 400)).toBe(true);
  await scroller.evaluate((element) => (element.scrollTop = 0));
});

step('a selection by dragging goes down without a pull', async () => {
  await reopen();
  await page.locator('[data-part=tile] img[data-loaded]').first().waitFor();
  const box = (await page.locator('[data-part=tile]').first().boundingBox())!;
  const from = { x: box.x + 40, y: box.y + 40 };
  await expectNoPull(async () => {
    await touch('touchStart', from);
    await page.locator('[data-part=tile][data-chosen]').first().waitFor();
    await drag(from, below(from, FAR));
    await touch('touchEnd');
  });
  expect(await page.locator('[data-part=tile][data-chosen]').count()).toBeGreaterThan(1);
  await page.keyboard.press('Escape');
});

step('dragging the scrubber pulls nothing', async () => {
  await reopen();
  await page.locator('[data-part=tile] img[data-loaded]').first().waitFor();
  await expectNoPull(async () => {
    let from = TOP;
    // A phone shows the scrubber while the timeline moves, and for a moment after.
    await eventually(async () => {
      await page.locator('.timeline-scroll').evaluate(async (element) => {
        element.scrollTop = 1;
        await new Promise(requestAnimationFrame);
        element.scrollTop = 0;
      });
      const box = (await page.locator('[role=slider]').first().boundingBox())!;
      from = { x: box.x + box.width / 2, y: box.y + 4 };
      return readRole(from);
    }).toBe('slider');
    await swipe(from, below(from, FAR));
  });
});

step('the viewer closes by a swipe down, without a pull', async () => {
  await reopen();
  await page.locator('[data-part=tile] img[data-loaded]').first().tap();
  await viewerOpened(page);
  await expectNoPull(() => swipe(TOP, below(TOP, 250)));
  await page.getByRole('dialog', { name: 'Photo viewer' }).waitFor({ state: 'detached' });
});

step('the list of albums is asked for again, too', async () => {
  await reopen('/albums');
  await page.getByText('May', { exact: true }).first().waitFor();
  await rest();
  await swipe(TOP, below(TOP, FAR));
  await eventually(settled).toBe('Updated');
  expect(asked).toContain('/api/albums');
});

step('no listener of it lets scrolling wait', async () => {
  const { result } = await devtools.send('Runtime.evaluate', {
    expression: `document.querySelector('#content')`,
  });
  const { listeners } = await devtools.send('DOMDebugger.getEventListeners', {
    objectId: result.objectId!,
  });
  const touches = listeners.filter(({ type }) => type.startsWith('touch'));
  expect(touches.map(({ type, passive }) => `${type} ${passive}`).toSorted()).toEqual([
    'touchcancel true',
    'touchend true',
    'touchmove true',
    'touchstart true',
  ]);
});

step('a window without a finger has no such thing', async () => {
  const desktop = await enter(stage, { at: '/photos' });
  await desktop.page.locator('[data-part=tile] img[data-loaded]').first().waitFor();
  await desktop.page.waitForLoadState('networkidle');
  expect(await desktop.page.locator('[data-part=pull]').count()).toBe(0);
  expect(desktop.problems).toEqual([]);
  await desktop.context.close();
});
