import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { randomUUID } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { createSeededRandom, effort } from '../../../../test/support/effort.ts';
import { listFrames, paintClip, readNumber } from '../../../../test/support/painted-clips.ts';
import { addFile, openMediaLibrary } from '../../../../test/support/processing.ts';
import { seed, type TestDatabase } from '../../../../test/support/harness.ts';
import { sample } from '../../../../test/support/sample.ts';
import { findAccountSession } from '../../../access/account-session.ts';
import type { UserSession } from '../../../access/session.ts';
import { rational } from '../../../core/rational.ts';
import type { StudioDocument } from '../../../db/tables/studio.ts';
import { readFrames } from '../streams/child/frames.ts';
import { renderFrame } from './frame.ts';
import { requireSources } from './sources.ts';

let database: TestDatabase;
let folder: string;
let close: () => Promise<void>;
let ownerId: string;
let session: UserSession;
beforeAll(async () => {
  ({ database, folder, close } = await openMediaLibrary());
  ownerId = (await seed(database).user()).id;
  session = (await findAccountSession(database.db, ownerId))!;
});
afterAll(() => close());

const FRAMES = 150;
/** Number of frames compared in each clip besides the first. All of them would take minutes. */
const OTHERS = effort({ quick: 1, full: 7 });
const H264 = '-c:v libx264 -crf 12 -preset veryfast';
/** Few key frames, B-frames before them, frames that refer to what is before a key frame. */
const OPEN_GOP = `${H264} -g 60 -bf 3 -x264-params open-gop=1:keyint_min=60`;

/** Files in which a seek easily ends beside the frame. */
const CLIPS: readonly [string, Parameters<typeof paintClip>[1]][] = [
  ['ntsc.mp4', { frames: FRAMES, rate: '30000/1001', coding: OPEN_GOP }],
  ['late.mkv', { frames: FRAMES, rate: '24000/1001', coding: `${OPEN_GOP} -output_ts_offset 3` }],
  [
    'vfr.mp4',
    {
      frames: FRAMES,
      filters: ["select='mod(n,7)*mod(n,11)'"],
      coding: `${OPEN_GOP} -vsync vfr`,
    },
  ],
  ['broadcast.ts', { frames: FRAMES, rate: '25', coding: OPEN_GOP }],
  // Without the times of some frames, or of most.
  ['disc.vob', { frames: FRAMES, coding: '-c:v mpeg2video -q:v 2 -g 15 -bf 2 -f vob' }],
  ['old.avi', { frames: FRAMES, coding: '-c:v mpeg4 -q:v 2 -g 60 -bf 2' }],
  ['vp9.webm', { frames: FRAMES, coding: '-c:v libvpx-vp9 -crf 20 -b:v 0 -g 60 -cpu-used 8' }],
  [
    'ten-bits.mp4',
    {
      frames: 60,
      coding:
        '-c:v libx265 -crf 12 -preset ultrafast -pix_fmt yuv420p10le -x265-params log-level=none',
    },
  ],
];

type Added = ReturnType<typeof listFrames> & { readonly assetId: string };
const added = new Map<string, Promise<Added>>();

function addClip(name: string, clip: Parameters<typeof paintClip>[1]): Promise<Added> {
  const add = async () => {
    const path = join(folder, name);
    paintClip(path, clip);
    return { ...listFrames(path), assetId: await addFile(database, path, { ownerId }) };
  };
  const known = added.get(name) ?? add();
  added.set(name, known);
  return known;
}

/** Returns the number of the first frame, and those of others: of each part of the clip one by the seed. */
function chooseFrames(name: string, count: number): number[] {
  const { below } = createSeededRandom(`frames of ${name}`);
  const part = Math.floor((count - 1) / OTHERS);
  return [0, ...Array.from({ length: OTHERS }, (_, at) => 1 + at * part + below(part))];
}

const CANVAS = { width: 320, height: 192 };
const NEVER = new AbortController().signal;
type Time = [number, number];

