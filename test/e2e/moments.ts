import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { makeClip } from '../fixtures/clips.ts';
import type { Json } from '../support/json.ts';
import { MODELS } from '../support/models.ts';
import { MEDIA } from '../support/requirements.ts';
import type { Photo, Visitor } from './browser.ts';
import { pictures } from './people.ts';
import { until } from './server.ts';
import { enter, openOwnStage, openStage, type Stage } from './stage.ts';

// The environment of tests of moments: videos in which the real models, where they are here, have seen scenes.

const IS_REAL = Boolean(MODELS && MEDIA);

export type MomentStage = {
  readonly stage: Stage;
  readonly films: readonly string[];
  readonly getMoments: (id: string) => Promise<Json>;
  /** The owner, on the timeline. */
  readonly ada: Visitor;
};

/** Opens a stage with videos that show each of these photos for two seconds. */
export async function openMomentStage(...photos: (readonly string[])[]): Promise<MomentStage> {
  // Models are a setting of a whole server.
  const stage = await (IS_REAL ? openOwnStage(`--models=${MODELS}`) : openStage());
  const getMoments = (id: string) => stage.api('GET', `/enrichment/videos/${id}/moments`);
  const films = await stage.add(photos.map((names, at) => makeFilm(`${at}.mp4`, names)));
  for (const id of films) {
    await until('scenes', async () => {
      const { status, frames } = await getMoments(id);
      return frames.length > 0 && ['ready', 'unavailable'].includes(status);
    });
  }
  const ada = await enter(stage);
  await pictures(ada.page, films.length);
  return { stage, films, getMoments, ada };
}

const PATTERNS = ['mandelbrot', 'testsrc', 'rgbtestsrc', 'smptebars'];

/** Two seconds of each photo, or of a pattern where there are no photos. */
async function makeFilm(name: string, photos: readonly string[]): Promise<Photo> {
  const folder = await mkdtemp(join(tmpdir(), 'safelight-films-'));
  const path = join(folder, name);
  const inputs = photos.flatMap((photo, at) =>
    IS_REAL
      ? ['-loop', '1', '-t', '2', '-r', '10', '-i', join(MEDIA!, `nature/${photo}.jpg`)]
      : ['-f', 'lavfi', '-t', '2', '-i', `${PATTERNS[photo === 'silver_fir' ? 3 : at]}=rate=10`],
  );
  const scaled = photos.map((_, at) => `[${at}]scale=640:360,setsar=1[v${at}]`);
  const joined = `${photos.map((_, at) => `[v${at}]`).join('')}concat=n=${photos.length}:v=1:a=0`;
  const filter = [...scaled, `${joined},format=yuv420p`].join(';');
  makeClip(path, [...inputs, '-filter_complex', filter, '-c:v', 'libx264']);
  const buffer = Buffer.from(await Bun.file(path).arrayBuffer());
  await rm(folder, { recursive: true });
  return { name, mimeType: 'video/mp4', buffer };
}

export const getStrip = (on: Page) => on.locator('[data-part=moments-list] button');
/** Returns the time of the player, in milliseconds. */
export const getTimeMs = (on: Page) =>
  on
    .locator('.yarl__slide_current video')
    .evaluate((video) => Math.round((video as HTMLVideoElement).currentTime * 1000));
export const isAtTime = (on: Page, ms: number) =>
  until(`the film at ${ms} ms`, async () => Math.abs((await getTimeMs(on)) - ms) < 80);
export const hasMoments = (on: Page, wanted: number) =>
  until(`${wanted} moments`, async () => (await getStrip(on).count()) === wanted);
/** Pauses the player, once it has played: it starts by itself as soon as it is loaded. */
export async function pause(on: Page): Promise<void> {
  await on.waitForFunction(() => {
    const video = document.querySelector<HTMLVideoElement>('.yarl__slide_current video');
    if (!video?.played.length) return false;
    video.pause();
    return true;
  });
}
