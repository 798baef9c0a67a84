import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { furnish, walk } from './every-page.ts';
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
    const faults: string[] = [];
    await walk(page, paths, async (path) => {
      faults.push(...(await listFaults(page)).map((fault) => `${path}: ${fault}`));
      // The viewer and the player of memories cover the whole page.
      const covered = /^\/(?:photos|memories)\//.test(path) ? [] : await listCoveredEntries(page);
      for (const name of covered) faults.push(`${path}: “${name}” of the navigation is covered`);
      for (const target of await listSmallTargets(page)) faults.push(`${path}: ${target} is small`);
      const width = await getPageWidth(page);
      if (width !== PHONE.viewport.width) faults.push(`${path}: ${width} px wide`);
    });
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
