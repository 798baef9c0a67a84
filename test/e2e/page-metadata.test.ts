import { afterEach, beforeEach, expect } from 'bun:test';
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { journey } from '../support/journey.ts';
import { type Photo, photo, type Visitor } from './browser.ts';
import { eventually } from './eventually.ts';
import { listFaults } from './faults.ts';
import {
  type Api,
  choose,
  getDialog,
  holdToast,
  pictures,
  press,
  pressMore,
  toast,
  undo,
  viewerOpened,
} from './people.ts';
import { enter, openStage, type Stage, TIMEOUT_MS } from './stage.ts';

// Dates and places that are changed, copied or proposed, and the XMP files that take them along.

let stage: Stage;
let ada: Visitor;
let page: Page;
let api: Api;
let ids: string[];

/** A JPEG without a date in its metadata. */
async function undated(name: string): Promise<Photo> {
  const { buffer } = await photo(name, '2024:01:01 12:00:00');
  return { name, mimeType: 'image/jpeg', buffer: await sharp(buffer).jpeg().toBuffer() };
}

beforeEach(async () => {
  stage = await openStage();
  ({ api } = stage);
  ids = await stage.add([
    photo('first.jpg', '2024:05:01 12:00:00'),
    photo('second.jpg', '2024:05:02 12:00:00'),
    photo('third.jpg', '2024:05:02 13:00:00'),
    undated('Party 13.08.2019.jpg'),
    undated('without.jpg'),
  ]);
  await api('PUT', `/assets/${ids[1]}`, { latitude: 48.8566, longitude: 2.3522 });
  ada = await enter(stage);
  ({ page } = ada);
  await pictures(page, 5);
}, TIMEOUT_MS);

afterEach(async () => {
  expect(ada.problems).toEqual([]);
  await stage?.close();
}, TIMEOUT_MS);

const { step, chapter } = journey('an owner corrects dates and places', TIMEOUT_MS);

