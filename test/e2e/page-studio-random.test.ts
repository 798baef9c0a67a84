import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import {
  EMPTY_DOCUMENT,
  formatTimecode,
  getEnd,
  getStart,
  isClip,
  toDocument,
  toFilm,
} from '../../src/web/studio/film.ts';
import { createRandom, type Random } from '../support/random.ts';
import { paintClip } from '../support/painted-clips.ts';
import { STREAM_FLAGS } from '../support/stream-viewer.ts';
import { openBrowser, type Visitor } from './browser.ts';
import { eventually } from './eventually.ts';
import { daysOfMay, enter, openStage, type Stage, TIMEOUT_MS } from './stage.ts';

// Somebody edits a film without thinking, for some gestures or for minutes: SAFELIGHT_TEST_STUDIO_MINUTES. The gestures of
// a run are told by its seed, SAFELIGHT_TEST_STUDIO_SEED.

const MINUTES = Number(process.env['SAFELIGHT_TEST_STUDIO_MINUTES'] ?? 0);
const GESTURES = 40;
/** The stored film is compared after so many. */
const CHECKED_EVERY = 20;
const SEED = Number(process.env['SAFELIGHT_TEST_STUDIO_SEED'] ?? 1);

let opened: Stage;
let stage: Stage;
let visitor: Visitor;
let page: Page;
let folder: string;
let projectId: string;
/** Responses with an error that nobody expects. */
const refusals: string[] = [];

beforeAll(async () => {
  opened = await openStage();
  stage = { ...opened, browser: await openBrowser(STREAM_FLAGS) };
  folder = await mkdtemp(join(tmpdir(), 'safelight-studio-'));
  const videos = [
    { name: 'long.mp4', frames: 150 },
    { name: 'short.mp4', frames: 23 },
  ];
  await stage.add(daysOfMay(1));
  for (const { name, frames } of videos) {
    const path = join(folder, name);
    paintClip(path, { frames, size: '320x180', coding: '-c:v libx264 -preset veryfast -g 30' });
    await stage.add([{ name, mimeType: 'video/mp4', buffer: await readFile(path) }]);
  }
  const document = { ...EMPTY_DOCUMENT, width: 640, height: 360 };
  ({ id: projectId } = await stage.api('POST', '/studio/projects', { name: 'Random', document }));
  visitor = await enter(stage, {
    viewport: { width: 1440, height: 900 },
    at: `/studio/${projectId}`,
  });
  ({ page } = visitor);
  page.on('response', (response) => {
    if (response.status() < 400 || isExpected(response.url(), response.status())) return;
    refusals.push(`${response.request().method()} ${response.url()}: ${response.status()}`);
  });
  await page.getByRole('button', { name: /^Add/ }).first().waitFor();
}, TIMEOUT_MS);

afterAll(async () => {
  await stage?.browser.close();
  await opened?.close();
  await rm(folder, { recursive: true, force: true });
}, TIMEOUT_MS);

/** Frames and streams of a revision end with it: asked for later they are a conflict, or gone. */
const isExpected = (url: string, status: number): boolean =>
  /\/studio\/preview(s|-streams)/.test(url) && [404, 409].includes(status);

const KEYS = [
  'ArrowLeft',
  'ArrowRight',
  'Shift+ArrowLeft',
  'Shift+ArrowRight',
  'ArrowUp',
  'ArrowDown',
  'Home',
  'End',
  'j',
  'k',
  'l',
  ' ',
  's',
  's',
  'i',
  'o',
  'Delete',
  'Shift+Delete',
  'Alt+ArrowLeft',
  'Alt+ArrowRight',
  'Control+z',
  'Control+z',
  'Control+Shift+z',
  'Control+y',
];
const BUTTONS = ['Undo', 'Redo', 'Add a title', 'Split at the playhead', 'Play', 'Pause'];

type Gesture = (random: Random) => Promise<unknown>;

/** Returns one of them that is there; undefined for none. */
async function pick(random: Random, all: Locator): Promise<Locator | undefined> {
  const count = await all.count();
  return count === 0 ? undefined : all.nth(random.below(count));
}

const blocks = () => page.locator('[data-row] li > button');

async function drag(random: Random, block: Locator, grip: number, isLevel: boolean) {
  await block.scrollIntoViewIfNeeded();
  const box = await block.boundingBox();
  if (!box) return;
  const from = { x: box.x + Math.min(box.width - 1, Math.max(1, grip * box.width)), y: box.y + 20 };
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  for (let at = random.below(4); at >= 0; at--) {
    const [across, down] = [random.below(500) - 250, isLevel ? 0 : random.below(160) - 80];
    await page.mouse.move(from.x + across, from.y + down, { steps: 3 });
  }
  await page.mouse.up();
}

