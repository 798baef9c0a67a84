import { afterEach, beforeEach, expect } from 'bun:test';
import type { Page } from 'playwright-core';
import { photo, type Visitor } from './browser.ts';
import { eventually } from './eventually.ts';
import { listFaults } from './faults.ts';
import {
  getPageWidth,
  PHONE,
  pictures,
  press,
  pressMore,
  toast,
  undo,
  viewerOpened,
} from './people.ts';
import { enter, leavePhone, onPhone, openStage, type Stage, TIMEOUT_MS } from './stage.ts';
import { journey } from '../support/journey.ts';

// The actions of the viewer in a real browser, by its bar, its menu and its keys.

let stage: Stage;
let ada: Visitor;
let page: Page;
let ids: string[];

beforeEach(async () => {
  stage = await openStage();
  ids = await stage.add([
    photo('june.jpg', '2024:06:03 12:00:00'),
    photo('may.jpg', '2024:05:02 12:00:00'),
    photo('april.jpg', '2024:04:01 12:00:00'),
  ]);
  ada = await enter(stage);
  ({ page } = ada);
}, TIMEOUT_MS);

afterEach(async () => {
  await stage?.close();
  expect(ada.problems).toEqual([]);
}, TIMEOUT_MS);

const { step } = journey('somebody acts on the photo in the viewer', TIMEOUT_MS);

const open = async (path: string) => {
  await page.goto(path);
  await viewerOpened(page);
  await page.getByRole('button', { name: 'Add to favorites' }).waitFor();
};
const closed = () =>
  page.getByRole('dialog', { name: 'Photo viewer' }).waitFor({ state: 'detached' });
const menu = (name: string) => pressMore(page, name);
const read = (id: string | undefined) => stage.api('GET', `/assets/${id}`);

step('l adds to an album, which the album then shows', async () => {
  await open(`/photos/${ids[1]}`);
  await page.keyboard.press('l');
  await page.getByLabel('Find an album, or name a new one').fill('Spring');
  await press(page, 'New album “Spring”');
  await toast(page, '1 item added to Spring');
});

step('s offers a link to this photo alone', async () => {
  await page.keyboard.press('s');
  const dialog = page.getByRole('dialog', { name: 'Share by link' });
  await dialog.getByRole('button', { name: 'Create link' }).click();
  await page.getByRole('dialog', { name: 'The link is ready' }).waitFor();
  await press(page, 'Done');
  const links = await stage.api<{ assets: { id: string }[] }[]>('GET', '/shared-links');
  expect(links.map(({ assets }) => assets.map(({ id }) => id))).toEqual([[ids[1]!]]);
});

step('t tags', async () => {
  await page.keyboard.press('t');
  await page.getByRole('dialog').last().getByRole('textbox').fill('garden');
  await page.keyboard.press('Enter');
  await eventually(async () =>
    (await read(ids[1])).tags.map((tag: { value: string }) => tag.value),
  ).toEqual(['garden']);
  await page.getByRole('dialog', { name: 'Tag', exact: true }).waitFor({ state: 'detached' });
});

step('letters do nothing while somebody types', async () => {
  await page.keyboard.press('i');
  await page.getByLabel('Description').fill('lifts');
  await page.getByLabel('Description').blur();
  expect(await page.getByRole('dialog', { name: 'Add to album' }).count()).toBe(0);
  await eventually(async () => (await read(ids[1])).exifInfo.description).toBe('lifts');
  expect((await read(ids[1])).isFavorite).toBe(false);
});

step('the smaller version is a JPEG with the name of the photo', async () => {
  const download = page.waitForEvent('download');
  await page.keyboard.press('Shift+P');
  expect((await download).suggestedFilename()).toBe('may.jpg');
});

step('r turns to the right without a dialog, and undo turns back', async () => {
  await open(`/photos/${ids[0]}`);
  await page.keyboard.press('r');
  await toast(page, 'Rotated');
  await eventually(async () => (await read(ids[0])).isEdited).toBe(true);
  const { edits } = await stage.api('GET', `/assets/${ids[0]}/edits`);
  expect(edits.map(({ parameters }: { parameters: object }) => parameters)).toEqual([
    { angle: 90 },
  ]);
  await undo(page, 'Rotated');
  await eventually(async () => (await read(ids[0])).isEdited).toBe(false);
});

step('a turn by the menu comes on top of the one before it', async () => {
  await menu('Rotate left');
  await menu('Rotate left');
  await eventually(async () => {
    const { edits } = await stage.api('GET', `/assets/${ids[0]}/edits`);
    return edits.map(({ parameters }: { parameters: object }) => parameters);
  }).toEqual([{ angle: 180 }]);
});

step('the menu leads to the album, at this photo', async () => {
  await stage.api('POST', '/albums', { albumName: 'Walks', assetIds: [ids[1], ids[2]] });
  await open(`/photos/${ids[2]}`);
  await menu('Show in album');
  await page.getByRole('dialog').getByRole('link', { name: /Walks/ }).click();
  await page.getByRole('heading', { name: 'Walks', level: 2 }).waitFor();
  await page.waitForFunction(
    (id) => (document.activeElement as HTMLElement | null)?.dataset['id'] === id,
    ids[2],
  );
  await page.keyboard.press('Enter');
  await viewerOpened(page);
});

step('and from the album to the timeline', async () => {
  await menu('Show in timeline');
  await page.waitForURL('**/photos');
  await closed();
  await page.waitForFunction(
    (id) => (document.activeElement as HTMLElement | null)?.dataset['id'] === id,
    ids[2],
  );
});

step('a locked photo leaves the timeline, and the viewer shows the next one', async () => {
  await stage.api('POST', '/auth/pin-code', { pinCode: '135790' });
  await open(`/photos/${ids[0]}`);
  await page.getByRole('button', { name: 'Next photo', disabled: false }).waitFor();
  await page.keyboard.press('Shift+L');
  await toast(page, '1 item locked and hidden from albums');
  await page.waitForURL(`**/photos/${ids[1]}`);
  await page.goto('/photos');
  await pictures(page, 2);
});

step(
  'a phone has the daily actions below, the seldom ones in the menu, and no zoom buttons',
  async () => {
    const phone = await onPhone(stage, ada);
    await phone.page.goto(`/photos/${ids[1]}`);
    await phone.page.getByRole('button', { name: 'Add to favorites' }).waitFor();
    expect(await phone.page.getByRole('button', { name: /Zoom/ }).count()).toBe(0);
    const below = phone.page.getByRole('toolbar', { name: 'Actions' });
    await eventually(() => below.getByRole('button').allInnerTexts()).toEqual(
      ['Share by link', 'Add to favorites', 'Edit', 'Move to the trash'].map((label) =>
        expect.stringContaining(label),
      ),
    );
    const { y, height } = (await below.boundingBox())!;
    expect(y + height).toBe(PHONE.viewport.height);
    await phone.page.getByRole('button', { name: 'More actions' }).tap();
    await phone.page.getByRole('menuitem', { name: 'Move to the archive' }).waitFor();
    expect(await getPageWidth(phone.page)).toBe(390);
    expect(await listFaults(phone.page)).toEqual([]);
    await phone.page.getByRole('menuitem', { name: 'Move to the archive' }).tap();
    await toast(phone.page, '1 item archived');
    await leavePhone(phone);
  },
);
