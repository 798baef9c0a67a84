import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { createSeededRandom, effort } from '../support/effort.ts';
import { eventually } from './eventually.ts';
import { furnish } from './every-page.ts';
import { routeUntil } from './routes.ts';
import { enter, openStage, type Stage, TIMEOUT_MS } from './stage.ts';

// A server that has a problem for a moment: every page says so, and shows what it should when it is asked again.

let stage: Stage;
let page: Page;
let paths: readonly string[];

beforeAll(async () => {
  stage = await openStage();
  paths = await furnish(stage);
  ({ page } = await enter(stage));
}, TIMEOUT_MS);

afterAll(() => stage?.close(), TIMEOUT_MS);

/** Without them the page does not know that somebody is signed in, and says that itself. */
const START = /^\/api\/(?:server\/(?:config|ping)|users\/me|socket\.io\/.*)$/;
const READS = /^POST \/api\/search\//;

/** Refuses what a page reads, until the end. Returns the paths that were refused. */
async function refuse() {
  const refused: string[] = [];
  const end = await routeUntil(page, '**/api/**', (route) => {
    const request = route.request();
    const { pathname } = new URL(request.url());
    const isRead = request.method() === 'GET' || READS.test(`${request.method()} ${pathname}`);
    if (!isRead || START.test(pathname) || request.resourceType() === 'image') {
      return route.fallback();
    }
    refused.push(pathname);
    return route.fulfill({ status: 503, json: { message: 'The server is busy' } });
  });
  return { refused, end };
}

const again = () => page.getByRole('button', { name: 'Try again' });

test(
  'every page that cannot read its data has a way to try again, which brings them',
  async () => {
    const random = createSeededRandom('page-retry');
    const count = effort({ quick: 10, full: paths.length });
    // Help and the choice of a language read nothing, and guests have a session of their own.
    const some = paths
      .filter((path) => !/^\/(?:help|s\/|setup\/language)/.test(path))
      .map((path) => ({ path, place: random.below(1_000_000) }))
      .toSorted((a, b) => a.place - b.place)
      .slice(0, count);
    const without: string[] = [];
    for (const { path } of some) {
      const { refused, end } = await refuse();
      await page.goto(path);
      await page.locator('main, [role=dialog]').first().waitFor();
      await eventually(() => refused.length).toBeGreaterThan(0);
      const isTold = await again()
        .first()
        .waitFor({ timeout: 20_000 })
        .then(
          () => true,
          () => false,
        );
      end();
      if (!isTold) without.push(`${path}: ${[...new Set(refused)].join(' ')}`);
      else {
        // Each failure of a page may have a button of its own.
        await eventually(async () => {
          for (const button of await again().all()) await button.click({ timeout: 1000 });
          return again().count();
        }).toBe(0);
      }
    }
    expect(without).toEqual([]);
  },
  TIMEOUT_MS,
);
