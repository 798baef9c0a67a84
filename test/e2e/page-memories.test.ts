import { afterAll, beforeAll, expect } from 'bun:test';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { journey } from '../support/journey.ts';
import { addMemory } from '../support/memories.ts';
import type { Photo, Visitor } from './browser.ts';
import { listFaults } from './faults.ts';
import { type Api, choose, go, PHONE, pictures, press, toast, undo } from './people.ts';
import { until } from './server.ts';
import {
  daysOfMay,
  enter,
  enterAgain,
  leavePhone,
  openStage,
  type Stage,
  TIMEOUT_MS,
} from './stage.ts';

// Memories above the timeline, and their player, in a real browser.

const BOB = { name: 'Bob', email: 'bob@example.com', password: 'bricks and mortar' };

let stage: Stage;
let ada: Visitor;
let page: Page;
let api: Api;
let ids: string[];
let [spring, trip, film]: string[] = [];

beforeAll(async () => {
  stage = await openStage();
  ({ api } = stage);
  ids = await stage.add([...daysOfMay(4), makeFilm()]);
  const bob = await api('POST', '/admin/users', { ...BOB, shouldChangePassword: false });
  const person = await api('POST', '/people', { name: 'Ann' });
  const box = { x: 100, y: 100, width: 150, height: 200, imageWidth: 900, imageHeight: 600 };
  await api('POST', '/faces', { assetId: ids[3], personId: person.id, ...box });
  const ownerId = (await api('GET', '/users/me')).id;
  const add = (name: string, assetIds: string[], values = {}) =>
    addMemory(stage.database, { ownerId, name, ...values }, assetIds);
  film = await add('A film', ids.slice(4), { createdAt: new Date('2026-01-01') });
  trip = await add('A trip', ids.slice(3, 4), {
    type: 'person',
    personId: person.id,
    createdAt: new Date('2026-01-02'),
  });
  spring = await add('Spring walk', ids.slice(0, 3), { createdAt: new Date('2026-01-03') });
  await add('Not yet', ids.slice(0, 1), { showAt: new Date(Date.now() + 5 * 86_400_000) });
  await add('Turned down', ids.slice(0, 1), { isHidden: true });
  await addMemory(stage.database, { ownerId: bob.id, name: 'Of Bob' }, ids.slice(0, 1));
  await api('PUT', '/users/me/preferences', { memories: { duration: 60 } });
  ada = await enter(stage, { viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' });
  ({ page } = ada);
  await pictures(page, 5);
}, TIMEOUT_MS);

afterAll(() => stage?.close(), TIMEOUT_MS);

/** Two seconds with a tone. */
async function makeFilm(): Promise<Photo> {
  const folder = await mkdtemp(join(tmpdir(), 'safelight-film-'));
  const path = join(folder, 'film.mp4');
  const inputs = ['testsrc=size=320x180:rate=10', 'sine=frequency=440'];
  const sources = inputs.flatMap((input) => ['-f', 'lavfi', '-t', '2', '-i', input]);
  const codecs = ['-pix_fmt', 'yuv420p', '-c:v', 'libx264', '-c:a', 'aac'];
  const made = Bun.spawn(['ffmpeg', '-v', 'error', ...sources, ...codecs, path]);
  expect(await made.exited).toBe(0);
  const buffer = await readFile(path);
  await rm(folder, { recursive: true });
  return { name: 'film.mp4', mimeType: 'video/mp4', buffer };
}

const row = (on: Page) => on.getByRole('region', { name: 'Memories' });
const names = (on: Page) => row(on).getByRole('link').allTextContents();
const hasRow = (wanted: string[]) =>
  until(`a row of ${wanted.join()}`, async () => (await names(page)).join() === wanted.join());
const player = (on: Page) => on.locator('[data-part=memory-player]');
const open = (on: Page, name: string) => row(on).getByRole('link', { name }).click();
const shows = (position: string) => player(page).getByText(position).waitFor();
const menu = async (name: string) => {
  await press(page, 'More actions');
  await page.getByRole('menuitem', { name }).click();
};
const get = (id: string | undefined) => api('GET', `/memories/${id}`);

const { step, chapter } = journey('an owner looks at memories', TIMEOUT_MS);

chapter('the row above the timeline', () => {
  step('has the memories of today, unseen ones marked, and nothing else', async () => {
    await row(page).waitFor();
    await hasRow(['New: Spring walk', 'New: A trip', 'New: A film']);
    for (const colorScheme of ['dark', 'light'] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await listFaults(page)).toEqual([]);
    }
  });

  step('is hidden while memories are off, and for an account without any', async () => {
    await api('PUT', '/users/me/preferences', { memories: { enabled: false } });
    await page.reload();
    await pictures(page, 5);
    expect(await row(page).count()).toBe(0);
    await api('PUT', '/users/me/preferences', { memories: { enabled: true } });
    const bob = await enter(stage, { as: BOB });
    await bob.page.getByRole('heading', { name: 'No photos yet' }).waitFor();
    expect(await row(bob.page).count()).toBe(0);
    expect(bob.problems).toEqual([]);
    await bob.context.close();
    await page.reload();
    await row(page).waitFor();
  });
});

chapter('the player', () => {
  step('shows a memory with its date and marks it as seen', async () => {
    await open(page, 'Spring walk');
    await page.waitForURL(`**/memories/${spring}`);
    await shows('1 of 3');
    await player(page).getByText('1 May 2024').waitFor();
    await player(page)
      .getByText(/years? ago/)
      .waitFor();
    await until('the time of looking', async () => (await get(spring)).seenAt);
    expect((await get(trip)).seenAt).toBeUndefined();
    expect(await listFaults(page)).toEqual([]);
  });

  step('goes on and back by keys, buttons, taps and swipes', async () => {
    await page.keyboard.press('ArrowRight');
    await shows('2 of 3');
    await page.keyboard.press('ArrowLeft');
    await shows('1 of 3');
    await press(page, 'Next');
    await shows('2 of 3');
    await page.mouse.click(300, 450);
    await shows('1 of 3');
    await page.mouse.click(1000, 450);
    await shows('2 of 3');
    await page.mouse.move(900, 450);
    await page.mouse.down();
    await page.mouse.move(700, 460);
    await page.mouse.up();
    await shows('3 of 3');
  });

  step('pauses by the space bar, and while a button of the mouse is held', async () => {
    await page.getByRole('button', { name: 'Pause' }).waitFor();
    await player(page).focus();
    await page.keyboard.press(' ');
    await page.getByRole('button', { name: 'Play' }).waitFor();
    await page.keyboard.press(' ');
    await page.getByRole('button', { name: 'Pause' }).waitFor();
    await page.mouse.move(800, 450);
    await page.mouse.down();
    await page.getByRole('button', { name: 'Play' }).waitFor();
    await page.mouse.up();
    await page.getByRole('button', { name: 'Pause' }).waitFor();
    await shows('3 of 3');
  });

  step('goes on to the next memory after the last picture, and Escape closes it', async () => {
    await page.keyboard.press('ArrowRight');
    await page.waitForURL(`**/memories/${trip}`);
    await shows('1 of 1');
    await page.keyboard.press('Escape');
    await page.waitForURL('**/photos');
    await pictures(page, 5);
    await hasRow(['Spring walk', 'A trip', 'New: A film']);
  });

  step('advances by itself after the time that the account prefers', async () => {
    await api('PUT', '/users/me/preferences', { memories: { duration: 1 } });
    await page.reload();
    await open(page, 'Spring walk');
    await shows('2 of 3');
    await shows('3 of 3');
    await page.waitForURL(`**/memories/${trip}`);
    await page.waitForURL(`**/memories/${film}`);
  });

  step('plays a film to its end, with sound that can be switched off', async () => {
    const sound = () => page.locator('video').evaluate((film: HTMLVideoElement) => !film.muted);
    await page.goto(`/memories/${film}`);
    await player(page).getByRole('button', { name: 'Sound' }).waitFor();
    // A page that was not touched yet may have to begin without sound.
    if (!(await sound())) await press(page, 'Sound on');
    expect(await sound()).toBe(true);
    await press(page, 'Sound off');
    expect(await sound()).toBe(false);
    await page.getByRole('button', { name: 'Play', exact: true }).waitFor();
    expect(await page.locator('video').evaluate((video: HTMLVideoElement) => video.ended)).toBe(
      true,
    );
  });
});

chapter('the menu of the player', () => {
  step('saves a memory, and changes its title', async () => {
    await api('PUT', '/users/me/preferences', { memories: { duration: 60 } });
    await page.goto('/photos');
    await open(page, 'Spring walk');
    await menu('Save memory');
    await toast(page, 'Memory saved');
    expect((await get(spring)).isSaved).toBe(true);
    await menu('Edit title');
    await page.getByRole('textbox', { name: 'Title' }).fill('A walk in May');
    await press(page, 'Save');
    await page.getByRole('heading', { name: 'A walk in May' }).waitFor();
    expect((await get(spring)).name).toBe('A walk in May');
  });

  step('removes a picture from it, and puts it back', async () => {
    await shows('1 of 3');
    await menu('Remove this picture');
    await shows('1 of 2');
    await undo(page, 'Removed from the memory');
    await shows('1 of 3');
  });

  step('puts the pictures into an album and shares them by link', async () => {
    await menu('Add to album');
    await page.getByLabel('Find an album').fill('Walks');
    await page.getByRole('button', { name: 'New album “Walks”' }).click();
    await toast(page, '3 items added to Walks');
    await menu('Share by link');
    await press(page, 'Create link');
    await page.getByText('The link is ready').waitFor();
    await press(page, 'Done');
    const [link] = await api('GET', '/shared-links');
    expect(link.assets).toHaveLength(3);
  });

  step('hides a memory and goes on, and undo shows it again', async () => {
    await menu('Hide memory');
    await page.waitForURL(`**/memories/${trip}`);
    await undo(page, 'Memory hidden');
    await until('the memory is back', async () => !(await get(spring)).isHidden);
  });

  step('shows less of a person', async () => {
    await menu('Show less of Ann');
    await toast(page, 'You will see less of this');
    expect(await api('GET', '/memories/show-less')).toMatchObject([{ kind: 'person' }]);
    await page.waitForURL(`**/memories/${film}`);
    await page.keyboard.press('Escape');
    await row(page).waitFor();
    await hasRow(['A walk in May', 'A film']);
  });
});

chapter('the page of memories', () => {
  const tab = async (name: string) => {
    await press(page, name);
    await page.getByRole('button', { name, pressed: true, exact: true }).waitFor();
  };
  const lists = async (name: string, wanted: string[]) => {
    await tab(name);
    const cards = page.getByRole('list', { name, exact: true }).getByRole('link');
    await until(
      `${name}: ${wanted.join()}`,
      async () => (await cards.allTextContents()).join() === wanted.join(),
    );
    expect(await listFaults(page)).toEqual([]);
  };

  step('is reached from a selection, of which a memory can be made', async () => {
    await choose(page, '1 May 2024');
    await choose(page, '2 May 2024');
    await press(page, 'Create memory');
    await page.getByRole('textbox', { name: 'Title' }).fill('Two days');
    await press(page, 'Create');
    await toast(page, 'Memory created');
    await go(page, 'Memories');
    await lists('Saved', ['New: Two days', 'A walk in May']);
  });

  step('has all, upcoming and hidden memories of the account only', async () => {
    for (const colorScheme of ['dark', 'light'] as const) {
      await page.emulateMedia({ colorScheme });
      await lists('All', ['New: Two days', 'A walk in May', 'A film']);
      await lists('Upcoming', ['New: Not yet']);
      await lists('Hidden', ['New: Turned down']);
    }
  });

  step('shows a hidden memory again', async () => {
    await press(page, 'Show again');
    await toast(page, 'The memory is shown again');
    await page.getByRole('heading', { name: 'No memories here' }).waitFor();
  });

  step('lists what is shown less, with the way back', async () => {
    await page.getByRole('listitem').filter({ hasText: 'Ann' }).getByRole('button').click();
    await until('no rule', async () => (await api('GET', '/memories/show-less')).length === 0);
    await tab('All');
    await page.getByRole('link', { name: 'A trip' }).click();
    await page.waitForURL(`**/memories/${trip}`);
    await page.keyboard.press('Escape');
    await page.getByRole('heading', { name: 'Memories', level: 1 }).waitFor();
    await page.getByRole('button', { name: 'All', pressed: true }).waitFor();
  });

  step('deletes a memory that was made by hand; its photos stay', async () => {
    await page.getByRole('link', { name: 'Two days' }).click();
    await menu('Delete memory');
    await press(page, 'Delete');
    await until('one memory less', async () =>
      (await api('GET', '/memories')).every(({ name }: { name: string }) => name !== 'Two days'),
    );
    expect(await api('GET', `/assets/${ids[0]}`)).toMatchObject({ isTrashed: false });
    await page.keyboard.press('Escape');
  });
});

chapter('on a phone', () => {
  step('a tap at the right goes on, and a swipe down closes the player', async () => {
    const phone = await enterAgain(stage, ada, { ...PHONE, reducedMotion: 'reduce' });
    await phone.page.goto('/photos');
    await pictures(phone.page, 5);
    await open(phone.page, 'A walk in May');
    await player(phone.page).getByText('1 of 3').waitFor();
    expect(await listFaults(phone.page)).toEqual([]);
    await phone.page.touchscreen.tap(300, 400);
    await player(phone.page).getByText('2 of 3').waitFor();
    await phone.page.mouse.move(200, 300);
    await phone.page.mouse.down();
    await phone.page.mouse.move(205, 460);
    await phone.page.mouse.up();
    await phone.page.waitForURL('**/photos');
    await leavePhone(phone);
    expect(ada.problems).toEqual([]);
  });
});
