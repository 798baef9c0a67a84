import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { listFrames, paintClip, readNumber } from '../../../../test/support/painted-clips.ts';
import { addFile, openMediaLibrary } from '../../../../test/support/processing.ts';
import { seed, type TestDatabase } from '../../../../test/support/harness.ts';
import { findAccountSession } from '../../../access/account-session.ts';
import type { UserSession } from '../../../access/session.ts';
import { rational } from '../../../core/rational.ts';
import { renderFrame } from './frame.ts';

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
/** Every frame would take minutes. */
const STEP = 19;
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

const CANVAS = { width: 320, height: 192 };

async function render(assetId: string, time: [number, number], canvas = CANVAS): Promise<string> {
  const target = join(database.deps.paths.studio, 'frames', randomUUID());
  const second = { numerator: 1, denominator: 1 };
  const clip = {
    assetId,
    track: 0,
    start: { numerator: 0, denominator: 1 },
    sourceIn: { numerator: 0, denominator: 1 },
    duration: { numerator: 60, denominator: 1 },
  };
  await renderFrame(database.deps, {
    document: { ...canvas, frameRate: second, clips: [clip] },
    time: rational(BigInt(time[0]), BigInt(time[1])),
    quality: 'full',
    viewport: canvas,
    session,
    folder: target,
    signal: new AbortController().signal,
  });
  return join(target, 'frame.png');
}

describe('a frame is the one whose interval contains the time', () => {
  test.each(CLIPS)('%s', async (name, clip) => {
    const path = join(folder, name);
    paintClip(path, clip);
    const { frames, unit } = listFrames(path);
    const assetId = await addFile(database, path, { ownerId });
    const first = frames[0]!.pts;
    const wrong: string[] = [];
    for (let at = 0; at < frames.length; at += STEP) {
      const [here, next] = [frames[at]!, frames[at + 1]];
      // Exactly on its time, in the middle, and just before the next one.
      const start = (here.pts - first) * 1000;
      const length = ((next?.pts ?? here.pts + 1) - here.pts) * 1000;
      for (const offset of [0, Math.floor(length / 2), length - 1]) {
        const time: [number, number] = [(start + offset) * unit[0], unit[1] * 1000];
        const number = await readNumber(await render(assetId, time));
        if (number !== here.number) wrong.push(`${time.join('/')}: ${number}, not ${here.number}`);
      }
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
