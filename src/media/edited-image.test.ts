import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { UNADJUSTED } from './adjustments.ts';
import { renderEdited } from './edited-image.ts';
import { type Edit, computeEditedSize, scaleBox, computeTransform } from './edits.ts';
import { MediaError } from './errors.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'safelight-edited-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const crop = (x: number, y: number, width: number, height: number): Edit => ({
  action: 'crop',
  parameters: { x, y, width, height },
});
const rotate = (angle: number): Edit => ({ action: 'rotate', parameters: { angle } });
const mirror = (axis: 'horizontal' | 'vertical'): Edit => ({
  action: 'mirror',
  parameters: { axis },
});

/** Fields of 40 × 40 pixels, by letter: three by two, all different. */
const FIELDS = { R: [255, 0, 0], G: [0, 255, 0], B: [0, 0, 255], C: [0, 255, 255] } as const;
const COLORS: Record<string, readonly number[]> = {
  ...FIELDS,
  M: [255, 0, 255],
  Y: [255, 255, 0],
};
const PICTURE = ['RGB', 'CMY'];
const SIDE = 40;
const SOURCE = { width: 3 * SIDE, height: 2 * SIDE };

type Rows = readonly string[];
const flopped = (rows: Rows): Rows => rows.map((row) => row.split('').toReversed().join(''));
const flipped = (rows: Rows): Rows => rows.toReversed();
/** Clockwise. */
const turned = (rows: Rows): Rows =>
  rows[0]!.split('').map((_, x) =>
    rows
      .map((row) => row[x]!)
      .toReversed()
      .join(''),
  );

function apply(rows: Rows, edit: Edit): Rows {
  if (edit.action === 'mirror') {
    return edit.parameters.axis === 'horizontal' ? flopped(rows) : flipped(rows);
  }
  if (edit.action === 'rotate') {
    let result = rows;
    for (let n = 0; n < edit.parameters.angle; n += 90) result = turned(result);
    return result;
  }
  const { x, y, width, height } = edit.parameters;
  return rows
    .slice(y / SIDE, (y + height) / SIDE)
    .map((row) => row.slice(x / SIDE, (x + width) / SIDE));
}

async function drawn(rows: Rows, over: { exif?: number; name?: string } = {}): Promise<string> {
  const [width, height] = [rows[0]!.length * SIDE, rows.length * SIDE];
  const data = new Uint8Array(width * height * 3);
  for (let at = 0; at < width * height; at++) {
    const [x, y] = [at % width, Math.floor(at / width)];
    data.set(COLORS[rows[Math.floor(y / SIDE)]![Math.floor(x / SIDE)]!]!, at * 3);
  }
  const path = join(folder, `${crypto.randomUUID()}${over.name ?? '.png'}`);
  const image = sharp(data, { raw: { width, height, channels: 3 } });
  await (over.exif ? image.withMetadata({ orientation: over.exif }) : image).toFile(path);
  return path;
}

async function read(bytes: Uint8Array): Promise<Rows> {
  const { data, info } = await sharp(bytes).raw().toBuffer({ resolveWithObject: true });
  const letterAt = (x: number, y: number) => {
    const at = (y * info.width + x) * info.channels;
    const near = Object.entries(COLORS).map(([letter, color]) => ({
      letter,
      far: color.reduce((sum, value, index) => sum + Math.abs(value - data[at + index]!), 0),
    }));
    return near.toSorted((a, b) => a.far - b.far)[0]!.letter;
  };
  return Array.from({ length: Math.max(1, Math.round(info.height / SIDE)) }, (_, row) =>
    Array.from({ length: Math.max(1, Math.round(info.width / SIDE)) }, (_, column) =>
      letterAt(column * SIDE + SIDE / 2, row * SIDE + SIDE / 2),
    ).join(''),
  );
}

const render = async (path: string, edits: readonly Edit[], source = SOURCE, fileName = 'a.png') =>
  renderEdited(path, { fileName, tempDir: folder, edits, adjustments: UNADJUSTED, source });

const LISTS: readonly Edit[][] = [
  [rotate(0)],
  [rotate(90)],
  [rotate(180)],
  [rotate(270)],
  [mirror('horizontal')],
  [mirror('vertical')],
  [mirror('horizontal'), mirror('vertical')],
  [rotate(90), mirror('horizontal')],
  [mirror('horizontal'), rotate(90)],
  [rotate(90), mirror('vertical')],
  [mirror('vertical'), rotate(270)],
  [mirror('vertical'), rotate(90), mirror('horizontal')],
  [crop(SIDE, 0, 2 * SIDE, SIDE)],
  [crop(SIDE, 0, 2 * SIDE, 2 * SIDE), rotate(90)],
  [crop(0, SIDE, 2 * SIDE, SIDE), mirror('horizontal'), rotate(270), mirror('vertical')],
];
const formatEdits = (edits: readonly Edit[]) =>
  edits
    .map(({ action, parameters }) => `${action} ${Object.values(parameters).join('/')}`)
    .join(', ');

