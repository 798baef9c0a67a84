import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { makeClip } from '../fixtures/clips.ts';
import { addMemory } from '../support/memories.ts';
import type { Photo, Visitor } from './browser.ts';
import { type Api, press, pictures } from './people.ts';
import { until } from './server.ts';
import { daysOfMay, enter, openStage, type Stage } from './stage.ts';

// The environment of tests of memories: an account with some, and one without.

const DAY_MS = 86_400_000;

/** Recent memories: the nightly cleanup, which may run at any moment of a test, deletes those of a month ago. */
const daysAgo = (days: number) => new Date(Date.now() - days * DAY_MS);

export type Bob = Awaited<ReturnType<typeof addBob>>;

/** Adds an account that is no administrator. Its name is its own among those of all tests. */
export async function addBob(api: Api) {
  const id = crypto.randomUUID();
  const bob = {
    name: `Bob ${id.slice(-12)}`,
    email: `${id}@example.com`,
    password: 'bricks and mortar',
  };
  const created = await api('POST', '/admin/users', { ...bob, shouldChangePassword: false });
  return { ...bob, id: created.id as string };
}

export type MemoryStage = {
  readonly stage: Stage;
  readonly api: Api;
  /** An account without photos. */
  readonly bob: Bob;
  /** Four photos and a film. */
  readonly ids: string[];
  /** The person on the fourth photo. */
  readonly annId: string;
  /** Three photos, of today. */
  readonly spring: string;
  /** One photo, with Ann, of today. */
  readonly trip: string;
  /** The film, of today. */
  readonly film: string;
  /** Adds a memory as the server generates it. */
  readonly add: (name: string, assetIds: string[], values?: object) => Promise<string>;
  /** The owner, on the timeline. */
  readonly ada: Visitor;
  readonly page: Page;
};

export async function openMemoryStage(): Promise<MemoryStage> {
  const stage = await openStage();
  const { api } = stage;
  const ids = await stage.add([...daysOfMay(4), makeFilm()]);
  const bob = await addBob(api);
  const { id: annId } = await api('POST', '/people', { name: 'Ann' });
  const box = { x: 100, y: 100, width: 150, height: 200, imageWidth: 900, imageHeight: 600 };
  await api('POST', '/faces', { assetId: ids[3], personId: annId, ...box });
  const ownerId = stage.account.id;
  const add = (name: string, assetIds: string[], values = {}) =>
    addMemory(stage.database, { ownerId, name, createdAt: daysAgo(0), ...values }, assetIds);
  const film = await add('A film', ids.slice(4), { createdAt: daysAgo(3) });
  const trip = await add('A trip', ids.slice(3, 4), {
    type: 'person',
    personId: annId,
    createdAt: daysAgo(2),
  });
  const spring = await add('Spring walk', ids.slice(0, 3), { createdAt: daysAgo(1) });
  await add('Not yet', ids.slice(0, 1), { showAt: daysAgo(-5) });
  await add('Turned down', ids.slice(0, 1), { isHidden: true });
  await addMemory(
    stage.database,
    { ownerId: bob.id, name: 'Of Bob', createdAt: daysAgo(0) },
    ids.slice(0, 1),
  );
  await api('PUT', '/users/me/preferences', {
    memories: { duration: LONG_S },
    notifications: { newLogin: false },
  });
  const ada = await enter(stage, {
    viewport: { width: 1440, height: 900 },
    reducedMotion: 'no-preference',
  });
  await pictures(ada.page, 5);
  return { stage, api, bob, ids, annId, spring, trip, film, add, ada, page: ada.page };
}

/** Seconds for each picture: the player does not go on by itself while a slow machine is looked at. */
const LONG_S = 3600;

/** Two seconds with a tone. */
async function makeFilm(): Promise<Photo> {
  const folder = await mkdtemp(join(tmpdir(), 'safelight-film-'));
  const inputs = ['testsrc=size=320x180:rate=10', 'sine=frequency=440'];
  const sources = inputs.flatMap((input) => ['-f', 'lavfi', '-t', '2', '-i', input]);
  const codecs = ['-pix_fmt', 'yuv420p', '-c:v', 'libx264', '-c:a', 'aac'];
  const buffer = await readFile(makeClip(join(folder, 'film.mp4'), [...sources, ...codecs]));
  await rm(folder, { recursive: true });
  return { name: 'film.mp4', mimeType: 'video/mp4', buffer };
}

export const row = (on: Page) => on.getByRole('region', { name: 'Memories' });
export const hasRow = (on: Page, wanted: string[]) =>
  until(
    `a row of ${wanted.join()}`,
    async () => (await row(on).getByRole('link').allTextContents()).join() === wanted.join(),
  );
export const player = (on: Page) => on.locator('[data-part=memory-player]');
export const open = (on: Page, name: string) => row(on).getByRole('link', { name }).click();
export const shows = (on: Page, position: string) => player(on).getByText(position).waitFor();
/** Chooses an entry of the player's menu. */
export const menu = async (on: Page, name: string) => {
  await press(on, 'More actions');
  await on.getByRole('menuitem', { name }).click();
};
