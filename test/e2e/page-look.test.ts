import { afterAll, beforeAll, expect, test } from 'bun:test';
import { follow, furnish, watchLoading } from './every-page.ts';
import { listFaults } from './faults.ts';
import { enter, openStage, type Stage, TIMEOUT_MS } from './stage.ts';

// Every page in light and in dark.

let stage: Stage;
let paths: string[];

beforeAll(async () => {
  stage = await openStage();
  paths = await furnish(stage);
}, TIMEOUT_MS);

afterAll(() => stage?.close(), TIMEOUT_MS);

test(
  'every page is readable and operable in light and in dark',
  async () => {
    const { page, problems } = await enter(stage, { reducedMotion: 'reduce' });
    const loaded = watchLoading(page);
    const faults: string[] = [];
    const schemes = ['light', 'dark'] as ('light' | 'dark')[];
    const seen = new Set<string>();
    for (const path of paths) {
      await follow(page, path);
      const heading = page.locator('h1').first();
      await heading.waitFor({ state: 'attached' });
      await loaded();
      expect(await page.title()).not.toBe('Safelight');
      seen.add(`${await page.title()}: ${await heading.textContent()}`);
      for (const colorScheme of schemes) {
        await page.emulateMedia({ colorScheme });
        const found = await listFaults(page);
        faults.push(...found.map((fault) => `${path}, ${colorScheme}: ${fault}`));
      }
      // The next page begins in the scheme that this one ends in.
      schemes.reverse();
    }
    // Also when its code is there already.
    await page.goto('/backup');
    for (const path of ['/photos', '/backup']) {
      await page.locator('h1').first().waitFor();
      await follow(page, path);
    }
    await page.getByRole('heading', { name: 'Backup devices', level: 1 }).waitFor();
    expect(await page.title()).toBe('Backup devices · Safelight');
    // The viewer is seen over the timeline, and a link shows the album.
    expect(seen.size).toBe(paths.length - 2);
    expect(faults).toEqual([]);
    expect(problems).toEqual([]);
  },
  TIMEOUT_MS,
);
