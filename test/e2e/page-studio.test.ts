import { afterAll, beforeAll, expect } from 'bun:test';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { journey } from '../support/journey.ts';
import { listFrames, paintClip, readNumber } from '../support/painted-clips.ts';
import { STREAM_FLAGS } from '../support/stream-viewer.ts';
import { listEditorProblems, openBrowser, type Visitor } from './browser.ts';
import { eventually } from './eventually.ts';
import { listFaults, listFaultsOfLooks } from './faults.ts';
import { BOB } from './memories.ts';
import { type Api, getDialog, getPageWidth, go, press } from './people.ts';
import { until } from './server.ts';
import {
  daysOfMay,
  enter,
  enterAgain,
  leavePhone,
  onPhone,
  openStage,
  type Stage,
  TIMEOUT_MS,
} from './stage.ts';

// The editor in a real browser: a clip with painted numbers tells which frame is shown.

let opened: Stage;
/** With a browser that plays what a server of the same machine sends. */
let stage: Stage;
let visitor: Visitor;
let page: Page;
let api: Api;
let folder: string;

beforeAll(async () => {
  opened = await openStage();
  stage = { ...opened, browser: await openBrowser(STREAM_FLAGS) };
  ({ api } = stage);
  folder = await mkdtemp(join(tmpdir(), 'safelight-studio-'));
  const path = join(folder, 'numbers.mp4');
  const coding = '-c:v libx264 -crf 12 -preset veryfast -g 30';
  paintClip(path, { frames: 120, size: '320x180', coding });
  await stage.add(daysOfMay(1));
  await stage.add([{ name: 'numbers.mp4', mimeType: 'video/mp4', buffer: await readFile(path) }]);
  visitor = await enter(stage, { viewport: { width: 1440, height: 900 } });
  ({ page } = visitor);
}, TIMEOUT_MS);

afterAll(async () => {
  await stage?.browser.close();
  await opened?.close();
  await rm(folder, { recursive: true, force: true });
}, TIMEOUT_MS);

/** Waits until the preview shows a frame of the clip that is up to date, and returns its number. */
async function readFrame(on: Page = page): Promise<number> {
  const canvas = on.getByRole('group', { name: 'Preview' });
  await until('a frame', async () => (await canvas.getAttribute('aria-busy')) === 'false');
  return readNumber(await canvas.getByRole('img').screenshot());
}

const shows = (number: number, on: Page = page) =>
  until(`frame ${number}`, async () => (await readFrame(on)) === number);
const isSaved = (on: Page = page) =>
  on.getByRole('status').getByText('Saved', { exact: true }).waitFor();
const clips = (on: Page = page) => on.getByRole('list', { name: 'Track 1' }).getByRole('listitem');
const hasClips = (count: number, on: Page = page) =>
  until(`${count} clips`, async () => (await clips(on).count()) === count);
const readDocument = async () => (await api('GET', '/studio/projects'))[0].document;
const key = (name: string) => page.keyboard.press(name);

const { step } = journey('a film is cut from the library', TIMEOUT_MS);

step('a film is created and a video added', async () => {
  await go(page, 'Studio');
  await page.getByText('No films yet').waitFor();
  await press(page, 'New film');
  await page.getByLabel('Name').fill('Holiday');
  expect(await listFaultsOfLooks(page)).toEqual([]);
  await press(page, 'Create');
  await page.getByRole('button', { name: /^Add Video/ }).click();
  await clips().getByRole('button', { name: 'numbers.mp4, 00:00:00 to 00:04:00' }).waitFor();
  await isSaved();
  await shows(0);
  await clips().locator('canvas[data-ready="true"]').waitFor();
  expect(await listFaultsOfLooks(page)).toEqual([]);
});

step('the arrows move by frames, and the frame that is shown is the one asked for', async () => {
  for (let at = 0; at < 3; at++) await key('ArrowRight');
  await page.getByText('00:00:03 / 00:04:00').waitFor();
  await shows(3);
  await key('Shift+ArrowRight');
  await shows(33);
  await key('End');
  await shows(119);
  await key('ArrowLeft');
  await shows(118);
  await key('Home');
  await shows(0);
});

