import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { adjustPixels } from './adjusted-pixels.ts';
import { type Adjustments, UNADJUSTED } from './adjustments.ts';
import { renderEdited } from './edited-image.ts';
import type { Edit } from './edits.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'safelight-adjusted-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const SIZE = { width: 240, height: 160 };

type Color = readonly number[];

/** Writes a picture of which each pixel has the colour that `paint` returns. */
async function paint(name: string, color: (x: number, y: number) => Color): Promise<string> {
  const channels = color(0, 0).length === 4 ? 4 : 3;
  const data = new Uint8Array(SIZE.width * SIZE.height * channels);
  for (let at = 0; at < SIZE.width * SIZE.height; at++) {
    data.set(color(at % SIZE.width, Math.floor(at / SIZE.width)), at * channels);
  }
  const path = join(folder, name);
  await sharp(data, { raw: { ...SIZE, channels } }).toFile(path);
  return path;
}

async function render(path: string, over: Partial<Adjustments>, edits: readonly Edit[] = []) {
  const { fullsize } = await renderEdited(path, {
    fileName: 'a.png',
    tempDir: folder,
    edits,
    adjustments: { ...UNADJUSTED, ...over },
    source: SIZE,
  });
  const { data, info } = await sharp(fullsize.bytes).raw().toBuffer({ resolveWithObject: true });
  return {
    ...fullsize,
    at: (x: number, y: number) =>
      [...data.subarray((y * info.width + x) * info.channels)].slice(0, info.channels),
    info,
  };
}

const isNear = (one: readonly number[], other: readonly number[], tolerance = 8) =>
  one.every((value, index) => Math.abs(value - other[index]!) <= tolerance);

test('the file has the colours that the page computes for its preview', async () => {
  const color = (x: number, y: number) => [x, Math.floor(y * 1.5), 128];
  const path = await paint('ramp.png', color);
  const over = { exposure: 30, contrast: 25, shadows: 40, warmth: -35, tint: 20, saturation: 30 };
  const picture = await render(path, over);
  for (const [x, y] of [
    [20, 20],
    [120, 40],
    [200, 140],
    [60, 120],
  ] as const) {
    const expected = Uint8Array.from(color(x, y));
    adjustPixels(expected, 3, { ...UNADJUSTED, ...over });
    expect([x, y, isNear(picture.at(x, y), [...expected])]).toEqual([x, y, true]);
  }
});

test('a straightened picture has no corners of another colour, and its vertical lines lean to the right', async () => {
  // A line in the middle, which a clockwise turn leans to the right.
  const path = await paint('line.png', (x) =>
    Math.abs(x - 119.5) < 4 ? [255, 255, 255] : [200, 30, 30],
  );
  const picture = await render(path, { straighten: 10 });
  const { width, height } = picture;
  expect(width / height).toBeCloseTo(1.5, 1);
  expect(width).toBeLessThan(SIZE.width);
  for (const [x, y] of [
    [0, 0],
    [width - 1, 0],
    [0, height - 1],
    [width - 1, height - 1],
  ] as const) {
    expect(isNear(picture.at(x, y), [200, 30, 30], 24)).toBe(true);
  }
  const middle = Math.round(width / 2);
  const lean = Math.round(Math.tan((10 * Math.PI) / 180) * (height / 2 - 10));
  expect(isNear(picture.at(middle, Math.round(height / 2)), [255, 255, 255], 30)).toBe(true);
  expect(isNear(picture.at(middle + lean, 10), [255, 255, 255], 60)).toBe(true);
  expect(isNear(picture.at(middle - lean, 10), [200, 30, 30], 24)).toBe(true);
});

test('geometry first: a crop and a turn, then the angle, then the colour', async () => {
  // The right half is blue.
  const path = await paint('halves.png', (x) => (x < 120 ? [180, 40, 40] : [40, 40, 180]));
  const crop: Edit = { action: 'crop', parameters: { x: 120, y: 0, width: 120, height: 160 } };
  const turn: Edit = { action: 'rotate', parameters: { angle: 90 } };
  const picture = await render(path, { straighten: -5, saturation: -100 }, [crop, turn]);
  expect(picture.width).toBeGreaterThan(picture.height);
  const grey = Math.round(0.2126 * 40 + 0.7152 * 40 + 0.0722 * 180);
  for (const [x, y] of [
    [1, 1],
    [Math.round(picture.width / 2), Math.round(picture.height / 2)],
    [picture.width - 2, picture.height - 2],
  ] as const) {
    expect(isNear(picture.at(x, y), [grey, grey, grey], 6)).toBe(true);
  }
});

test('transparency stays, and what cannot be seen does not bleed', async () => {
  // Half of it is transparent, with a hidden green.
  const path = await paint('clear.png', (x) => (x < 120 ? [200, 0, 0, 255] : [0, 255, 0, 0]));
  const picture = await render(path, { straighten: 20, exposure: 20 });
  expect(picture.info.channels).toBe(4);
  const [middle] = [Math.round(picture.height / 2)];
  expect(picture.at(2, middle)[3]).toBe(255);
  expect(picture.at(picture.width - 3, middle)[3]).toBe(0);
  for (let x = 0; x < picture.width; x++) {
    const [red, green, , opacity] = picture.at(x, middle);
    if (opacity! > 128) expect(red! - green!).toBeGreaterThan(100);
  }
});

test('a picture of one channel is rendered in colour', async () => {
  const path = join(folder, 'grey.png');
  await sharp({ create: { ...SIZE, channels: 3, background: '#808080' } })
    .toColourspace('b-w')
    .toFile(path);
  const picture = await render(path, { warmth: 100 });
  const [red, , blue] = picture.at(50, 50);
  expect(red! - blue!).toBeGreaterThan(20);
});

test('the same values make the same bytes', async () => {
  const path = await paint('same.png', (x, y) => [x, y, (x * y) % 256]);
  const over = { straighten: 3.3, exposure: -20, saturation: 15 };
  const [one, other] = [await render(path, over), await render(path, over)];
  expect(Buffer.compare(one.bytes, other.bytes)).toBe(0);
});
