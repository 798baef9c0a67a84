import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { createSeededRandom, effort } from '../support/effort.ts';
import { PHONE } from './people.ts';

/** The places that are listed of a rule that is broken in many. */
const MOST_LISTED = 5;

/** Faults that pass within this time are of a change, such as a toast that goes; long, for a busy machine. */
const PASSING_MS = 30_000;

/** Returns the accessibility faults that axe finds in the page, and faults of its layout. */
export async function listFaults(page: Page, passingMs = PASSING_MS): Promise<string[]> {
  const end = Date.now() + passingMs;
  for (;;) {
    const faults = await readFaults(page);
    if (faults.length === 0 || Date.now() > end) return faults;
    await Bun.sleep(100);
  }
}

async function readFaults(page: Page): Promise<string[]> {
  const { headings, tooWide, bare } = await page.evaluate(async () => {
    // Colours between two themes are nobody's choice. The end of an animation may begin another.
    for (;;) {
      const finite = document
        .getAnimations()
        .filter(({ effect }) => effect?.getComputedTiming().endTime !== Infinity);
      const running = finite.filter(({ playState }) => playState === 'running');
      if (running.length === 0) break;
      await Promise.allSettled(running.map(({ finished }) => finished));
    }
    return {
      headings: document.querySelectorAll('h1').length,
      tooWide: [...document.querySelectorAll('html, main, .page, .timeline-scroll, dialog[open]')]
        .map((box) => [box.scrollWidth - box.clientWidth, `${box.localName}.${box.className}`])
        .filter(([pixels]) => Number(pixels) > 0)
        .map(([pixels, name]) => `${pixels} pixels too wide: ${name}`),
      // Chromium paints all of such a one for each frame of scrolling.
      bare: [...document.querySelectorAll('.page, .timeline-scroll')]
        .filter((box) => getComputedStyle(box).backgroundColor === 'rgba(0, 0, 0, 0)')
        .map((box) => `scrolls without a background: ${box.className}`),
    };
  });
  return [
    ...(await listViolations(page)),
    ...(headings === 1 ? [] : [`${headings} main headings`]),
    ...tooWide,
    ...bare,
  ];
}

/** A desktop, and a phone upright and on its side. */
export const SIZES = [
  { width: 1440, height: 900 },
  PHONE.viewport,
  { width: 844, height: 390 },
] as const;
const THEMES = ['dark', 'light'] as const;

/**
 * Returns the faults of what the page shows, in every size, in light and in dark: in a quick run, two of the sizes in
 * one theme each, which follow the seed and the title.
 */
export async function listFaultsOfLooks(page: Page): Promise<string[]> {
  const faults: string[] = [];
  const before = page.viewportSize();
  const random = createSeededRandom(await page.title());
  const turn = random.below(THEMES.length);
  const count = effort({ quick: 1, full: THEMES.length });
  const left = effort({ quick: random.below(SIZES.length), full: NaN });
  for (const [at, size] of SIZES.entries()) {
    if (at === left) continue;
    await page.setViewportSize(size);
    for (let theme = 0; theme < count; theme++) {
      const colorScheme = THEMES[(at + turn + theme) % THEMES.length]!;
      await page.emulateMedia({ colorScheme });
      const found = await listFaults(page);
      faults.push(
        ...found.map((fault) => `${size.width}×${size.height}, ${colorScheme}: ${fault}`),
      );
    }
  }
  if (before) await page.setViewportSize(before);
  return faults;
}

/** Blocks in the timeline of a film are as wide as they are long: sizes that are essential may be small. */
const IS_AS_LONG = /data-part="block"/;

/**
 * Runs every rule of axe, also its best practices, and the least size of what is touched (WCAG 2.2, 2.5.8), on all of the
 * page or on one element.
 */
export async function listViolations(page: Page, selector = 'html'): Promise<string[]> {
  const isLoaded = await page.evaluate(() => 'axe' in window);
  if (!isLoaded) await page.evaluate(axe.source);
  const violations = await page.evaluate(async (root) => {
    const { axe: loaded } = window as unknown as { axe: typeof axe };
    const rules = { 'target-size': { enabled: true } };
    return (await loaded.run(root, { resultTypes: ['violations'], rules })).violations;
  }, selector);
  return violations.flatMap(({ id, nodes }) =>
    nodes
      .filter(({ html }) => id !== 'target-size' || !IS_AS_LONG.test(html))
      .slice(0, MOST_LISTED)
      .map(({ html, any, all, none }) =>
        [id, ...[...any, ...all, ...none].map(({ message }) => message), html.slice(0, 200)].join(
          ': ',
        ),
      ),
  );
}

/** What is scrolled goes under the buttons of a dialog, which stay in view. */
export const isScrolledUnder = (fault: string): boolean => fault.includes('partially obscured');
