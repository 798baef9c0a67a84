import { afterEach, beforeEach, expect } from 'bun:test';
import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { photo, type Visitor } from './browser.ts';
import { eventually } from './eventually.ts';
import { isScrolledUnder, listFaults } from './faults.ts';
import { choose, getPageWidth, pictures, pressMore, toast, undo, viewerOpened } from './people.ts';
import { enter, leavePhone, onPhone, openStage, type Stage, TIMEOUT_MS } from './stage.ts';
import { journey } from '../support/journey.ts';

// The editor of photos in a real browser: its sliders, filters and keys, and edits that are copied.

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

const { step } = journey('somebody edits light and colour of photos', TIMEOUT_MS);

const open = async (on: Page, id: string | undefined) => {
  await on.goto(`/photos/${id}`);
  await viewerOpened(on);
  await on.getByRole('button', { name: 'Add to favorites' }).waitFor();
};
const editor = (on: Page) => on.getByRole('dialog', { name: 'Edit', exact: true });
const openEditor = async (on: Page) => {
  await on.keyboard.press('e');
  await editor(on).getByRole('tab', { name: 'Crop' }).waitFor();
  await editor(on).locator('[data-part=crop] canvas').waitFor();
};
const tab = (on: Page, name: string) => editor(on).getByRole('tab', { name }).click();
const slide = (on: Page, name: string, value: number) =>
  editor(on).getByRole('slider', { name }).fill(String(value));
const readState = (id: string | undefined) => stage.api('GET', `/assets/${id}/adjustments`);

/** The colours of the preview that the editor shows, at parts of its width and height. */
const SAMPLES = [0.2, 0.5, 0.8];
const readCanvas = (on: Page): Promise<number[][]> =>
  on.evaluate((samples) => {
    const canvas = document.querySelector<HTMLCanvasElement>('[data-part=result] canvas')!;
    const context = canvas.getContext('2d')!;
    return samples.map((part) => {
      const [x, y] = [Math.floor(part * canvas.width), Math.floor(part * canvas.height)];
      return Array.from(context.getImageData(x, y, 1, 1).data.slice(0, 3));
    });
  }, SAMPLES);

async function readRendered(id: string): Promise<{ ratio: number; colors: number[][] }> {
  const response = await fetch(
    `${stage.server.url}/api/assets/${id}/thumbnail?size=preview&edited=true`,
    { headers: { 'x-api-key': stage.account.apiKey } },
  );
  const { data, info } = await sharp(await response.arrayBuffer())
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  const colors = SAMPLES.map((part) => {
    const at = (Math.floor(part * info.height) * info.width + Math.floor(part * info.width)) * 3;
    return [...data.subarray(at, at + 3)];
  });
  return { ratio: info.width / info.height, colors };
}

/** The greatest difference of a channel: two scalings and a JPEG lie between them. */
const getDifference = (one: number[][], other: number[][]): number =>
  Math.max(
    ...one.flatMap((color, at) =>
      color.map((value, index) => Math.abs(value - other[at]![index]!)),
    ),
  );

step('the sliders change the picture at once, and it is saved as it was seen', async () => {
  await open(page, ids[0]);
  await openEditor(page);
  await tab(page, 'Straighten');
  await slide(page, 'Angle', 5);
  const before = await readCanvas(page);
  await tab(page, 'Brightness');
  await slide(page, 'Exposure', 45);
  await slide(page, 'Contrast', 20);
  await tab(page, 'Color');
  await slide(page, 'Warmth', 60);
  await eventually(async () => getDifference(await readCanvas(page), before) > 15).toBe(true);
  expect(await listFaults(page)).toEqual([]);
  const seen = await readCanvas(page);
  await editor(page).getByRole('button', { name: 'Save' }).click();
  await toast(page, 'Saved');
  expect((await readState(ids[0])).adjustments).toMatchObject({
    straighten: 5,
    exposure: 45,
    contrast: 20,
    warmth: 60,
    tint: 0,
  });
  await eventually(async () => getDifference((await readRendered(ids[0]!)).colors, seen) <= 8).toBe(
    true,
  );
});

step('undo on the toast brings the original back', async () => {
  await undo(page, 'Saved');
  await eventually(async () => (await readState(ids[0])).adjustments.exposure).toBe(0);
  await eventually(async () => (await stage.api('GET', `/assets/${ids[0]}`)).isEdited).toBe(false);
});

step('a slider is reset by a double click or its button, and keys move it', async () => {
  await openEditor(page);
  await tab(page, 'Color');
  const slider = editor(page).getByRole('slider', { name: 'Saturation' });
  await slider.focus();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowRight');
  await eventually(() => slider.getAttribute('aria-valuetext')).toBe('+2');
  await editor(page).getByText('Saturation').dblclick();
  await eventually(() => slider.getAttribute('aria-valuetext')).toBe('0');
  await slide(page, 'Tint', -30);
  await editor(page).getByRole('button', { name: 'Reset: Tint' }).click();
  await eventually(() => editor(page).getByRole('slider', { name: 'Tint' }).inputValue()).toBe('0');
});

