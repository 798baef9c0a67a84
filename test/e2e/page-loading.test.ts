import { afterEach, beforeEach, expect, test } from 'bun:test';
import { eventually } from './eventually.ts';
import { pictures } from './people.ts';
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

test(
  'while the code of the page loads, grey boxes stand where its bars and photos were',
  async () => {
    await stage.add(daysOfMay(3));
    const { page, problems, context } = await enter(stage, { at: '/photos' });
    await pictures(page, 3);
    const readBoxes = (selector: string) =>
      page.evaluate(
        (wanted) =>
          [...document.querySelectorAll(wanted)]
            .filter((element) => element.checkVisibility())
            .map((element) => {
              const { x, y, width, height } = element.getBoundingClientRect();
              return [x, y, width, height].map(Math.round).join();
            }),
        selector,
      );
    const tiles = await readBoxes('[data-part=tile]');
    const links = await readBoxes('header a');
    let release = () => {};
    const isReleased = new Promise<void>((resolve) => (release = resolve));
    await page.route('**/assets/start-*.js', async (route) => {
      await isReleased;
      await route.continue();
    });
    const reload = page.reload();
    await eventually(() => readBoxes('#first-paint i')).toEqual(
      expect.arrayContaining([...tiles, ...links]),
    );
    release();
    await reload;
    await pictures(page, 3);
    expect(await page.locator('#first-paint').count()).toBe(0);
    expect(problems).toEqual([]);
    // Nobody is logged in: what loads is the login, and its code, too, is late.
    await context.clearCookies();
    const painted = page
      .waitForSelector('#first-paint', { state: 'attached', timeout: 1000 })
      .catch(() => undefined);
    await page.goto('/photos');
    await page.getByRole('heading', { name: 'Log in' }).waitFor();
    expect(await painted).toBeUndefined();
  },
  TIMEOUT_MS,
);