step(
  'the film plays in real time, stands still where it is, and goes on in the same stream',
  async () => {
    await press(page, 'Play');
    const video = page.getByLabel('Film', { exact: true });
    await video.waitFor();
    const readVideo = async () => readNumber(await video.screenshot());
    const first = await until('a picture', async () => {
      const number = await readVideo();
      return number > 0 && number < 120 && number;
    });
    await until('it goes on', async () => (await readVideo()) > first);
    const readTime = async () => (await page.getByRole('status', { name: 'Time' }).textContent())!;
    await until('the playhead follows', async () => !(await readTime()).startsWith('00:00:00'));
    const [moved] = await Promise.all([
      page.waitForResponse((response) => response.url().endsWith('/position'), { timeout: 0 }),
      press(page, 'Pause'),
    ]);
    expect([moved.status(), moved.request().postDataJSON().isPlaying]).toEqual([200, false]);
    await video.waitFor({ state: 'detached' });
    const [, seconds, frames] = (await readTime()).split(' ')[0]!.split(':').map(Number);
    await shows(seconds! * 30 + frames!);
    // At its end it stops by itself.
    await key('End');
    await key('Shift+ArrowLeft');
    await key(' ');
    await video.waitFor();
    await video.waitFor({ state: 'detached' });
    await shows(119);
    await key('Home');
  },
);

step('a clip is split, its parts trimmed and moved, and what is shown follows', async () => {
  await key('Shift+ArrowRight');
  await key('s');
  await hasClips(2);
  // The first part ends after ten frames; the gap shows nothing.
  await page.getByLabel('End (seconds)').fill('0.5');
  await page.getByLabel('End (seconds)').press('Enter');
  await clips().getByRole('button', { name: 'numbers.mp4, 00:00:00 to 00:00:15' }).waitFor();
  await clips().getByRole('button', { name: 'numbers.mp4, 00:01:00 to 00:04:00' }).click();
  await page.getByLabel('Start (seconds)').fill('0.5');
  await page.getByLabel('Start (seconds)').press('Enter');
  await clips().getByRole('button', { name: 'numbers.mp4, 00:00:15 to 00:03:15' }).waitFor();
  await isSaved();
  await page.getByRole('slider', { name: 'Playhead' }).focus();
  await key('Home');
  await key('ArrowDown');
  await page.getByText('00:00:15 / 00:03:15').waitFor();
  await shows(30);
  await key('ArrowLeft');
  await shows(14);
  const { clips: stored } = await readDocument();
  expect(stored.map(({ sourceIn }: any) => sourceIn)).toEqual([
    { numerator: 0, denominator: 1 },
    { numerator: 1, denominator: 1 },
  ]);
});

step('a clip is moved and trimmed by pointer, and caught by its neighbour', async () => {
  const block = clips().getByRole('button', { name: /00:00:15 to 00:03:15/ });
  const box = (await block.boundingBox())!;
  const middle = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  await page.mouse.move(middle.x, middle.y);
  await page.mouse.down();
  await page.mouse.move(middle.x + 83, middle.y, { steps: 4 });
  await page.mouse.up();
  await clips()
    .getByRole('button', { name: /numbers.mp4, 00:02:1\d to/ })
    .waitFor();
  await page.mouse.move(middle.x + 83, middle.y);
  await page.mouse.down();
  await page.mouse.move(middle.x + 3, middle.y, { steps: 4 });
  await page.mouse.up();
  await block.waitFor();
  const end = { x: box.x + box.width - 3, y: middle.y };
  await page.mouse.move(end.x, end.y);
  await page.mouse.down();
  await page.mouse.move(end.x - 40, end.y, { steps: 4 });
  await page.mouse.up();
  await clips()
    .getByRole('button', { name: /00:00:15 to 00:02:1\d/ })
    .waitFor();
  await isSaved();
});