step('a filter is chosen by its picture, and the original is seen while O is held', async () => {
  await tab(page, 'Photo filters');
  await editor(page).getByRole('button', { name: 'Black and white', exact: true }).click();
  const isGrey = async () =>
    (await readCanvas(page)).every(([red, green, blue]) => red === green && green === blue);
  await eventually(isGrey).toBe(true);
  await page.keyboard.down('o');
  await editor(page).getByRole('img', { name: 'The original photo' }).waitFor();
  await page.keyboard.up('o');
  await editor(page).getByRole('img', { name: 'The edited photo' }).waitFor();
  const compare = editor(page).getByRole('button', { name: 'Hold to see the original' });
  await compare.hover();
  await page.mouse.down();
  await editor(page).getByRole('img', { name: 'The original photo' }).waitFor();
  await page.mouse.up();
  await editor(page).getByRole('img', { name: 'The edited photo' }).waitFor();
  expect(await listFaults(page)).toEqual([]);
});

step('tabs are reached by arrow keys, and R turns', async () => {
  await editor(page).getByRole('tab', { name: 'Photo filters' }).focus();
  await page.keyboard.press('ArrowLeft');
  expect(await editor(page).getByRole('tab', { name: 'Color' }).getAttribute('aria-selected')).toBe(
    'true',
  );
  await page.keyboard.press('r');
  await editor(page).getByRole('button', { name: 'Save' }).click();
  await toast(page, 'Saved');
  const { edits, adjustments } = await readState(ids[0]);
  expect(edits).toEqual([{ action: 'rotate', parameters: { angle: 90 } }]);
  expect(adjustments).toMatchObject({ saturation: -100, contrast: 12 });
});

step('edits are copied from one photo and pasted on two, with one undo', async () => {
  await page.keyboard.press('Shift+C');
  await toast(page, 'Edits copied');
  await page.keyboard.press('Escape');
  await page.getByRole('dialog', { name: 'Photo viewer' }).waitFor({ state: 'detached' });
  await pictures(page, 3);
  await choose(page, '2 May 2024');
  await choose(page, '1 April 2024');
  await pressMore(page, 'Paste edits');
  await toast(page, 'Edits pasted on 2 items');
  for (const id of ids.slice(1)) {
    const { edits, adjustments } = await readState(id);
    // The turn is that of the photo alone.
    expect(edits).toEqual([]);
    expect(adjustments).toMatchObject({ saturation: -100, contrast: 12 });
  }
  await undo(page, 'Edits pasted on 2 items');
  for (const id of ids.slice(1)) {
    await eventually(async () => (await readState(id)).adjustments.saturation).toBe(0);
  }
  expect((await readState(ids[0])).adjustments.saturation).toBe(-100);
});

step('a change from elsewhere is not overwritten', async () => {
  await open(page, ids[1]);
  await openEditor(page);
  await stage.api('PUT', `/assets/${ids[1]}/edits`, {
    edits: [{ action: 'rotate', parameters: { angle: 180 } }],
  });
  await tab(page, 'Brightness');
  await slide(page, 'Shadows', 30);
  await editor(page).getByRole('button', { name: 'Save' }).click();
  await editor(page).getByText('This photo was edited elsewhere meanwhile.').waitFor();
  expect((await readState(ids[1])).adjustments.shadows).toBe(0);
  // Its answer is an error on purpose.
  ada.problems.splice(0);
  await editor(page).getByRole('button', { name: 'Cancel' }).click();
});

for (const [name, width, height] of [
  ['upright', 390, 844],
  ['on its side', 844, 390],
] as const) {
  step(`all of it can be used on a phone ${name}`, async () => {
    const phone = await onPhone(stage, ada);
    await phone.page.setViewportSize({ width, height });
    await open(phone.page, ids[2]);
    await openEditor(phone.page);
    expect(await getPageWidth(phone.page)).toBeLessThanOrEqual(width);
    for (const one of ['Straighten', 'Brightness', 'Color', 'Photo filters']) {
      await tab(phone.page, one);
      const faults = await listFaults(phone.page);
      expect(faults.filter((fault) => !isScrolledUnder(fault))).toEqual([]);
    }
    await tab(phone.page, 'Brightness');
    const sliders = editor(phone.page).getByRole('slider');
    expect(await sliders.count()).toBe(4);
    for (const slider of await sliders.all()) {
      await slider.scrollIntoViewIfNeeded();
      expect((await slider.boundingBox())!.height).toBeGreaterThanOrEqual(44);
    }
    await slide(phone.page, 'Highlights', -40);
    await editor(phone.page).getByRole('button', { name: 'Cancel' }).click();
    await leavePhone(phone);
  });
}
