import { afterEach, beforeEach, expect } from 'bun:test';
import type { Page } from 'playwright-core';
import { journey } from '../support/journey.ts';
import { eventually } from './eventually.ts';
import { listFaultsOfLooks } from './faults.ts';
import { hasRow, type MemoryStage, openMemoryStage, row } from './memories.ts';
import { pictures } from './people.ts';
import { enter, TIMEOUT_MS } from './stage.ts';
import { routeUntil } from './routes.ts';

// Memories above the timeline, in a real browser.

let world: MemoryStage;
let page: Page;

beforeEach(async () => {
  world = await openMemoryStage();
  ({ page } = world);
}, TIMEOUT_MS);

afterEach(async () => {
  expect(world.ada.problems).toEqual([]);
  await world.stage.close();
}, TIMEOUT_MS);

const prefer = (memories: object) => world.api('PUT', '/users/me/preferences', { memories });

/**
 * Loads the timeline, and its memories after the pictures; `isLate`: after these are shown without. Returns the
 * cumulative layout shift.
 */
async function measureShift({ isLate = false } = {}): Promise<number> {
  const loaded = Promise.withResolvers<void>();
  const end = await routeUntil(page, '**/api/memories?*', async (route) => {
    await loaded.promise;
    await route.continue();
  });
  await page.reload();
  await pictures(page, 5);
  if (isLate) await page.locator('[data-part=tile]:visible').first().waitFor();
  loaded.resolve();
  await row(page).waitFor();
  end();
  await page.evaluate(async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    requestAnimationFrame(() => requestAnimationFrame(() => resolve()));
    await promise;
  });
  return getShift();
}
const getShift = () => page.evaluate(() => (window as unknown as { shift: number }).shift);

const { step } = journey('the row of memories above the timeline', TIMEOUT_MS);

step('has the memories of today, unseen ones marked, and nothing else', async () => {
  await hasRow(page, ['New: Spring walk', 'New: A trip', 'New: A film']);
  expect(await listFaultsOfLooks(page)).toEqual([]);
});

step('follows what the server makes and what other devices change, without a reload', async () => {
  const made = await world.add('Of the night', world.ids.slice(1, 2));
  await row(page).getByRole('link', { name: 'Of the night' }).waitFor();
  await world.api('PUT', `/memories/${made}`, { name: 'Renamed' });
  await row(page).getByRole('link', { name: 'Renamed' }).waitFor();
  await world.api('PUT', `/memories/${made}`, { isHidden: true });
  await hasRow(page, ['New: Spring walk', 'New: A trip', 'New: A film']);
  await world.api('DELETE', `/memories/${made}`);
});

step('does not move the photos down when it is loaded, unless it comes late', async () => {
  await page.addInitScript(() => {
    const counter = window as unknown as { shift: number };
    counter.shift = 0;
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) {
        counter.shift += (entry as unknown as { value: number }).value;
      }
    }).observe({ type: 'layout-shift', buffered: true });
  });
  // On a busy machine what is not late for the test may be late for the page.
  await eventually(measureShift).toBeLessThan(0.01);
  const forget = () => page.evaluate(() => localStorage.removeItem('safelight.memory-row'));
  await eventually(async () => {
    await forget();
    return measureShift();
  }).toBeLessThan(0.01);
  // The photos do not wait for ever: what comes later moves them, which the observer tells.
  await forget();
  await measureShift({ isLate: true });
  await eventually(getShift).toBeGreaterThan(0.1);
});

step('is hidden while memories are off, and for an account without any', async () => {
  await prefer({ enabled: false });
  await page.reload();
  await pictures(page, 5);
  await eventually(() => row(page).count()).toBe(0);
  await prefer({ enabled: true });
  const bob = await enter(world.stage, { as: world.bob });
  await bob.page.getByRole('heading', { name: 'No photos yet' }).waitFor();
  await eventually(() => row(bob.page).count()).toBe(0);
  expect(bob.problems).toEqual([]);
  await bob.context.close();
  await page.reload();
  await row(page).waitFor();
});