step('undo and redo go through the edits, also after the page is loaded again', async () => {
  await press(page, 'Undo');
  await clips()
    .getByRole('button', { name: /00:00:15 to 00:03:15/ })
    .waitFor();
  await isSaved();
  await page.reload();
  await hasClips(2);
  for (let at = 0; at < 4; at++) await key('Control+z');
  await until('it is one clip', async () => {
    await key('Control+z');
    return (await clips().count()) === 1;
  });
  await key('Control+Shift+z');
  await hasClips(2);
  await isSaved();
});

step('clips are mixed and fade, and a photo moves', async () => {
  const [cut, mixed] = ['00:01:00 to 00:04:00', '00:00:15 to 00:03:15'].map((times) =>
    clips().getByRole('button', { name: `numbers.mp4, ${times}` }),
  );
  await cut!.click();
  const transition = page.getByLabel('Transition from the clip before');
  await transition.selectOption('Crossfade');
  await mixed!.waitFor();
  await page.getByLabel('Fade out (seconds)').fill('1');
  await page.getByLabel('Fade out (seconds)').press('Enter');
  const half = { numerator: 1, denominator: 2 };
  const readFades = async () => {
    const [, { fadeIn, fadeOut }] = (await readDocument()).clips;
    return { fadeIn, fadeOut };
  };
  await eventually(readFades).toEqual({ fadeIn: half, fadeOut: { numerator: 1, denominator: 1 } });
  // The second comes where it is not seen yet, and the first goes where it is no more.
  await page.getByRole('slider', { name: 'Playhead' }).focus();
  await key('Home');
  await key('ArrowDown');
  await shows(15);
  await key('ArrowDown');
  await page.getByText('00:01:00 / 00:03:15').waitFor();
  await shows(45);
  await transition.selectOption('No transition');
  await cut!.waitFor();
  await page.getByRole('button', { name: /^Add Photo/ }).click();
  await hasClips(3);
  await page.getByLabel('Movement').selectOption('Zoom in');
  await eventually(async () => (await readDocument()).clips[2]?.cropTo?.width).toBe(0.8);
  expect(await listFaultsOfLooks(page)).toEqual([]);
  await press(page, 'Remove from the film');
  await hasClips(2);
  await isSaved();
});

step('a title is written on it', async () => {
  await press(page, 'Add a title');
  await page.getByLabel('Text').fill("It's 100% : a, [b]");
  await page.getByRole('list', { name: 'Titles' }).getByText("It's 100%").waitFor();
  await isSaved();
  await until('the title is stored', async () => {
    const { titles } = await readDocument();
    return titles?.[0]?.text === "It's 100% : a, [b]";
  });
  await press(page, 'Remove from the film');
  await isSaved();
  expect(await listFaultsOfLooks(page)).toEqual([]);
});

step('another window is told about a newer revision, and loses nothing', async () => {
  const other = await enterAgain(stage, visitor, { viewport: { width: 1440, height: 900 } });
  await other.page.goto(page.url());
  await hasClips(2, other.page);
  await press(page, 'Add a title');
  await page.getByLabel('Text').fill('Mine');
  await until('it is stored', async () => (await readDocument()).titles?.[0]?.text === 'Mine');
  await press(other.page, 'Add a title');
  await other.page.getByText('Changed elsewhere').waitFor();
  await eventually(async () => (await readDocument()).titles).toHaveLength(1);
  await press(other.page, 'Keep mine as a copy');
  await until('there is a copy', async () => (await api('GET', '/studio/projects')).length === 2);
  await other.page.getByRole('list', { name: 'Titles' }).getByText('Title').waitFor();
  expect(listEditorProblems(other)).toEqual([]);
  await other.context.close();
});

