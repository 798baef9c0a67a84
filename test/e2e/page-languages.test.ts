import { afterAll, beforeAll, expect, test } from 'bun:test';
import { photo } from './browser.ts';
import { listCutTexts } from './cut-texts.ts';
import { PHONE } from './people.ts';
import { enter, openStage, type Stage, TIMEOUT_MS } from './stage.ts';

// Days in the languages that write them longest.

let stage: Stage;

beforeAll(async () => {
  stage = await openStage();
  await stage.add([photo('fall.jpg', '2023:09:27 12:00:00')]);
}, TIMEOUT_MS);

afterAll(() => stage?.close(), TIMEOUT_MS);

test.each(['en-US', 'de-DE', 'es-ES', 'pl-PL', 'pt-BR'])(
  'the day above a narrow picture is whole in %s',
  async (locale) => {
    const { page } = await enter(stage, { ...PHONE, locale, at: '/search?q=2023' });
    const heading = page.locator('[data-part=day] h3');
    await heading.waitFor();
    const names = await page.evaluate(listDays, locale);
    expect(names).toContain((await heading.textContent())!);
    const box = await heading.evaluate((element) => element.parentElement!.clientWidth);
    expect(box).toBeLessThan(200);
    for (const name of names) {
      await heading.evaluate((element, text) => (element.textContent = text), name);
      expect(await listCutTexts(page)).toEqual([]);
    }
    // Only what follows a day may be cut.
    await heading.evaluate((element) => (element.textContent += ' · Llanfairpwllgwyngyll, Wales'));
    expect(await listCutTexts(page)).toHaveLength(1);
  },
  TIMEOUT_MS,
);

/** Returns a day of every month as a heading of results names it. Runs in the page. */
const listDays = (locale: string): string[] =>
  [...Array(12).keys()].map((month) =>
    new Date(2023, month, 27).toLocaleDateString(locale, {
      weekday: 'short',
      day: 'numeric',
      month: 'short',
      year: 'numeric',
    }),
  );
