import { afterEach, beforeEach, expect, test } from 'bun:test';
import { daysOfMay, enter, openStage, type Stage, TIMEOUT_MS } from './stage.ts';
import { routeUntil } from './routes.ts';

// Code of the page that does not arrive, and its language.

let stage: Stage;

beforeEach(async () => {
  stage = await openStage();
}, TIMEOUT_MS);

afterEach(() => stage?.close(), TIMEOUT_MS);

test(
  'a page whose code cannot be loaded shows an error, and a reload shows the page',
  async () => {
    const { page } = await enter(stage);
    const end = await routeUntil(page, '**/assets/library-*', (route) => route.abort());
    await page.goto('/photos');
    await page.getByRole('link', { name: 'Albums' }).click();
    await page.getByText('This part of the page could not be loaded.').waitFor();
    end();
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('heading', { name: 'Albums', level: 1 }).waitFor();
  },
  TIMEOUT_MS,
);

test(
  'counts take the form of the language of the browser',
  async () => {
    await stage.add(daysOfMay(2));
    for (const [locale, text] of [
      ['en-GB', '2 items'],
      ['pl-PL', '2 elementy'],
    ] as const) {
      const one = await enter(stage, { locale });
      const warnings: string[] = [];
      one.page.on('console', (message) => warnings.push(message.text()));
      await one.page.goto('/photos');
      await one.page.getByText(text, { exact: true }).first().waitFor();
      expect([...one.problems, ...warnings]).toEqual([]);
      await one.context.close();
    }
  },
  TIMEOUT_MS,
);
