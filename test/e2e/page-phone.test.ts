import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { follow, furnish, watchLoading } from './every-page.ts';
import { listFaults } from './faults.ts';
import { getPageWidth, PHONE } from './people.ts';
import { enter, openStage, type Stage, TIMEOUT_MS } from './stage.ts';

// Every page on a phone.

let stage: Stage;
let paths: string[];

beforeAll(async () => {
  stage = await openStage();
  paths = await furnish(stage);
}, TIMEOUT_MS);

afterAll(() => stage?.close(), TIMEOUT_MS);

test(
  'every page is readable and operable on a phone, and fits it',
  async () => {
    const { page, problems } = await enter(stage, { ...PHONE, reducedMotion: 'reduce' });
    const loaded = watchLoading(page);
    const faults: string[] = [];
    for (const path of paths) {
      await follow(page, path);
      await page.locator('h1').first().waitFor({ state: 'attached' });
      await loaded();
      faults.push(...(await listFaults(page)).map((fault) => `${path}: ${fault}`));
      // The viewer covers the whole page.
      const covered = path.startsWith('/photos/') ? [] : await listCoveredEntries(page);
      for (const name of covered) faults.push(`${path}: “${name}” of the navigation is covered`);
      const width = await getPageWidth(page);
      if (width !== PHONE.viewport.width) faults.push(`${path}: ${width} px wide`);
    }
    expect(faults).toEqual([]);
    expect(problems).toEqual([]);
  },
  TIMEOUT_MS,
);

/** Returns the entries of the navigation at the bottom that a finger would not reach. */
const listCoveredEntries = (page: Page): Promise<string[]> =>
  page.evaluate(() =>
    [...document.querySelectorAll('.side a, .side button')]
      .filter((entry) => {
        const { x, y, width, height } = entry.getBoundingClientRect();
        const [left, top] = [x + width / 2, y + height / 2];
        const isShown = width > 0 && left < innerWidth && top > 0;
        return isShown && !entry.contains(document.elementFromPoint(left, top));
      })
      .map((entry) => entry.textContent ?? ''),
  );
