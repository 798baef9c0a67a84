import type { Page } from 'playwright-core';
import { namelessControls } from './browser.ts';
import { faintTexts } from './contrast.ts';

/** Returns the accessibility and layout faults of the page. */
export async function listFaults(page: Page): Promise<string[]> {
  const { headings, tooWide, same } = await page.evaluate(async () => {
    // Colours between two themes are nobody's choice.
    const finite = document
      .getAnimations()
      .filter(({ effect }) => effect?.getComputedTiming().endTime !== Infinity);
    await Promise.allSettled(finite.map(({ finished }) => finished));
    const ids = [...document.querySelectorAll('[id]')].map(({ id }) => id);
    return {
      headings: document.querySelectorAll('h1').length,
      tooWide: document.documentElement.scrollWidth - innerWidth,
      same: ids.filter((id, at) => ids.indexOf(id) !== at),
    };
  });
  return [
    ...(await faintTexts(page)).map((text) => `faint: ${text}`),
    ...(await namelessControls(page)).map((html) => `without a name: ${html}`),
    ...same.map((id) => `twice: #${id}`),
    ...(headings === 1 ? [] : [`${headings} main headings`]),
    ...(tooWide > 0 ? [`${tooWide} pixels too wide`] : []),
  ];
}
