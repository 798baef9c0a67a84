import { afterAll, beforeAll, expect, test } from 'bun:test';
import { STEPS } from '../../src/web/pages/setup/steps.ts';
import { createSeededRandom, effort } from '../support/effort.ts';
import type { Page } from 'playwright-core';
import { listCutTexts } from './cut-texts.ts';
import { follow, furnish, walk } from './every-page.ts';
import { listFaults, listFaultsOfLooks, SIZES } from './faults.ts';
import { getPageWidth, PHONE } from './people.ts';
import { enter, openStage, type Stage, TIMEOUT_MS } from './stage.ts';

// Every page on a desktop and on a phone, in light and dark, in English and German, whose words are long: in a quick run
// once on a desktop and once on a phone, each in one of the languages, and in the other theme than the page before it.

let stage: Stage;
let paths: string[];

beforeAll(async () => {
  stage = await openStage();
  paths = await furnish(stage);
}, TIMEOUT_MS);

afterAll(() => stage?.close(), TIMEOUT_MS);

const [DESKTOP, UPRIGHT, SIDEWAYS] = SIZES;

const random = createSeededRandom('looks');
const [one, other] = random.below(2) === 0 ? ['en-GB', 'de-DE'] : ['de-DE', 'en-GB'];
const windows = [
  { viewport: DESKTOP, locale: one! },
  { viewport: UPRIGHT, locale: other! },
  { viewport: DESKTOP, locale: other! },
  { viewport: UPRIGHT, locale: one! },
  { viewport: SIDEWAYS, locale: 'de-DE' },
];

test.each(windows.slice(0, effort({ quick: 2, full: windows.length })))(
  'every page is readable and operable in $locale at $viewport.width by $viewport.height px, and fits it',
  async ({ viewport, locale }) => {
    const isTouch = viewport !== DESKTOP;
    const { page, problems } = await enter(stage, {
      ...(isTouch && PHONE),
      viewport,
      locale,
      reducedMotion: 'reduce',
    });
    const faults: string[] = [];
    const schemes: ('light' | 'dark')[] = ['light', 'dark'];
    if (random.below(2) === 0) schemes.reverse();
    const count = effort({ quick: 1, full: schemes.length });
    const seen = new Set<string>();
    await walk(page, paths, async (path) => {
      expect(await page.title()).not.toBe('Safelight');
      expect(await page.locator('html').getAttribute('lang')).toBe(locale.slice(0, 2));
      seen.add(`${await page.title()}: ${await page.locator('h1').first().textContent()}`);
      for (const colorScheme of schemes.slice(0, count)) {
        await page.emulateMedia({ colorScheme });
        const found = await listFaults(page);
        faults.push(...found.map((fault) => `${path}, ${colorScheme}: ${fault}`));
      }
      schemes.reverse();
      const found = await listCutTexts(page);
      if (isTouch) found.push(...(await listFaultsOfTouch(page, path)));
      const width = await getPageWidth(page);
      if (width !== viewport.width) found.push(`${width} px wide`);
      faults.push(...found.map((fault) => `${path}: ${fault}`));
    });
    // The viewer is seen over the timeline, and a link shows the album.
    expect(seen.size).toBe(paths.length - 2);
    expect(faults).toEqual([]);
    expect(problems).toEqual([]);
  },
  TIMEOUT_MS,
);

/** Returns what a finger would not reach or is too small for one. */
async function listFaultsOfTouch(page: Page, path: string): Promise<string[]> {
  // The viewer and the player of memories cover the whole page.
  const covered = /^\/(?:photos|memories)\//.test(path) ? [] : await listCoveredEntries(page);
  const small = await listSmallTargets(page);
  return [
    ...covered.map((name) => `“${name}” of the navigation is covered`),
    ...small.map((target) => `${target} is small`),
  ];
}

/** Returns the entries of the navigation at the bottom that a finger would not reach. */
const listCoveredEntries = (page: Page): Promise<string[]> =>
  page.evaluate(() =>
    [...document.querySelectorAll('.side a, .side button')]
      .filter((entry) => {
        const { x, y, width, height } = entry.getBoundingClientRect();
        const [left, top] = [x + width / 2, y + height / 2];
        const isVisible = entry.checkVisibility({ visibilityProperty: true });
        const isShown = isVisible && width > 0 && left < innerWidth && top > 0;
        return isShown && !entry.contains(document.elementFromPoint(left, top));
      })
      .map((entry) => entry.textContent ?? ''),
  );

/** Least size of what a finger touches, in px (WCAG 2.2, 2.5.5). */
const TARGET = 44;

/**
 * Returns what is touched and smaller than a finger needs. A label is part of its field; not meant are links in a text,
 * sliders that are dragged along their length, check marks of pictures, which a long press sets too, and the viewer's bar.
 */
const listSmallTargets = (page: Page): Promise<string[]> =>
  page.evaluate((least) => {
    const selector = 'a[href], button, input, select, textarea, summary';
    const exceptions = '[role=slider], [role=checkbox], .yarl__root *';
    return [...document.querySelectorAll<HTMLElement>(selector)]
      .filter(
        (target) =>
          !target.matches(exceptions) &&
          target.checkVisibility() &&
          getComputedStyle(target).display !== 'inline',
      )
      .flatMap((target) => {
        const { width, height } = (target.closest('label') ?? target).getBoundingClientRect();
        const isSmall = Math.min(width, height) < least - 0.5 && width > 1;
        const name = target.ariaLabel ?? target.textContent;
        return isSmall ? [`“${name}” of ${Math.round(width)}×${Math.round(height)}`] : [];
      });
  }, TARGET);

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
    // A page whose code is there already.
    for (const path of ['/backup', '/photos', '/backup']) {
      await follow(page, path);
      await page.locator('h1').first().waitFor();
    }
    await page.getByRole('heading', { name: 'Backup devices', level: 1 }).waitFor();
    expect(await page.title()).toBe('Backup devices · Safelight');
    expect(problems).toEqual([]);
  },
  TIMEOUT_MS,
);
