import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Page, Request } from 'playwright-core';
import { photo, type Visitor } from './browser.ts';
import { enter, openStage, type Stage, TIMEOUT_MS } from './stage.ts';

// While files are uploaded, each of them changes the month that is on the screen.

const FILES = 30;

let stage: Stage;
let ada: Visitor;
let page: Page;
beforeAll(async () => {
  stage = await openStage();
  ada = await enter(stage);
  ({ page } = ada);
}, TIMEOUT_MS);
afterAll(async () => {
  await stage?.close();
  expect(ada.problems).toEqual([]);
}, TIMEOUT_MS);

/** The month that a request asks for; undefined for other requests. */
const getMonth = (request: Request): string | undefined => {
  const { pathname, searchParams } = new URL(request.url());
  return pathname === '/api/timeline/bucket' ? (searchParams.get('timeBucket') ?? '') : undefined;
};

test(
  'a month is asked for at most once a second, and hardly any request for one is given up',
  async () => {
    await page.getByText('No photos yet').waitFor();
    const asked: { month: string; at: number }[] = [];
    const aborted: string[] = [];
    page.on('request', (request) => {
      const month = getMonth(request);
      if (month !== undefined) asked.push({ month, at: Date.now() });
    });
    page.on('requestfailed', (request) => {
      const month = getMonth(request);
      if (month !== undefined) aborted.push(month);
    });
    const photos = await Promise.all(
      Array.from({ length: FILES }, (_, at) => photo(`${at}.jpg`, `2024:05:01 12:00:${at + 10}`)),
    );
    await page.locator('input[type=file]').first().setInputFiles(photos);
    await page.getByText(`${FILES} files uploaded`).waitFor();
    await page.getByText(`${FILES} items`, { exact: true }).first().waitFor();
    expect(asked.length).toBeGreaterThan(0);
    for (const [month, requests] of Map.groupBy(asked, (one) => one.month)) {
      const times = requests.map(({ at }) => at);
      const seconds = Math.ceil((times.at(-1)! - times[0]!) / 1000);
      // The first of them may be the load of a month that has appeared.
      expect([month, times.length <= seconds + 2, times]).toEqual([month, true, times]);
    }
    // A month that leaves the window gives up its request, as the one does whose files have got their date.
    expect(aborted.length).toBeLessThanOrEqual(3);
  },
  TIMEOUT_MS,
);
