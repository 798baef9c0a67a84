import { afterAll, beforeAll, expect } from 'bun:test';
import { effort } from '../support/effort.ts';
import { journey } from '../support/journey.ts';
import { photo, type Visitor } from './browser.ts';
import { eventually } from './eventually.ts';
import { addManyPhotos } from './large-library.ts';
import { readShifts, watchShifts } from './layout-shifts.ts';
import { PHONE } from './people.ts';
import { until } from './server.ts';
import { enter, openOwnStage, type Stage } from './stage.ts';

// A large library in a real browser. Times are printed and not asserted.

const PHOTOS = effort({ quick: 5000, full: 100_000 });
/** Between two photos: they are of a year at least. */
const MINUTES = effort({ quick: 120, full: 40 });
/** At each speed. */
const FRAMES = effort({ quick: 10, full: 90 });
const TIMEOUT_MS = 300_000;

let stage: Stage;
let visitor: Visitor;

beforeAll(async () => {
  // So many photos would slow down the tests of others.
  stage = await openOwnStage();
  await addManyPhotos(stage, { photos: PHOTOS, minutes: MINUTES });
  visitor = await enter(stage, { viewport: { width: 1440, height: 900 } });
  await visitor.page.locator('[data-part=tile] img[data-loaded]').first().waitFor();
}, TIMEOUT_MS);

afterAll(() => stage?.close(), TIMEOUT_MS);

type Frames = { p50: number; p95: number; longest: number; tiles: number };

/** Scrolls by so many pixels in every frame, as a wheel or a finger would. */
const scroll = (pixels: number, frames: number): Promise<Frames> =>
  visitor.page.evaluate(
    async ([by, count]) => {
      const element = document.querySelector('.timeline-scroll')!;
      const times: number[] = [];
      let tiles = 0;
      await new Promise<void>((done) => {
        let last = performance.now();
        const frame = (now: number) => {
          times.push(now - last);
          last = now;
          element.scrollTop += by;
          tiles = Math.max(tiles, document.querySelectorAll('[data-part=tile]').length);
          if (times.length < count) requestAnimationFrame(frame);
          else done();
        };
        requestAnimationFrame(frame);
      });
      const sorted = times.slice(1).sort((a, b) => a - b);
      const at = (part: number) => Math.round(sorted[Math.floor(sorted.length * part)]! * 10) / 10;
      return { p50: at(0.5), p95: at(0.95), longest: at(0.999), tiles };
    },
    [pixels, frames] as const,
  );

const { step } = journey('a large library is scrolled', TIMEOUT_MS);

step(
  'what is seen first is not moved by what is loaded after it',
  async () => {
    for (const options of [{ viewport: { width: 1440, height: 900 } }, PHONE]) {
      const fresh = await enter(stage, { ...options, at: '/login' });
      await watchShifts(fresh.context);
      const { page } = fresh;
      await page.goto('/photos');
      await page.locator('[data-part=tile] img[data-loaded]').first().waitFor();
      await page.locator('[data-part=day]').first().waitFor();
      await page.waitForLoadState('networkidle');
      expect(await readShifts(page)).toEqual([]);
      await fresh.context.close();
    }
  },
  TIMEOUT_MS,
);

step(
  'scrolling through a large library keeps few tiles in the page at any speed',
  async () => {
    const table: Record<string, Frames> = {};
    for (const pixels of [20, 60, 150, 600, 20_000]) {
      table[`${pixels} px a frame`] = await scroll(pixels, FRAMES);
    }
    console.table(table);
    for (const { tiles } of Object.values(table)) expect(tiles).toBeLessThan(200);
  },
  TIMEOUT_MS,
);

step(
  'the scrubber jumps to any month, and its photos appear',
  async () => {
    const { page } = visitor;
    const slider = page.getByRole('slider', { name: 'Date' });
    await slider.focus();
    await page.keyboard.press('Home');
    await page.waitForFunction(
      () => document.querySelector('[data-part=scrubber]')?.ariaValueText === 'June 2026',
    );
    await page.keyboard.press('PageDown');
    await page.waitForFunction(
      () => document.querySelector('[data-part=scrubber]')?.ariaValueText === 'June 2025',
    );
    const box = (await slider.boundingBox())!;
    await page.mouse.move(box.x + 20, box.y + 20);
    await page.mouse.down();
    await page.mouse.move(box.x + 20, box.y + box.height / 2, { steps: 10 });
    await page.mouse.up();
    await until('the month of the slider', async () => {
      const name = (await slider.getAttribute('aria-valuetext'))!;
      return page.getByRole('heading', { name, exact: true }).isVisible();
    });
    await page.locator('[data-part=tile] img[data-loaded]').first().waitFor();
    // A press does not give it the keys.
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  },
  TIMEOUT_MS,
);

step(
  'the visible photos keep their position when a newer photo arrives',
  async () => {
    const { page } = visitor;
    const topTile = () =>
      page.evaluate(() => {
        for (let y = 100; y < 800; y += 20) {
          const tile = document
            .elementsFromPoint(700, y)
            .find((element) => element.matches('[data-part=tile-link]'));
          if (tile instanceof HTMLElement)
            return { id: tile.dataset['id'], top: Math.round(tile.getBoundingClientRect().top) };
        }
        return undefined;
      });
    await until('a tile', async () => (await topTile()) !== undefined);
    const before = await topTile();
    const count = () =>
      page.evaluate(() => document.querySelector('[data-part=timeline-body]')!.clientHeight);
    const height = await count();
    await page
      .locator('input[type=file]')
      .first()
      .setInputFiles([await photo('new.jpg', '2026:08:01 12:00:00')]);
    await until('a longer timeline', async () => (await count()) > height);
    await eventually(topTile).toEqual(before);
    expect(visitor.problems).toEqual([]);
  },
  TIMEOUT_MS,
);
