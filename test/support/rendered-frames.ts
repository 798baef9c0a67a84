import { afterAll, beforeAll, expect } from 'bun:test';
import { randomUUID } from 'node:crypto';
import { mkdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import sharp, { type Sharp } from 'sharp';
import { findAccountSession } from '../../src/access/account-session.ts';
import type { UserSession } from '../../src/access/session.ts';
import { listAssetIds } from '../../src/areas/studio/projects/document.ts';
import { renderFrame } from '../../src/areas/studio/render/frame.ts';
import { requireSources } from '../../src/areas/studio/render/sources.ts';
import { readFrames, TO_VIDEO } from '../../src/areas/studio/streams/child/frames.ts';
import { divide, rational, type Rational, toWire } from '../../src/core/rational.ts';
import type { StudioClip, StudioDocument } from '../../src/db/tables/studio.ts';
import { addWithPreview } from './exported-films.ts';
import { seed, type TestDatabase } from './harness.ts';
import { addFile, openMediaLibrary } from './processing.ts';
import { sample } from './sample.ts';

const NEVER = new AbortController().signal;

export const CANVAS = { width: 320, height: 192 };
const RATE = rational(30n);
export const frames = (count: number): Rational => divide(rational(BigInt(count)), RATE);
export const at = (count: number) => toWire(frames(count));

export const paint = (width: number, height: number, background: string): Sharp =>
  sharp({ create: { width, height, channels: 3, background } });

/** A clip by the numbers of its first frame and of the one behind its last. */
export const clip = (
  assetId: string,
  [start, end]: [number, number],
  over: object = {},
): StudioClip => ({
  assetId,
  track: 0,
  start: at(start),
  duration: at(end - start),
  sourceIn: at(0),
  ...over,
});

/** A film on green ground. */
export const film = (...clips: StudioClip[]): StudioDocument => ({
  ...CANVAS,
  frameRate: toWire(RATE),
  background: '#00ff00',
  clips,
});

/** Expects a colour, of which each part may be a little different. */
export const expectColor = (color: readonly number[], expected: readonly number[], tolerance = 3) =>
  expect(Math.max(...color.map((part, index) => Math.abs(part - expected[index]!)))).toBeWithin(
    0,
    tolerance + 1,
  );

type Media = {
  readonly folder: string;
  readonly addPicture: (name: string, picture: Sharp) => Promise<string>;
  readonly addVideo: (name: string) => Promise<string>;
};

/** A library per file with pictures and videos, whose frames are rendered one by one and as a stream. */
export function createFrameTests(addMedia: (media: Media) => Promise<void>) {
  let database: TestDatabase;
  let close: () => Promise<void>;
  let session: UserSession;
  beforeAll(async () => {
    const library = await openMediaLibrary();
    ({ database, close } = library);
    const owner = { ownerId: (await seed(database).user()).id };
    session = (await findAccountSession(database.db, owner.ownerId))!;
    await addMedia({
      folder: library.folder,
      async addPicture(name, picture) {
        const file = join(library.folder, name);
        await picture.jpeg({ quality: 100, chromaSubsampling: '4:4:4' }).toFile(file);
        return addWithPreview(database, { file }, owner);
      },
      addVideo: (name) => addFile(database, join(library.folder, name), owner),
    });
  });
  afterAll(() => close());

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

  /** Expects frames of the stream from one on to be those that are rendered one by one: in a quick run a third of `all`. */
  async function expectSameInStream(
    document: StudioDocument,
    from: number,
    all: readonly number[],
  ): Promise<void> {
    const wanted = sample(`frames from ${from} of ${all.length}`, all, Math.ceil(all.length / 3));
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

  return { renderAt, readColor, expectSameInStream };
}
