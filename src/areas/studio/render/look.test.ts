import { describe, expect, test } from 'bun:test';
import sharp from 'sharp';
import {
  at,
  CANVAS,
  clip,
  createFrameTests,
  expectColor,
  film,
  frames,
  paint,
} from '../../../../test/support/rendered-frames.ts';
import type { StudioDocument, StudioTitle } from '../../../db/tables/studio.ts';

/** Assets by what they show: a tall picture, and one of the shape of the canvas. */
let tall: string;
let halves: string;
const { renderAt, readColor, expectSameInStream } = createFrameTests(async ({ addPicture }) => {
  tall = await addPicture('tall.jpg', paint(192, 384, '#c86432'));
  const white = { input: await paint(320, 384, '#ffffff').png().toBuffer(), left: 320, top: 0 };
  halves = await addPicture('halves.jpg', paint(640, 384, '#000000').composite([white]));
});

const ORANGE = [200, 100, 50];

describe('a clip that is surrounded by its own picture', () => {
  test('fills the canvas, darker around the source', async () => {
    const document = film(clip(tall, [0, 30], { surround: 'blur' }));
    expectColor(await readColor(document, 0), ORANGE);
    // The source takes 96 columns of 320.
    for (const x of [0.36, 0.64]) expectColor(await readColor(document, 0, [x, 0.5]), ORANGE);
    for (const x of [0.01, 0.33, 0.67, 0.99])
      expectColor(await readColor(document, 0, [x, 0.5]), [120, 60, 30]);
  });

  test('is cropped with what surrounds it', async () => {
    const crop = { x: 0, y: 0, width: 0.5, height: 0.5 };
    const document = film(clip(tall, [0, 30], { surround: 'blur', crop }));
    // The left half: the source begins at 112 of 160 columns.
    expectColor(await readColor(document, 0, [0.66, 0.5]), [120, 60, 30]);
    expectColor(await readColor(document, 0, [0.74, 0.5]), ORANGE);
  });

  test('is the same in a stream, also while it moves and fades', async () => {
    const cropTo = { x: 0.1, y: 0.1, width: 0.8, height: 0.8 };
    const moving = { surround: 'blur', cropTo, easing: 'smooth' };
    const document = film(
      clip(halves, [0, 20]),
      clip(tall, [10, 40], { ...moving, fadeIn: at(10) }),
      clip(tall, [30, 50], { surround: 'blur', fadeIn: at(10) }),
    );
    await expectSameInStream(document, 0, [0, 10, 15, 19, 20, 25, 30, 35, 40, 49]);
  });
});

describe('a smooth movement', () => {
  const half = (x: number) => ({ x, y: 0, width: 0.5, height: 1 });
  const document = () => {
    const over = { crop: half(0), cropTo: half(0.5), easing: 'smooth', fit: 'cover' };
    return film(clip(halves, [0, 60], over));
  };
  /** The share of a frame that is white. */
  const getWhite = async (frame: number) => {
    const { channels } = await sharp(await renderAt(document(), frames(frame))).stats();
    return channels[0]!.mean / 255;
  };

  test('is slow at both ends', async () => {
    for (const [frame, share] of [
      [0, 0],
      [15, 0.15625],
      [30, 0.5],
      [45, 0.84375],
    ] as const)
      expect(await getWhite(frame)).toBeCloseTo(share, 1.7);
  });
});

test('a clip whose fade is over covers the one below it, the same in a stream', async () => {
  const fading = { fit: 'cover', fadeIn: at(10), fadeOut: at(10) };
  const document = film(
    clip(tall, [0, 40], { fit: 'cover', track: 0 }),
    clip(halves, [0, 40], { ...fading, track: 1 }),
  );
  for (const frame of [10, 20, 29])
    expectColor(await readColor(document, frame, [0.2, 0.5]), [0, 0, 0]);
  await expectSameInStream(document, 0, [0, 5, 9, 10, 11, 20, 29, 30, 31, 35, 39]);
});

describe('the light of a clip', () => {
  test('is multiplied', async () => {
    const document = film(clip(tall, [0, 30], { fit: 'cover', brightness: 0.5 }));
    expectColor(await readColor(document, 0), [100, 50, 25]);
  });

  test('is spread by a blur', async () => {
    const sharpEdge = film(clip(halves, [0, 30]));
    const soft = film(clip(halves, [0, 30], { blur: 0.1 }));
    for (const [x, dark, light] of [
      [0.47, 0, 80],
      [0.53, 255, 175],
    ] as const) {
      expectColor(await readColor(sharpEdge, 0, [x, 0.5]), [dark, dark, dark]);
      expectColor(await readColor(soft, 0, [x, 0.5]), [light, light, light], 30);
    }
  });
});

describe('a title', () => {
  const withTitle = (over: Partial<StudioTitle>): StudioDocument => {
    const title = { text: 'IIII', start: at(0), duration: at(40), x: 0.5, y: 0.5, size: 0.3 };
    return { ...film(clip(halves, [0, 40], { brightness: 0 })), titles: [{ ...title, ...over }] };
  };
  /** Columns of a frame that are lighter than black, as parts of its width, and the lightest value. */
  const measure = async (document: StudioDocument, frame: number) => {
    const { data } = await sharp(await renderAt(document, frames(frame)))
      .greyscale()
      .raw()
      .toBuffer({ resolveWithObject: true });
    const columns = data.reduce<Set<number>>(
      (seen, value, index) => (value > 60 ? seen.add(index % CANVAS.width) : seen),
      new Set(),
    );
    const edges = [...columns].toSorted((a, b) => a - b).map((column) => column / CANVAS.width);
    return { left: edges[0] ?? 1, right: edges.at(-1) ?? 0, lightest: Math.max(...data) };
  };

  test('lies around its place, or begins there', async () => {
    const centered = await measure(withTitle({}), 0);
    expect((centered.left + centered.right) / 2).toBeCloseTo(0.5, 1.5);
    const left = await measure(withTitle({ align: 'left' }), 0);
    expect(left.left).toBeWithin(0.5, 0.53);
  });

  test('comes and goes', async () => {
    const document = withTitle({ fadeIn: at(10), fadeOut: at(20) });
    for (const [frame, value] of [
      [5, 128],
      [15, 255],
      [30, 128],
    ] as const)
      expect((await measure(document, frame)).lightest).toBeWithin(value - 8, value + 8);
    await expectSameInStream(document, 0, [0, 5, 9, 10, 20, 21, 30, 39]);
    await expectSameInStream(document, 25, [25, 33]);
  });

  test('has a dark edge on a light picture', async () => {
    const onWhite = (outline: boolean): StudioDocument => ({
      ...film(
        clip(halves, [0, 40], { crop: { x: 0.5, y: 0, width: 0.5, height: 1 }, fit: 'cover' }),
      ),
      titles: [{ ...withTitle({ outline }).titles![0]! }],
    });
    const getDarkest = async (document: StudioDocument) =>
      (await sharp(await renderAt(document, frames(0))).stats()).channels[0]!.min;
    expect(await getDarkest(onWhite(false))).toBeGreaterThan(240);
    expect(await getDarkest(onWhite(true))).toBeLessThan(200);
  });
});
