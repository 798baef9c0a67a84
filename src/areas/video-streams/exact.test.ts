import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { makeClip } from '../../../test/fixtures/clips.ts';
import { seed, type TestUser } from '../../../test/support/harness.ts';
import { addFile } from '../../../test/support/processing.ts';
import {
  countedClip,
  inspect,
  openStream,
  openStreamLibrary,
  type Played,
  readWhole,
  type StreamLibrary,
} from '../../../test/support/video-streams.ts';
import { stopVideoStreams } from './sessions.ts';

let library: StreamLibrary;
let me: TestUser;
beforeAll(async () => {
  library = await openStreamLibrary();
});
afterAll(() => library.close());
afterEach(() => stopVideoStreams(library.database.deps));

const H264 = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p'];
const B_FRAMES = ['-c:v', 'libx264', '-preset', 'veryfast', '-bf', '3', '-pix_fmt', 'yuv420p'];
const HEVC = ['-c:v', 'libx265', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', '-x265-params'];
const SECONDS = 6;
const counted = (rate: string, filter?: string) => countedClip(rate, SECONDS, filter);
/** The gaps between frames are 40 to 340 ms. */
const VARIABLE = "select='not(mod(n*n,7)*mod(n,5))'";

type Clip = {
  readonly args: readonly string[];
  /** The segments of its own pictures, if they are passed through. */
  readonly passed?: number;
};
/** By what the clip is: its name, what ffmpeg is told. */
const CLIPS: Readonly<Record<string, readonly [file: string, clip: Clip]>> = {
  '25 frames a second': ['a.mp4', { args: [...counted('25'), ...H264, '-g', '25'], passed: 3 }],
  '29.97 frames a second and B-frames': [
    'b.mp4',
    { args: [...counted('30000/1001'), ...B_FRAMES, '-g', '45'], passed: 3 },
  ],
  '60 frames a second, B-frames and sound of another kind': [
    'c.mkv',
    { args: [...counted('60'), ...B_FRAMES, '-g', '120', '-c:a', 'libmp3lame'], passed: 3 },
  ],
  'a variable frame rate': [
    'd.mkv',
    {
      args: [
        ...counted('25', VARIABLE),
        ...B_FRAMES,
        '-g',
        '10',
        '-fps_mode',
        'vfr',
        '-c:a',
        'aac',
      ],
      passed: 3,
    },
  ],
  'HEVC with closed groups': [
    'e.mp4',
    { args: [...counted('25'), ...HEVC, 'log-level=error:open-gop=0:keyint=50'], passed: 3 },
  ],
  'a clip that begins late, with long groups': [
    'g.mkv',
    { args: [...counted('25'), ...B_FRAMES, '-g', '250', '-output_ts_offset', '3'] },
  ],
  'an AVI, which tells no times': [
    'h.avi',
    { args: [...counted('25'), '-c:v', 'mpeg4', '-bf', '2'] },
  ],
};

async function add(name: string): Promise<{ id: string; path: string; passed?: number }> {
  me = await seed(library.database).user();
  const [file, { args, ...rest }] = CLIPS[name]!;
  const path = makeClip(join(library.folder, file), args);
  return { path, id: await addFile(library.database, path, { ownerId: me.id }), ...rest };
}

/** How far sound may be from its pictures, and parts of it from each other, in ms. */
const SOUND_TOLERANCE_MS = 20;

function expectSame(played: Played, original: Played): void {
  const late = played.frames.map((time, at) => Math.abs(time - original.frames[at]!));
  // Clocks round.
  expect(Math.max(...late)).toBeLessThanOrEqual(1);
  expect(played.numbers).toEqual(original.numbers);
  const { sound, beeps } = played;
  const gaps = sound.slice(1).map((time, at) => time - sound[at]! - PACKET_MS);
  expect(Math.max(...gaps)).toBeLessThanOrEqual(SOUND_TOLERANCE_MS);
  expect(beeps.length).toBe(SECONDS - 1);
  const shifts = beeps.map((time, at) => Math.abs(time - original.beeps[at]!));
  expect(Math.max(...shifts)).toBeLessThanOrEqual(SOUND_TOLERANCE_MS);
}

/** A packet of AAC at 44.1 kHz. */
const PACKET_MS = 1024 / 44.1;

describe.each(Object.keys(CLIPS))('a stream of %s', (name) => {
  test('shows each frame once in each variant, whichever segment is asked for first', async () => {
    const { id, path, passed } = await add(name);
    const original = inspect(path);
    const { original: own } = await openStream(library.app, id, { as: me });
    expect(own).toBe(passed === undefined ? undefined : 1);
    for (const variant of own === undefined ? [0] : [0, own]) {
      const player = await openStream(library.app, id, { as: me });
      await player.choose(variant);
      expect(player.durations.length).toBe(variant === own ? passed! : 3);
      expectSame(inspect(await readWhole(player)), original);
      const total = player.durations.reduce((sum, seconds) => sum + seconds, 0);
      expect(total).toBeWithin(original.frames.at(-1)! / 1000 + 0.001, SECONDS + 0.4);
      expect(Math.max(...player.durations)).toBeLessThan(3.5);
      await stopVideoStreams(library.database.deps);

      const other = await openStream(library.app, id, { as: me });
      await other.choose(variant);
      const order = [2, 0, 1].filter((number) => number < other.durations.length);
      expectSame(inspect(await readWhole(other, order)), original);
      await stopVideoStreams(library.database.deps);
    }
  });
});
