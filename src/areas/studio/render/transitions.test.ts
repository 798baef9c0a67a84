import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { randomUUID } from 'node:crypto';
import { mkdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import sharp, { type Sharp } from 'sharp';
import { addWithPreview } from '../../../../test/support/exported-films.ts';
import { effort } from '../../../../test/support/effort.ts';
import { seed, type TestDatabase } from '../../../../test/support/harness.ts';
import { paintClip, readNumber } from '../../../../test/support/painted-clips.ts';
import { addFile, openMediaLibrary } from '../../../../test/support/processing.ts';
import { sample } from '../../../../test/support/sample.ts';
import { findAccountSession } from '../../../access/account-session.ts';
import type { UserSession } from '../../../access/session.ts';
import { add, divide, rational, type Rational, toWire } from '../../../core/rational.ts';
import type { StudioClip, StudioDocument } from '../../../db/tables/studio.ts';
import { listAssetIds } from '../projects/document.ts';
import { readFrames, TO_VIDEO } from '../streams/child/frames.ts';
import { renderFrame } from './frame.ts';
import { requireSources } from './sources.ts';

let database: TestDatabase;
let close: () => Promise<void>;
let session: UserSession;
/** Assets by what they show. */
let red: string;
let blue: string;
let quadrants: string;
let video: string;
beforeAll(async () => {
  const library = await openMediaLibrary();
  ({ database, close } = library);
  const owner = await seed(database).user();
  session = (await findAccountSession(database.db, owner.id))!;
  const addPicture = async (name: string, picture: Sharp) => {
    const file = join(library.folder, name);
    await picture.jpeg({ quality: 100, chromaSubsampling: '4:4:4' }).toFile(file);
    return addWithPreview(database, { file }, { ownerId: owner.id });
  };
  red = await addPicture('red.jpg', paint(320, 192, '#ff0000'));
  blue = await addPicture('blue.jpg', paint(320, 192, '#0000ff'));
  const corners = [
    { input: await paint(320, 192, '#ffff00').png().toBuffer(), left: 320, top: 0 },
    { input: await paint(320, 192, '#0000ff').png().toBuffer(), left: 0, top: 192 },
    { input: await paint(320, 192, '#00ff00').png().toBuffer(), left: 320, top: 192 },
  ];
  quadrants = await addPicture('quadrants.jpg', paint(640, 384, '#ff0000').composite(corners));
  const path = join(library.folder, 'numbers.mp4');
  paintClip(path, { frames: 60, coding: '-c:v libx264 -crf 12 -preset ultrafast -g 15' });
  video = await addFile(database, path, { ownerId: owner.id });
});
afterAll(() => close());

const NEVER = new AbortController().signal;
const paint = (width: number, height: number, background: string) =>
  sharp({ create: { width, height, channels: 3, background } });

const CANVAS = { width: 320, height: 192 };
const RATE = rational(30n);
const frames = (count: number): Rational => divide(rational(BigInt(count)), RATE);
const at = (count: number) => toWire(frames(count));

/** A clip by the numbers of its first frame and of the one behind its last. */
const clip = (assetId: string, [start, end]: [number, number], over: object = {}): StudioClip => ({
  assetId,
  track: 0,
  start: at(start),
  duration: at(end - start),
  sourceIn: at(0),
  ...over,
});
const film = (...clips: StudioClip[]): StudioDocument => ({
  ...CANVAS,
  frameRate: toWire(RATE),
  background: '#00ff00',
  clips,
});

async function renderAt(document: StudioDocument, time: Rational): Promise<string> {
  const folder = join(database.deps.paths.studio, 'frames', randomUUID());
  const order = {
    document,
    time,
    quality: 'full',
    viewport: CANVAS,
    session,
    folder,
    signal: NEVER,
  };
  await renderFrame(database.deps, { ...order, quality: 'full' });
  return join(folder, 'frame.png');
}

/** Frames that were rendered for their colours, by film. */
const rendered = new WeakMap<StudioDocument, Map<number, Promise<string>>>();

function renderOnce(document: StudioDocument, frame: number): Promise<string> {
  const known = rendered.get(document) ?? new Map<number, Promise<string>>();
  rendered.set(document, known);
  const path = known.get(frame) ?? renderAt(document, frames(frame));
  known.set(frame, path);
  return path;
}

/** Returns the colour of a point of a frame, in parts of the canvas. */
async function readColor(
  document: StudioDocument,
  frame: number,
  [x, y] = [0.5, 0.5],
): Promise<number[]> {
  const { data, info } = await sharp(await renderOnce(document, frame))
    .raw()
    .toBuffer({ resolveWithObject: true });
  const pixel = Math.floor(y * info.height) * info.width + Math.floor(x * info.width);
  return [...data.subarray(pixel * 3, pixel * 3 + 3)];
}

const isNear = (color: readonly number[], expected: readonly number[], tolerance = 3) =>
  expect(Math.max(...color.map((part, index) => Math.abs(part - expected[index]!)))).toBeWithin(
    0,
    tolerance + 1,
  );

/** Expects frames of the stream from one on to be those that are rendered one by one: in a quick run half of `all`. */
async function expectSameInStream(
  document: StudioDocument,
  from: number,
  all: readonly number[],
): Promise<void> {
  const wanted = sample(`frames from ${from} of ${all.length}`, all, Math.ceil(all.length / 2));
  const folder = join(database.deps.paths.studio, 'streams', randomUUID());
  await mkdir(folder, { recursive: true });
  const sources = await requireSources(database.deps, session, listAssetIds(document));
  const { studio } = database.deps.paths;
  const played = { document, sources, size: CANVAS, time: at(from), studio, folder };
  const streamed = new Map<number, Buffer>();
  let number = from;
  for await (const frame of readFrames(played, frames(from), NEVER)) {
    if (wanted.includes(number)) streamed.set(number, Buffer.from(frame));
    number += 1;
  }
  expect(number).toBeGreaterThan(Math.max(...all));
  const singles = await renderAsStreamed(document, wanted);
  expect(wanted.filter((number, at) => !singles[at]!.equals(streamed.get(number)!))).toEqual([]);
}

/** Renders frames one by one. Returns them in the format of a stream. */
async function renderAsStreamed(
  document: StudioDocument,
  numbers: readonly number[],
): Promise<Buffer[]> {
  const folder = join(database.deps.paths.studio, 'singles', randomUUID());
  await mkdir(folder, { recursive: true });
  for (const [at, number] of numbers.entries())
    await rename(await renderAt(document, frames(number)), join(folder, `${at}.png`));
  const filters = `format=gbrp,${TO_VIDEO}`;
  const { stdout } = Bun.spawnSync(
    ['ffmpeg', '-v', 'error', '-i', '%d.png', '-vf', filters, '-f', 'rawvideo', 'pipe:1'],
    { cwd: folder },
  );
  const size = (CANVAS.width * CANVAS.height * 3) / 2;
  expect(stdout.length).toBe(numbers.length * size);
  return numbers.map((_, at) => stdout.subarray(at * size, (at + 1) * size));
}

const GREEN = [0, 255, 0];
const RED = [254, 0, 0];
const BLUE = [0, 0, 254];

describe('a clip that fades', () => {
  test('comes from the background and goes back to it evenly', async () => {
    const document = film(clip(red, [0, 60], { fadeIn: at(20), fadeOut: at(10) }));
    isNear(await readColor(document, 0), GREEN);
    isNear(await readColor(document, 5), [64, 191, 0]);
    isNear(await readColor(document, 10), [127, 127, 0]);
    isNear(await readColor(document, 20), RED);
    isNear(await readColor(document, 50), RED);
    isNear(await readColor(document, 55), [127, 127, 0]);
    isNear(await readColor(document, 59), [25, 230, 0]);
  });

  test('reaches its own opacity', async () => {
    const document = film(clip(red, [0, 60], { fadeIn: at(20), opacity: 0.5 }));
    isNear(await readColor(document, 10), [64, 191, 0]);
    isNear(await readColor(document, 30), [127, 127, 0]);
  });

  test('is mixed with the clip of its track that it follows', async () => {
    const document = film(clip(blue, [30, 90], { fadeIn: at(20) }), clip(red, [0, 50]));
    isNear(await readColor(document, 29), RED);
    isNear(await readColor(document, 35), [191, 0, 64]);
    isNear(await readColor(document, 40), [127, 0, 127]);
    isNear(await readColor(document, 49), [13, 0, 241]);
    isNear(await readColor(document, 50), BLUE);
  });

  test('dips to the background where one goes before the other comes', async () => {
    const document = film(
      clip(red, [0, 30], { fadeOut: at(10) }),
      clip(blue, [30, 60], { fadeIn: at(10) }),
    );
    isNear(await readColor(document, 25), [127, 127, 0]);
    isNear(await readColor(document, 30), GREEN);
    isNear(await readColor(document, 35), [0, 127, 127]);
  });
});

const quarter = (x: number, y: number) => ({ x, y, width: 0.5, height: 0.5 });

describe('a crop that moves', () => {
  test('goes evenly from its start to its end', async () => {
    const document = film(
      clip(quadrants, [0, 60], { crop: quarter(0, 0), cropTo: quarter(0.5, 0) }),
    );
    for (const [frame, share] of [
      [0, 1],
      [15, 0.75],
      [30, 0.5],
      [45, 0.25],
    ] as const) {
      // Red until the middle of the picture, yellow behind it.
      isNear(await readColor(document, frame, [share - 0.02, 0.9]), RED);
      if (share < 1) isNear(await readColor(document, frame, [share + 0.02, 0.9]), [255, 255, 0]);
    }
  });

  test('becomes larger or smaller between pixels', async () => {
    const document = film(clip(quadrants, [0, 60], { cropTo: quarter(0.5, 0.5) }));
    isNear(await readColor(document, 0, [0.48, 0.48]), RED);
    isNear(await readColor(document, 0, [0.52, 0.52]), GREEN);
    // A third of the crop lies before the middle of the picture.
    isNear(await readColor(document, 30, [0.31, 0.31]), RED);
    isNear(await readColor(document, 30, [0.36, 0.31]), [255, 255, 0]);
    isNear(await readColor(document, 30, [0.31, 0.36]), BLUE);
    isNear(await readColor(document, 59, [0.03, 0.03]), GREEN);
  });

  test('goes on by parts of a pixel', async () => {
    const crops = { crop: quarter(0, 0), cropTo: quarter(0.05, 0) };
    const document = film(clip(quadrants, [0, 60], crops));
    const widths: number[] = [];
    for (let frame = 30; frame < 30 + effort({ quick: 4, full: 6 }); frame++) {
      const picture = sharp(await renderAt(document, frames(frame)));
      const { channels } = await picture
        .extract({ left: 0, top: 0, width: 320, height: 1 })
        .stats();
      // Only what is yellow has green.
      widths.push((channels[1]!.mean / 255) * CANVAS.width);
    }
    const steps = widths.slice(1).map((width, index) => width - widths[index]!);
    // A tenth of the canvas in 60 frames.
    for (const step of steps) expect(step).toBeWithin(0.45, 0.62);
  });
});

describe('a frame of a stream is the one that is rendered alone', () => {
  test('in fades, crossfades and moves of pictures', async () => {
    const move = { crop: quarter(0.1, 0), cropTo: quarter(0.37, 0.41), fit: 'cover' };
    const document = film(
      clip(quadrants, [0, 47], { ...move, fadeIn: at(7), fadeOut: at(3), rotation: 10 }),
      clip(red, [31, 73], { fadeIn: at(16), fadeOut: at(13), opacity: 0.8 }),
      clip(blue, [52, 66], { track: 1, scale: 0.3, cropTo: quarter(0, 0) }),
    );
    await expectSameInStream(document, 0, [0, 1, 3, 6, 7, 29, 31, 38, 46, 47, 55, 60, 66, 72]);
    await expectSameInStream(document, 35, [35, 36, 41, 59]);
  });

  test('in videos, and behind their end', async () => {
    const document = film(
      clip(video, [0, 40], { cropTo: quarter(0.2, 0.3), fadeOut: at(12) }),
      clip(video, [33, 90], { sourceIn: at(10), fadeIn: at(7), fadeOut: at(20) }),
    );
    await expectSameInStream(document, 0, [0, 13, 29, 35, 39, 60, 80, 89]);
    expect(await readNumber(await renderAt(document, add(frames(33), frames(9))))).toBe(19);
  });

  test('where a clip covers others, and where one begins behind the end of its video', async () => {
    const document = film(
      clip(video, [0, 120]),
      clip(red, [20, 40], { track: 1 }),
      clip(quadrants, [115, 120], { track: 2, scale: 0.3 }),
    );
    await expectSameInStream(document, 0, [0, 19, 20, 39, 40, 59, 60, 112, 115, 119]);
    await expectSameInStream(document, 118, [118, 119]);
    isNear(await readColor(document, 30), [255, 0, 0]);
  });
});
