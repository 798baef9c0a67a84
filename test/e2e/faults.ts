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
  const { headings, tooWide } = await page.evaluate(async () => {
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
      tooWide: document.documentElement.scrollWidth - innerWidth,
    };
  });
  return [
    ...(await findViolations(page)),
    ...(headings === 1 ? [] : [`${headings} main headings`]),
    ...(tooWide > 0 ? [`${tooWide} pixels too wide`] : []),
  ];
}

const DESKTOP = { width: 1440, height: 900 };
const THEMES = ['dark', 'light'] as const;

/**
 * Returns the faults of what the page shows, on a desktop and a phone, in light and in dark: in a quick run, each
 * size in one theme that follows the seed and the title.
 */
export async function listFaultsOfLooks(page: Page): Promise<string[]> {
  const faults: string[] = [];
  const before = page.viewportSize();
  const turn = createSeededRandom(await page.title()).below(THEMES.length);
  const count = effort({ quick: 1, full: THEMES.length });
  for (const [at, size] of [PHONE.viewport, DESKTOP].entries()) {
    await page.setViewportSize(size);
    for (let theme = 0; theme < count; theme++) {
      const colorScheme = THEMES[(at + turn + theme) % THEMES.length]!;
      await page.emulateMedia({ colorScheme });
      const found = await listFaults(page);
      faults.push(...found.map((fault) => `${size.width} px, ${colorScheme}: ${fault}`));
    }
  }
  if (before) await page.setViewportSize(before);
  return faults;
}

/** Runs every rule of axe, also its best practices. */
async function findViolations(page: Page): Promise<string[]> {
  const isLoaded = await page.evaluate(() => 'axe' in window);
  if (!isLoaded) await page.evaluate(axe.source);
  const violations = await page.evaluate(async () => {
    const { axe: loaded } = window as unknown as { axe: typeof axe };
    return (await loaded.run(document, { resultTypes: ['violations'] })).violations;
  });
  return violations.flatMap(({ id, nodes }) =>
    nodes
      .slice(0, MOST_LISTED)
      .map(({ html, any, all, none }) =>
        [id, ...[...any, ...all, ...none].map(({ message }) => message), html.slice(0, 200)].join(
          ': ',
        ),
      ),
  );
}
