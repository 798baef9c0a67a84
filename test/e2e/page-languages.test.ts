import { afterAll, beforeAll, expect, test } from 'bun:test';
import { createSeededRandom, effort } from '../support/effort.ts';
import { photo } from './browser.ts';
import { listCutTexts } from './cut-texts.ts';
import { furnish, walk } from './every-page.ts';
import { listFaults, SIZES } from './faults.ts';
import { PHONE } from './people.ts';
import { enter, openStage, type Stage, TIMEOUT_MS } from './stage.ts';

// Every page in German, whose words are long: in a quick run in one size, which follows the seed.

let stage: Stage;
let paths: string[];

beforeAll(async () => {
  stage = await openStage();
  paths = await furnish(stage);
  await stage.add([photo('fall.jpg', '2023:09:27 12:00:00')]);
}, TIMEOUT_MS);

afterAll(() => stage?.close(), TIMEOUT_MS);

const first = createSeededRandom('German').below(SIZES.length);
const sizes = effort({ quick: 1, full: SIZES.length });

test.each([...SIZES.slice(first), ...SIZES.slice(0, first)].slice(0, sizes))(
  'nothing is cut, too wide or too small in German at $width by $height px',
  async (viewport) => {
    const isPhone = viewport !== SIZES[0];
    const { page, problems } = await enter(stage, {
      ...(isPhone && PHONE),
      viewport,
      locale: 'de-DE',
      reducedMotion: 'reduce',
    });
    const faults: string[] = [];
    await walk(page, paths, async (path) => {
      expect(await page.locator('html').getAttribute('lang')).toBe('de');
      const found = [...(await listFaults(page)), ...(await listCutTexts(page))];
      faults.push(...found.map((fault) => `${path}: ${fault}`));
    });
    expect(faults).toEqual([]);
    expect(problems).toEqual([]);
  },
  TIMEOUT_MS,
);

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
