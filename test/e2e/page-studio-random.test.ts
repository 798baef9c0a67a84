import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import {
  formatTimecode,
  getEnd,
  getStart,
  isClip,
  isMediaEntry,
  isSound,
  listEntries,
  toDocument,
  toFilm,
} from '../../src/web/pages/studio/film.ts';
import { makeClip } from '../fixtures/clips.ts';
import { effort, SEED } from '../support/effort.ts';
import { createRandom } from '../support/random.ts';
import { paintClip } from '../support/painted-clips.ts';
import type { Visitor } from './browser.ts';
import { eventually } from './eventually.ts';
import { createFilm, enterEditor, makeVideo } from './film-editor.ts';
import { gestures, sounds } from './film-gestures.ts';
import { daysOfMay, openStage, type Stage, TIMEOUT_MS } from './stage.ts';

// Somebody edits a film without thinking, for some gestures or for minutes: SAFELIGHT_TEST_STUDIO_MINUTES. The gestures of
// a run are told by its seed, SAFELIGHT_TEST_STUDIO_SEED.

const MINUTES = Number(process.env['SAFELIGHT_TEST_STUDIO_MINUTES'] ?? 0);
const GESTURES = effort({ quick: 20, full: 200 });
/** The stored film is compared after so many. */
const CHECKED_EVERY = 10;
const STUDIO_SEED = Number(process.env['SAFELIGHT_TEST_STUDIO_SEED'] ?? SEED);

let stage: Stage;
let visitor: Visitor;
let page: Page;
let projectId: string;
/** Responses with an error that nobody expects. */
const refusals: string[] = [];

const CODING = '-c:v libx264 -preset veryfast -g 30';

const makeShort = () =>
  makeVideo('short.mp4', (path) =>
    paintClip(path, { frames: 23, size: '320x180', coding: CODING }),
  );

const makeLong = () =>
  makeVideo('long.mp4', (path) => {
    paintClip(path, { frames: 150, size: '320x180', coding: CODING });
    const tone = '-f lavfi -i sine=440:r=48000:d=5 -c:v copy -c:a aac'.split(' ');
    makeClip(path, ['-i', path, ...tone]);
  });

beforeAll(async () => {
  stage = await openStage();
  await stage.add([...daysOfMay(1), makeLong(), makeShort()]);
  projectId = await createFilm(stage, 'Random', { width: 640, height: 360 });
  visitor = await enterEditor(stage, projectId);
  ({ page } = visitor);
  page.on('response', (response) => {
    if (response.status() < 400 || isExpected(response.url(), response.status())) return;
    refusals.push(`${response.request().method()} ${response.url()}: ${response.status()}`);
  });
  // Whether a video has a sound is known before fields are filled that only those with a sound have.
  const videos = page.getByRole('button', { name: /^Add the sound of Video/ });
  await eventually(() => videos.count()).toBe(2);
  for (const at of [0, 1]) await videos.nth(at).click();
  await eventually(() => sounds(page).locator('canvas[data-ready="true"]').count()).toBe(2);
}, TIMEOUT_MS);

afterAll(() => stage?.close(), TIMEOUT_MS);

/** Frames, streams and sounds of a revision end with it: asked for later they are a conflict, or gone. */
const isExpected = (url: string, status: number): boolean =>
  /\/studio\/(preview(s|-streams)|projects\/.*\/sound\?)/.test(url) && [404, 409].includes(status);

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
    assets.assets.items.map(
      ({ id, originalFileName }: { id: string; originalFileName: string }) => [
        id,
        originalFileName,
      ],
    ),
  );
  const rows = listEntries(film).map((entry) => {
    const row = isClip(entry) ? entry.track : isSound(entry) ? 'sounds' : 'titles';
    const name = isMediaEntry(entry) ? names.get(entry.assetId) : entry.text;
    const [from, to] = [getStart(entry), getEnd(entry)].map((time) => formatTimecode(film, time));
    return `${row}: ${String(name)}, ${from} to ${to}`;
  });
  return { revision: project.revision, document: project.document, rows: rows.toSorted() };
}

/** Returns the film that the page holds, as it remembers it with its steps. */
const readPage = () =>
  page.evaluate(() => JSON.parse(sessionStorage.getItem('safelight.studio-history') ?? 'null'));

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
  const random = createRandom(STUDIO_SEED);
  const end = Date.now() + MINUTES * 60_000;
  for (let count = 1; count <= GESTURES || Date.now() < end; count++) {
    const at = random.below(gestures.length);
    done.push(String(at));
    await gestures[at]!(page, random);
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
    } catch (error) {
      const said = await page.locator('[role=status], [role=alert]').allTextContents();
      console.error(
        `Seed ${STUDIO_SEED}. The last of ${done.length} gestures:`,
        done.slice(-60).join(' '),
      );
      console.error({ said, refusals, problems: visitor.problems });
      throw error;
    }
  },
  MINUTES * 60_000 + TIMEOUT_MS,
);
