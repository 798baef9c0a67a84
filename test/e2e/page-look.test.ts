import { afterAll, beforeAll, expect, test } from 'bun:test';
import { STEPS } from '../../src/web/pages/setup/steps.ts';
import { createSeededRandom, effort } from '../support/effort.ts';
import { follow, furnish, walk } from './every-page.ts';
import { listFaults, listFaultsOfLooks } from './faults.ts';
import { enter, openStage, type Stage, TIMEOUT_MS } from './stage.ts';

// Every page in light and in dark: in a quick run, each in the other one than the page before it.

let stage: Stage;
let paths: string[];

beforeAll(async () => {
  stage = await openStage();
  paths = await furnish(stage);
}, TIMEOUT_MS);

afterAll(() => stage?.close(), TIMEOUT_MS);

test(
  'every page is readable and operable in light or dark',
  async () => {
    const { page, problems } = await enter(stage, { reducedMotion: 'reduce' });
    const faults: string[] = [];
    const schemes: ('light' | 'dark')[] = ['light', 'dark'];
    if (createSeededRandom('schemes').below(2) === 0) schemes.reverse();
    const count = effort({ quick: 1, full: schemes.length });
    const seen = new Set<string>();
    await walk(page, paths, async (path) => {
      expect(await page.title()).not.toBe('Safelight');
      seen.add(`${await page.title()}: ${await page.locator('h1').first().textContent()}`);
      for (const colorScheme of schemes.slice(0, count)) {
        await page.emulateMedia({ colorScheme });
        const found = await listFaults(page);
        faults.push(...found.map((fault) => `${path}, ${colorScheme}: ${fault}`));
      }
      schemes.reverse();
    });
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

/** Returns the patterns of the routes in this source, in their order. */
const readRoutes = async (source: string): Promise<string[]> => {
  const text = await Bun.file(new URL(`../../src/web/${source}`, import.meta.url)).text();
  const found = [...text.matchAll(/<Route path=["{`]+([^"`]+)|^ {2}\['(\/[^']+)'/gm)];
  return found.map(([, route, ofList]) => route ?? ofList!);
};

/** Parts of a route that end with a question mark, as in /people/:personId/:photos?/:id?, may be left out. */
const toPattern = (route: string): RegExp =>
  new RegExp(`^${route.replace(/\/:\w+\?/g, '(?:/[^/]+)?').replace(/:\w+/g, '[^/]+')}$`);

test('every route of the page is among those that are looked at', async () => {
  const routes = await readRoutes('app.tsx');
  expect(routes).toContain('/map/:photos?/:id?');
  expect(routes).toContain('/admin/about');
  const left = new Set(routes);
  // As the page chooses: of routes for one address, the first.
  for (const path of paths) {
    const [address] = path.split('?');
    left.delete(routes.find((route) => toPattern(route).test(address!)) ?? '');
  }
  expect([...left]).toEqual([]);
  for (const { id } of STEPS) expect(paths).toContain(`/setup/${id}`);
});

test(
  'what is hidden or has expired is muted, but has enough contrast',
  async () => {
    const { page, problems } = await enter(stage, { at: '/links', reducedMotion: 'reduce' });
    const links = page.getByRole('list', { name: 'Links' }).getByRole('listitem');
    const readColor = (text: string) =>
      links.filter({ hasText: text }).evaluate((element) => getComputedStyle(element).color);
    expect(await readColor('Expired')).not.toBe(await readColor('/s/japan'));
    expect(await listFaultsOfLooks(page)).toEqual([]);
    await follow(page, '/people');
    const people = page.locator('[data-part=face-grid]').getByRole('link');
    await people.filter({ hasText: 'Benjamin' }).waitFor();
    expect(await people.filter({ hasText: 'Hidden Person' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Show hidden people' }).click();
    await people.filter({ hasText: 'Hidden Person' }).waitFor();
    expect(await listFaultsOfLooks(page)).toEqual([]);
    expect(problems).toEqual([]);
  },
  TIMEOUT_MS,
);