describe('an edited picture is the result of its steps in order', () => {
  for (const edits of LISTS) {
    test(formatEdits(edits), async () => {
      const expected = edits.reduce(apply, PICTURE as Rows);
      const { fullsize, preview, thumbnail } = await render(await drawn(PICTURE), edits);
      expect(await read(fullsize.bytes)).toEqual(expected);
      expect(await read(preview.bytes)).toEqual(expected);
      const size = { width: expected[0]!.length * SIDE, height: expected.length * SIDE };
      expect(fullsize).toMatchObject(size);
      expect(thumbnail).toMatchObject(size);
      expect(computeEditedSize(SOURCE, edits)).toEqual(size);
    });
  }
});

describe('edits of a file with an EXIF orientation apply to the picture as shown', () => {
  for (let orientation = 1; orientation <= 8; orientation++) {
    test(`EXIF ${orientation}`, async () => {
      const path = await drawn(PICTURE, { exif: orientation, name: '.jpg' });
      const shown = await sharp(path).autoOrient().png().toBuffer({ resolveWithObject: true });
      const rows = await read(shown.data);
      const source = { width: shown.info.width, height: shown.info.height };
      for (const edits of [
        [crop(SIDE, SIDE, source.width - SIDE, source.height - SIDE)],
        [crop(0, SIDE, source.width, source.height - SIDE), mirror('vertical'), rotate(90)],
        [mirror('horizontal')],
      ]) {
        const { fullsize } = await render(path, edits, source, 'a.jpg');
        expect(await read(fullsize.bytes)).toEqual(edits.reduce(apply, rows));
      }
    });
  }
});

test('a crop fits the picture that could be decoded, and is never empty', async () => {
  const box = { x: 100, y: 0, width: 200, height: 100 };
  const [full, half] = [
    { width: 400, height: 100 },
    { width: 200, height: 50 },
  ];
  expect(scaleBox(box, full, half)).toEqual({ x: 50, y: 0, width: 100, height: 50 });
  expect(scaleBox(box, full, full)).toEqual(box);
  const tiny = { x: 399, y: 99, width: 1, height: 1 };
  expect(scaleBox(tiny, full, { width: 2, height: 2 })).toEqual({
    x: 1,
    y: 1,
    width: 1,
    height: 1,
  });
  const big = { width: 6 * SIDE, height: 4 * SIDE };
  const path = await drawn(PICTURE);
  const { fullsize } = await render(path, [crop(2 * SIDE, 0, 2 * SIDE, 2 * SIDE)], big);
  expect(await read(fullsize.bytes)).toEqual(['G']);
});

test('drops all metadata and keeps transparency', async () => {
  const jpeg = await drawn(PICTURE, { exif: 6, name: '.jpg' });
  const edited = await render(jpeg, [rotate(90)], { width: 80, height: 120 }, 'a.jpg');
  const { exif, orientation } = await sharp(edited.fullsize.bytes).metadata();
  expect([exif, orientation]).toEqual([undefined, undefined]);
  expect(edited.fullsize.type).toBe('image/jpeg');

  const clear = join(folder, 'clear.png');
  const background = { r: 255, g: 0, b: 0, alpha: 0.5 };
  await sharp({ create: { width: 80, height: 40, channels: 4, background } }).toFile(clear);
  const { fullsize, preview } = await render(clear, [rotate(90)], { width: 80, height: 40 });
  for (const picture of [fullsize, preview]) {
    expect(picture.type).toBe('image/webp');
    expect((await sharp(picture.bytes).metadata()).hasAlpha).toBe(true);
  }
});

test('a wide colour space becomes sRGB', async () => {
  const path = join(folder, 'p3.jpg');
  await sharp({ create: { width: 80, height: 40, channels: 3, background: '#c03030' } })
    .withIccProfile('p3')
    .jpeg()
    .toFile(path);
  const { fullsize } = await render(path, [rotate(180)], { width: 80, height: 40 }, 'p3.jpg');
  const { dominant } = await sharp(fullsize.bytes).stats();
  expect((await sharp(fullsize.bytes).metadata()).icc).toBeUndefined();
  expect(dominant.r).toBeGreaterThan(150);
});

test('rotations and mirrorings are combined', () => {
  expect(computeTransform([rotate(270), rotate(180)]).degrees).toBe(90);
  expect(computeTransform([mirror('horizontal'), mirror('vertical')])).toMatchObject({
    mirrored: false,
    degrees: 180,
  });
});

test('a file that is no picture counts as broken', async () => {
  const path = join(folder, 'text.jpg');
  await Bun.write(path, 'no picture');
  await expect(render(path, [rotate(90)], SOURCE, 'text.jpg')).rejects.toBeInstanceOf(MediaError);
});
