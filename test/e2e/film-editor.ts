import { randomUUID } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import type { StudioDocument } from '../../src/web/data/types.ts';
import { EMPTY_DOCUMENT } from '../../src/web/pages/studio/film.ts';
import { makeClip } from '../fixtures/clips.ts';
import { paintClip, readNumber } from '../support/painted-clips.ts';
import type { Photo, Visitor } from './browser.ts';
import { until } from './server.ts';
import { enter, type Stage } from './stage.ts';

// Films in the editor of the studio, and what its page shows.

export const WIDE = { viewport: { width: 1440, height: 900 } };

/** Returns what ffmpeg writes to the path that `make` gets. */
export async function makeVideo(name: string, make: (path: string) => unknown): Promise<Photo> {
  const path = join(tmpdir(), `${randomUUID()}-${name}`);
  make(path);
  const buffer = await readFile(path);
  await rm(path);
  return { name, mimeType: 'video/mp4', buffer };
}

/** Returns a video of four seconds at 30 frames per second that show their number. */
export const makeNumbers = (): Promise<Photo> =>
  makeVideo('numbers.mp4', (path) => {
    const coding = '-c:v libx264 -crf 12 -preset veryfast -g 30';
    paintClip(path, { frames: 120, size: '320x180', coding });
  });

/** Returns a video of eight seconds that sounds. */
export const makeTone = (): Promise<Photo> =>
  makeVideo('tone.mp4', (path) =>
    makeClip(path, [
      ...'-f lavfi -i testsrc2=s=320x180:r=30:d=8 -f lavfi -i sine=440:r=48000:d=8'.split(' '),
      ...'-c:v libx264 -preset ultrafast -pix_fmt yuv420p -c:a aac'.split(' '),
    ]),
  );

export const second = (numerator: number, denominator = 1) => ({ numerator, denominator });

/** Returns a clip on the lowest track; the times are in seconds. */
export const toClip = (
  assetId: string,
  start: number,
  duration = second(4),
  sourceIn = second(0),
): StudioDocument['clips'][number] => ({
  assetId,
  track: 0,
  start: second(start),
  duration,
  sourceIn,
});

/** Creates a film. Returns the id of its project. */
export async function createFilm(
  { api }: Pick<Stage, 'api'>,
  name: string,
  values: Partial<StudioDocument> = {},
): Promise<string> {
  const document = { ...EMPTY_DOCUMENT, ...values };
  return (await api('POST', '/studio/projects', { name, document })).id;
}

/** Opens the editor of a film, which takes keys then. */
export async function enterEditor(stage: Stage, projectId: string): Promise<Visitor> {
  const visitor = await enter(stage, { ...WIDE, at: `/studio/${projectId}` });
  await isSaved(visitor.page);
  return visitor;
}

/** Waits until the preview shows a frame that is up to date, and returns its painted number. */
async function readFrame(page: Page): Promise<number> {
  const canvas = page.getByRole('group', { name: 'Preview' });
  await until('a frame', async () => (await canvas.getAttribute('aria-busy')) === 'false');
  return readNumber(await canvas.getByRole('img').screenshot());
}

export const showsFrame = (page: Page, number: number) =>
  until(`frame ${number}`, async () => (await readFrame(page)) === number);

export const isSaved = (page: Page) =>
  page.getByRole('status').getByText('Saved', { exact: true }).waitFor();

export const getClips = (page: Page) =>
  page.getByRole('list', { name: 'Track 1' }).getByRole('listitem');

export const hasClips = (page: Page, count: number) =>
  until(`${count} clips`, async () => (await getClips(page).count()) === count);

export const getSounds = (page: Page) =>
  page.getByRole('list', { name: 'Sounds', exact: true }).getByRole('listitem');

export const hasSounds = (page: Page, count: number) =>
  until(`${count} sounds`, async () => (await getSounds(page).count()) === count);
