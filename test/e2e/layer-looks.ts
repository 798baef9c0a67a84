import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { CDPSession, Page } from 'playwright-core';
import { createSeededRandom, isFull } from '../support/effort.ts';
import { sample } from '../support/sample.ts';
import { isScrolledUnder, listViolations, SIZES } from './faults.ts';
import { listLayerFaults } from './layer-faults.ts';
import { LAYER, measureLayer } from './layer-measures.ts';
import {
  closeLayers,
  createSay,
  type Entry,
  markLayer,
  openLayer,
  readWords,
  type Say,
  settle,
  showAt,
  takePicture,
} from './layers.ts';
import { writeSheets } from './layer-sheets.ts';
import { enter, type Stage } from './stage.ts';

const LANGUAGES = ['en', 'de'] as const;
/** Where pictures of all are written; without it, none are taken. */
const FOLDER = process.env['SAFELIGHT_TEST_PICTURES'];

/** What is not open by then is a fault, and the others are looked at. */
const OPENED_MS = 20_000;

/** Opens each and returns its faults: in a quick run, each in one language, which follows the seed. */
export async function look(stage: Stage, entries: readonly Entry[]): Promise<string[]> {
  const first = createSeededRandom('languages of dialogs').below(LANGUAGES.length);
  if (FOLDER) await mkdir(FOLDER, { recursive: true });
  const found = await Promise.all(
    LANGUAGES.map((language, turn) =>
      lookIn(
        stage,
        language,
        entries.filter((_, at) => isFull || (at + first) % 2 === turn),
      ),
    ),
  );
  if (FOLDER) await writeSheets(FOLDER);
  return found.flat();
}

async function lookIn(
  stage: Stage,
  language: 'de' | 'en',
  entries: readonly Entry[],
): Promise<string[]> {
  const say = await createSay(language);
  const words = await readWords(language);
  const { page, context, problems } = await enter(stage, {
    locale: language === 'de' ? 'de-DE' : 'en-GB',
    viewport: SIZES[0],
    reducedMotion: 'reduce',
    at: entries[0]!.at,
  });
  context.setDefaultTimeout(OPENED_MS);
  const devtools = await context.newCDPSession(page);
  const faults: string[] = [];
  for (const entry of entries) {
    const name = `${language}, ${entry.title} (${entry.of})`;
    try {
      await showAt(devtools, entry.isPhone ? SIZES[1] : SIZES[0]);
      await openLayer(page, entry, say);
      const found = await lookAt({ page, devtools, entry, words, language, say });
      faults.push(...found.map((fault) => `${name}: ${fault}`));
    } catch (error) {
      faults.push(`${name}: not opened: ${String(error).split('\n', 4).join(' ')}`);
    }
    if (page.isClosed()) return [...faults, `${name}: the browser has ended`];
    await closeLayers(page, entry);
    const isExpected = (problem: string) => entry.isMissing && problem.includes('status of 400');
    const unexpected = problems.splice(0).filter((problem) => !isExpected(problem));
    faults.push(...unexpected.map((problem) => `${name}: ${problem}`));
  }
  await context.close();
  return faults;
}

type Options = {
  page: Page;
  devtools: CDPSession;
  entry: Entry;
  words: ReadonlySet<string>;
  language: string;
  say: Say;
};

const OUTSIDE = 'outside of the window';
const COLOR_SCHEMES = ['light', 'dark'] as const;

/** Returns the faults of what is open, in each size; in light for a desktop and in dark for a phone. */
async function lookAt({ page, devtools, entry, words, language, say }: Options): Promise<string[]> {
  const faults: string[] = [];
  // Rules of accessibility: in a quick run, on a desktop or on a phone.
  const judged = sample(entry.title, entry.isDesktop ? [0] : [0, 1], 1);
  const sizes = SIZES.slice(entry.isPhone ? 1 : 0, entry.isDesktop ? 1 : SIZES.length);
  for (const [at, size] of sizes.entries()) {
    // A menu is where its button is when it is opened.
    const isMenu = entry.layer === '[role=menu]' && at > 0;
    if (isMenu) await closeLayers(page, entry);
    const isTouch = await showAt(devtools, size);
    await page.emulateMedia({ colorScheme: COLOR_SCHEMES[at % 2]! });
    if (isMenu) await openLayer(page, entry, say);
    else await markLayer(page, entry);
    await settle(page);
    // The page may have drawn it anew meanwhile.
    await markLayer(page, entry);
    const layer = await measureLayer(page);
    if (entry.hasOverlaps) layer.overlaps = [];
    const isNew = at === 0 && entry.layer === undefined;
    const found = listLayerFaults(layer, { isTouch, isNew, words });
    // A phone shows a page that is too wide smaller than it is.
    if (layer.window.width > size.width) found.push(`the page takes ${layer.window.width} px`);
    if (judged.includes(at))
      found.push(...(await listViolations(page, LAYER)).filter((one) => !isScrolledUnder(one)));
    // A page is scrolled.
    const kept = entry.layer === '.empty' ? found.filter((one) => !one.startsWith(OUTSIDE)) : found;
    faults.push(...kept.map((fault) => `${size.width}×${size.height}: ${fault}`));
    if (FOLDER) {
      const name = `${size.width}x${size.height} ${language} ${entry.of.replaceAll('/', '.')} ${entry.title}`;
      await Bun.write(
        join(FOLDER, `${name.replaceAll(/[^\p{L}\p{N} .-]/gu, '_')}.png`),
        await takePicture(devtools),
      );
    }
  }
  return faults;
}