const gestures: readonly Gesture[] = [
  async (random) => page.keyboard.press(random.pick(KEYS)),
  async (random) => page.keyboard.press(random.pick(KEYS)),
  async (random) => {
    // A film with very many clips is no better a test.
    if ((await blocks().count()) > 12) return page.keyboard.press('Delete');
    return (await pick(random, page.getByRole('button', { name: /^Add (Photo|Video)/ })))?.click();
  },
  // In one step: what plays ends by itself, and its button is another one then.
  async (random) =>
    page
      .getByRole('button', { name: random.pick(BUTTONS), exact: true })
      .evaluateAll(([button]) => (button as HTMLElement | undefined)?.click()),
  async (random) =>
    (await pick(random, blocks()))?.click({ force: true, position: { x: 2, y: 9 } }),
  async (random) => {
    const block = await pick(random, blocks());
    if (block) await drag(random, block, 0.5, false);
  },
  async (random) => {
    const block = await pick(random, blocks());
    if (block) await drag(random, block, random.below(2), true);
  },
  async (random) => {
    const field = await pick(random, page.locator('section[aria-label=Properties] input'));
    const type = await field?.getAttribute('type');
    if (!field || type === 'color') return;
    if (type === 'checkbox') return field.click();
    await field.fill(
      random.pick(['', 'x', '0', '0.5', '1', '2.25', '33', '50', '120', '-7', '1e9']),
    );
    await field.press(random.pick(['Enter', 'Escape', 'Tab']));
  },
  async (random) => {
    const choice = await pick(random, page.locator('section[aria-label=Properties] select'));
    const count = (await choice?.locator('option').count()) ?? 0;
    if (count > 0) await choice!.selectOption({ index: random.below(count) });
  },
  async (random) => {
    const text = page.getByLabel('Text');
    if ((await text.count()) > 0)
      await text.fill(random.pick(['', ' ', "It's 100% : a", 'Füße 🎞']));
  },
  async (random) => {
    const ruler = page.getByRole('slider', { name: 'Playhead' });
    await ruler.click({ position: { x: random.below(400), y: 5 } });
  },
  async (random) => page.getByLabel('Zoom').fill(random.pick(['3', '5.25', '6'])),
];

/** Returns what each row of the page shows, by time. */
async function readRows(): Promise<string[]> {
  const rows = await page
    .locator('[data-row]')
    .evaluateAll((rows) =>
      rows.flatMap((row) =>
        [...row.querySelectorAll('li > button')].map(
          (block) => `${row.getAttribute('data-row')}: ${block.getAttribute('aria-label')}`,
        ),
      ),
    );
  return rows.toSorted();
}

async function readStored() {
  const project = await stage.api('GET', `/studio/projects/${projectId}`);
  const film = toFilm(project.document);
  const assets = await stage.api('POST', '/search/metadata', {});
  const names = new Map(
    assets.assets.items.map(({ id, originalFileName }: any) => [id, originalFileName]),
  );
  const rows = [...film.clips, ...film.titles].map((entry) => {
    const [row, name] = isClip(entry)
      ? [entry.track, names.get(entry.assetId)]
      : ['titles', entry.text];
    const [from, to] = [getStart(entry), getEnd(entry)].map((time) => formatTimecode(film, time));
    return `${row}: ${String(name)}, ${from} to ${to}`;
  });
  return { revision: project.revision, document: project.document, rows: rows.toSorted() };
}

/** Returns the film that the page holds, as it remembers it with its steps. */
const readPage = () =>
  page.evaluate(() => JSON.parse(localStorage.getItem('safelight.studio-history') ?? 'null'));

/** Expects that what is shown is what is stored, and that nothing went wrong. */
async function check(): Promise<void> {
  await eventually(() => page.locator('header [role=status]').textContent()).toBe('Saved');
  const stored = await readStored();
  await eventually(readRows).toEqual(stored.rows);
  if (stored.revision > 1) {
    await eventually(async () => (await readPage())?.revision).toBe(stored.revision);
    expect(toDocument((await readPage()).film)).toEqual(toDocument(toFilm(stored.document)));
  }
  expect(refusals).toEqual([]);
  expect(visitor.problems.filter((problem) => !/\b(404|409)\b/.test(problem))).toEqual([]);
  expect(await page.getByRole('alert').allTextContents()).toEqual([]);
}

async function editAtRandom(done: string[]): Promise<void> {
  const random = createRandom(SEED);
  const end = Date.now() + MINUTES * 60_000;
  for (let count = 1; count <= GESTURES || Date.now() < end; count++) {
    const at = random.below(gestures.length);
    done.push(String(at));
    await gestures[at]!(random);
    if (count % CHECKED_EVERY === 0) await check();
  }
  await check();
  const before = await readRows();
  await page.reload();
  await eventually(readRows).toEqual(before);
  await check();
}

test(
  'random gestures leave no error, and what is shown is what is stored, also when loaded again',
  async () => {
    const done: string[] = [];
    try {
      await editAtRandom(done);
      console.log(`${done.length} gestures, seed ${SEED}`);
    } catch (error) {
      const said = await page.locator('[role=status], [role=alert]').allTextContents();
      console.error(
        `Seed ${SEED}. The last of ${done.length} gestures:`,
        done.slice(-60).join(' '),
      );
      console.error({ said, refusals, problems: visitor.problems });
      throw error;
    }
  },
  MINUTES * 60_000 + TIMEOUT_MS,
);