step('a member of the album watches it and can change nothing', async () => {
  const bob = await api('POST', '/admin/users', { ...BOB, shouldChangePassword: false });
  const { items } = (await api('POST', '/search/metadata', { type: 'VIDEO' })).assets;
  await api('POST', '/albums', {
    albumName: 'Together',
    assetIds: [items[0].id],
    albumUsers: [{ userId: bob.id, role: 'viewer' }],
  });
  await page.reload();
  const sharing = page.getByLabel('Shared with the members of');
  await sharing.getByRole('option', { name: 'Together' }).waitFor({ state: 'attached' });
  await sharing.selectOption('Together');
  await until('it is shared', async () =>
    (await api('GET', '/studio/projects')).some(({ albumId }: any) => albumId !== null),
  );
  const viewer = await enter(stage, { as: BOB, at: '/studio' });
  await viewer.page.getByRole('link', { name: 'Holiday' }).click();
  await viewer.page.getByText('You may watch this project').waitFor();
  await hasClips(2, viewer.page);
  await viewer.page.getByRole('button', { name: 'Next frame', exact: true }).click();
  await shows(1, viewer.page);
  for (const name of ['Undo', 'Add a title', 'Remove from the film'])
    await eventually(() => viewer.page.getByRole('button', { name }).count()).toBe(0);
  await go(viewer.page, 'Studio');
  await viewer.page.getByRole('article', { name: 'Holiday' }).waitFor();
  // The copy is of its owner alone.
  await eventually(() => viewer.page.getByRole('article').count()).toBe(1);
  await eventually(() => viewer.page.getByRole('button', { name: 'Delete Holiday' }).count()).toBe(
    0,
  );
  await leavePhone(viewer);
});

step('a phone shows it, and trims', async () => {
  const phone = await onPhone(stage, visitor);
  await phone.page.goto(page.url());
  await hasClips(2, phone.page);
  await eventually(() => getPageWidth(phone.page)).toBe(390);
  await clips(phone.page).getByRole('button').first().click();
  await phone.page.getByLabel('End (seconds)').fill('0.4');
  await phone.page.getByLabel('End (seconds)').press('Enter');
  await clips(phone.page)
    .getByRole('button', { name: /00:00:00 to 00:00:12/ })
    .waitFor();
  await isSaved(phone.page);
  await leavePhone(phone);
});

step('a film is exported: downloaded, and saved to the library', async () => {
  await page.reload();
  await hasClips(2);
  await page.getByRole('button', { name: 'Export', exact: true }).click();
  const dialog = getDialog(page);
  const exportTo = async (destination: string) => {
    await dialog.getByLabel('Save to').selectOption({ label: destination });
    await dialog.getByLabel('Size').selectOption({ index: 3 });
    await dialog.getByRole('button', { name: 'Export', exact: true }).click();
  };
  const has = (name: string) =>
    until(name, async () => (await dialog.getByRole('link', { name }).count()) === 1);
  await exportTo('File to download');
  await has('Download');
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    dialog.getByRole('link', { name: 'Download' }).click(),
  ]);
  expect(download.suggestedFilename()).toBe('Holiday.mp4');
  const { frames } = listFrames(await download.path());
  expect(frames.slice(0, 12).map(({ number }) => number)).toEqual([...Array(12).keys()]);
  expect(await listFaultsOfLooks(page)).toEqual([]);
  await exportTo('Your library');
  await has('Show in library');
  await eventually(async () => (await api('GET', '/assets/statistics')).videos).toBe(2);
  await dialog.getByRole('button', { name: 'Delete this export' }).first().click();
  await eventually(() => dialog.getByRole('listitem').count()).toBe(1);
  await key('Escape');
});

step('a film is deleted, and its photos stay', async () => {
  await go(page, 'Studio');
  await press(page, 'Delete Holiday (copy)');
  await getDialog(page).getByRole('button', { name: 'Delete film' }).click();
  await page.getByText('Film deleted').waitFor();
  await until('one is left', async () => (await page.getByRole('article').count()) === 1);
  await eventually(async () =>
    (await api('GET', '/studio/projects')).map(({ name }: any) => name),
  ).toEqual(['Holiday']);
  await eventually(async () => (await api('GET', '/assets/statistics')).total).toBe(3);
  expect(await listFaults(page)).toEqual([]);
});