function film(assetId: string, [numerator, denominator]: Time = [0, 1]): StudioDocument {
  const second = { numerator: 1, denominator: 1 };
  const clip = {
    assetId,
    track: 0,
    start: { numerator: 0, denominator: 1 },
    sourceIn: { numerator, denominator },
    duration: { numerator: 60, denominator: 1 },
  };
  return { ...CANVAS, frameRate: second, clips: [clip] };
}

async function render(assetId: string, time: Time): Promise<string> {
  const folder = join(database.deps.paths.studio, 'frames', randomUUID());
  await renderFrame(database.deps, {
    document: film(assetId),
    time: rational(BigInt(time[0]), BigInt(time[1])),
    quality: 'full',
    viewport: CANVAS,
    session,
    folder,
    signal: NEVER,
  });
  return join(folder, 'frame.png');
}

/** Frames at which a clip is cut: in the middle of a group of pictures, and around its end. */
const CUTS = [7, 58, 59, 60, 61];
/** In a quick run, of each clip: together they have all of them. */
const CUTS_OF_CLIP = 2;
const CUTS_EVERY = effort({ quick: FRAMES, full: 76 });

/** Returns the number of the first frame of a film that begins in the middle of the video. */
async function play(assetId: string, sourceIn: Time): Promise<number> {
  const document = film(assetId, sourceIn);
  const sources = await requireSources(database.deps, session, [assetId]);
  const { studio } = database.deps.paths;
  const folder = join(studio, 'streams', randomUUID());
  await mkdir(folder, { recursive: true });
  const time = { numerator: 0, denominator: 1 };
  const played = { document, sources, size: CANVAS, time, studio, folder };
  for await (const frame of readFrames(played, rational(0n), NEVER)) {
    const raw = { width: CANVAS.width, height: CANVAS.height, channels: 1 } as const;
    const luma = frame.slice(0, CANVAS.width * CANVAS.height);
    return readNumber(await sharp(luma, { raw }).png().toBuffer());
  }
  throw new Error('the film has no frame');
}

/** A quick run plays one half of the clips, and cuts the other. */
const HALF = CLIPS.length / 2;
const PLAYED = sample('clips', CLIPS, HALF);
const CUT = effort({ quick: 0, full: 1 }) ? CLIPS : CLIPS.filter((one) => !PLAYED.includes(one));

describe('a frame is the one whose interval contains the time', () => {
  test.each(PLAYED)('%s', async (name, clip) => {
    const { assetId, frames, unit } = await addClip(name, clip);
    const first = frames[0]!.pts;
    const wrong: string[] = [];
    for (const at of chooseFrames(name, frames.length)) {
      const [here, next] = [frames[at]!, frames[at + 1]];
      // Exactly on its time, in the middle, and just before the next one.
      const start = (here.pts - first) * 1000;
      const length = ((next?.pts ?? here.pts + 1) - here.pts) * 1000;
      for (const offset of [0, Math.floor(length / 2), length - 1]) {
        const time: Time = [(start + offset) * unit[0], unit[1] * 1000];
        const number = await readNumber(await render(assetId, time));
        if (number !== here.number) wrong.push(`${time.join('/')}: ${number}, not ${here.number}`);
      }
    }
    expect(wrong).toEqual([]);
  });
});

describe('a film begins with the frame at which its clip is cut, also beside key frames', () => {
  test.each(CUT)('%s', async (name, clip) => {
    const { assetId, frames, unit } = await addClip(name, clip);
    const wrong: string[] = [];
    const cuts = sample(`cuts of ${name}`, CUTS, CUTS_OF_CLIP);
    for (const { pts, number } of frames.filter((_, at) => cuts.includes(at % CUTS_EVERY))) {
      const time: Time = [((pts - frames[0]!.pts) * 1000 + 1) * unit[0], unit[1] * 1000];
      const first = await play(assetId, time);
      if (first !== number) wrong.push(`${number}: ${first}`);
    }
    expect(wrong).toEqual([]);
  });
});

test('a time behind the last frame shows it', async () => {
  const path = join(folder, 'short.mp4');
  paintClip(path, { frames: 20, coding: H264 });
  const assetId = await addFile(database, path, { ownerId });
  expect(await readNumber(await render(assetId, [10, 1]))).toBe(19);
});