const read = async (at: number) => {
  const { localDateTime, fileCreatedAt, exifInfo } = await api('GET', `/assets/${ids[at]}`);
  const { timeZone, latitude } = exifInfo;
  return { local: localDateTime.slice(0, 16), at: fileCreatedAt.slice(0, 16), timeZone, latitude };
};
const save = async () => {
  const dialog = getDialog(page);
  await dialog.locator('ins').first().waitFor();
  expect(await listFaults(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Save' }).click();
  await holdToast(page, 'changed');
};

chapter('the dialog', () => {
  step('the time zone alone is changed, of the moment or of the clock', async () => {
    const before = await read(0);
    const change = async (keeps: string) => {
      await choose(page, '1 May 2024');
      await pressMore(page, 'Edit date and place');
      const dialog = getDialog(page);
      await dialog.getByLabel('Date', { exact: true }).selectOption('Time zone only');
      expect(await dialog.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);
      await dialog.getByLabel('Time zone', { exact: true }).fill('Asia/Tokyo');
      await dialog.getByLabel('What stays').selectOption(keeps);
      await save();
    };
    await change('The clock; the moment changes');
    expect(await read(0)).toMatchObject({
      local: '2024-05-01T12:00',
      at: '2024-05-01T03:00',
      timeZone: 'Asia/Tokyo',
    });
    await undo(page, '1 item changed');
    await toast(page, 'Change undone');
    expect(await read(0)).toEqual(before);
    await change('The moment; the clock changes');
    expect(await read(0)).toMatchObject({
      local: '2024-05-01T21:00',
      at: '2024-05-01T12:00',
      timeZone: 'Asia/Tokyo',
    });
    expect((await read(1)).timeZone).not.toBe('Asia/Tokyo');
  });

  step('a selection gets the date and the place of one of it', async () => {
    await page.reload();
    await pictures(page, 5);
    await choose(page, '1 May 2024');
    await page.getByRole('checkbox', { name: /2 May 2024, 12:00/ }).click();
    await pressMore(page, 'Edit date and place');
    const dialog = getDialog(page);
    await dialog.getByLabel('Date', { exact: true }).selectOption('Same as another photo');
    await dialog.getByLabel('Place', { exact: true }).selectOption('Same as another photo');
    const sources = dialog.getByRole('group', { name: 'Copy from' }).getByRole('radio');
    expect(await sources.count()).toBe(2);
    const source = dialog.locator(`label:has(img[src*="${ids[1]}"])`);
    await source.click();
    await save();
    expect(await read(0)).toMatchObject({ local: '2024-05-02T12:00', latitude: 48.8566 });
    expect(await read(2)).toMatchObject({ local: '2024-05-02T13:00', latitude: null });
    await undo(page, 'changed');
    await toast(page, 'Change undone');
    await page.keyboard.press('Escape');
  });
});

chapter('the viewer', () => {
  const open = async (at: number) => {
    await page.goto(`/photos/${ids[at]}`);
    await viewerOpened(page);
    await page.keyboard.press('i');
    return page.getByRole('complementary', { name: 'Information' });
  };

  step('the date of the photo is edited there, and only its own', async () => {
    const panel = await open(2);
    await panel.getByRole('button', { name: 'Edit date and place' }).click();
    const dialog = getDialog(page).last();
    await dialog.getByLabel('Date', { exact: true }).selectOption('Set date and time');
    await dialog.getByLabel('Day').fill('2020-02-29');
    await dialog.getByLabel('Time', { exact: true }).fill('08:30');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await holdToast(page, '1 item changed');
    expect((await read(2)).local).toBe('2020-02-29T08:30');
    expect((await read(1)).local).toBe('2024-05-02T12:00');
    await panel.getByText('29 February 2020').first().waitFor();
    await undo(page, '1 item changed');
    await eventually(async () => (await read(2)).local).toBe('2024-05-02T13:00');
  });

  step('date and place are copied from one photo to another', async () => {
    const panel = await open(1);
    await panel.getByRole('button', { name: 'Copy date and place' }).click();
    await toast(page, 'Copied.');
    await page.keyboard.press('Escape');
    await pictures(page, 5);
    await choose(page, '1 May 2024');
    await pressMore(page, 'Edit date and place');
    const dialog = getDialog(page);
    await dialog.getByLabel('Place', { exact: true }).selectOption('Same as another photo');
    expect(await dialog.getByRole('radio', { name: 'second.jpg' }).isChecked()).toBe(true);
    await save();
    expect(await read(0)).toMatchObject({ local: '2024-05-01T12:00', latitude: 48.8566 });
  });
});

chapter('what is missing', () => {
  const row = (name: string) => page.getByRole('listitem').filter({ hasText: name });

  step('a date is proposed by the name of the file, accepted, undone and dismissed', async () => {
    await page.goto('/missing/date');
    await row('Party 13.08.2019.jpg').getByText('from the file name').waitFor();
    await row('without.jpg').getByText('like items uploaded with it').waitFor();
    for (const name of ['first.jpg', 'second.jpg', 'third.jpg'])
      expect(await row(name).count()).toBe(0);
    expect(await listFaults(page)).toEqual([]);
    await press(page, 'Accept for Party 13.08.2019.jpg');
    await holdToast(page, '1 item changed');
    expect((await read(3)).local).toBe('2019-08-13T12:00');
    await eventually(() => row('Party 13.08.2019.jpg').count()).toBe(0);
    await undo(page, '1 item changed');
    await row('Party 13.08.2019.jpg').waitFor();
    await press(page, 'Dismiss without.jpg');
    await eventually(() => row('without.jpg').count()).toBe(0);
    await page.reload();
    await row('Party 13.08.2019.jpg').waitFor();
    expect(await row('without.jpg').count()).toBe(0);
  });

  step('a place is proposed by photos of the same hours', async () => {
    await page.getByRole('link', { name: 'Without a place' }).click();
    await row('third.jpg').getByText('like others of these hours').waitFor();
    // Another day, and a date that is not known.
    for (const name of ['first.jpg', 'Party 13.08.2019.jpg'])
      expect(await row(name).count()).toBe(0);
    await press(page, 'Accept 1');
    await holdToast(page, '1 item changed');
    expect(await read(2)).toMatchObject({ latitude: 48.8566 });
    await page.getByText('Nothing is missing').waitFor();
  });
});

chapter('downloads', () => {
  const download = async (): Promise<{ name: string; bytes: Buffer }> => {
    await choose(page, '1 May 2024');
    const [file] = await Promise.all([page.waitForEvent('download'), pressMore(page, 'Download')]);
    return { name: file.suggestedFilename(), bytes: readFileSync(await file.path()) };
  };

  step('contain XMP files once this browser is told to, and not before', async () => {
    const plain = await download();
    expect(plain.name).toBe('first.jpg');
    await page.goto('/settings');
    const setting = page.getByLabel('Downloads in this browser contain XMP files');
    expect(await setting.isChecked()).toBe(false);
    await setting.check();
    await page.goto('/photos');
    await pictures(page, 5);
    const archive = await download();
    expect(archive.name).toBe('photos.zip');
    const text = archive.bytes.toString('latin1');
    expect(['first.jpg', 'first.jpg.xmp'].map((name) => text.includes(name))).toEqual([true, true]);
    expect(text).not.toContain('second.jpg');
    await page.goto('/settings');
    await setting.uncheck();
    await page.goto('/photos');
    await pictures(page, 5);
    expect((await download()).name).toBe('first.jpg');
  });
});
