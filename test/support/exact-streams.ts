import { afterAll, afterEach, expect } from 'bun:test';
import { join } from 'node:path';
import { stopVideoStreams } from '../../src/areas/video-streams/sessions.ts';
import { makeClip } from '../fixtures/clips.ts';
import { createSeededRandom, effort } from './effort.ts';
import { seed } from './harness.ts';
import { addFile } from './processing.ts';
import {
  countedClip,
  inspect,
  openStream,
  openStreamLibrary,
  type Played,
  readWhole,
  type StreamLibrary,
  type StreamPlayer,
} from './video-streams.ts';

// Streams that are compared with their originals frame by frame, and beep by beep.

/** A clip of `countedClip`, coded in some way. */
export type CountedClip = {
  /** Its extension tells the container. */
  readonly file: string;
  /** The arguments of ffmpeg, without an output. */
  readonly args: readonly string[];
  /** The segments of its own pictures, if they are passed through. */
  readonly passed?: number;
  /** The beeps that are heard: without it one at each second but the first. */
  readonly beeps?: number;
};

export const CLIP_SECONDS = 6;
/** Clips of a file that a quick run plays, as the seed says. */
export const QUICK_CLIPS = 2;
export const H264 = '-c:v libx264 -preset ultrafast -pix_fmt yuv420p'.split(' ');
export const B_FRAMES = '-c:v libx264 -preset veryfast -bf 3 -pix_fmt yuv420p'.split(' ');
export const HEVC = '-c:v libx265 -preset ultrafast -pix_fmt yuv420p -x265-params'.split(' ');
/** Options of x264 and x265 by which each key frame but the first has frames before it that are decoded later. */
export const OPEN_GROUPS = 'open-gop=1:b-adapt=0:bframes=3:scenecut=0:keyint=27:min-keyint=27';
/** A key frame each second, and no other. */
export const GROUPS = ['-g', '25', '-sc_threshold', '0'];

/** Newer versions of ffmpeg let sound in Matroska begin before zero, and such a file is not passed through. */
export const FROM_ZERO = ['-output_ts_offset', '0.03'];

/** A clip of 25 frames a second whose coding has B-frames. */
export const coded = (file: string, ...options: string[]): CountedClip => ({
  file,
  args: [...countedClip('25', CLIP_SECONDS), ...B_FRAMES, ...GROUPS, ...options],
});

/** A segment that a player waits for is no longer, in seconds. */
const LONGEST_ENCODED_SECONDS = 2.6;
/** Segments begin at frames, which are so far apart at most. */
const FRAME_SECONDS = 0.4;

/** Opens a library for the tests of this file; no stream is left after each of them. */
export async function useStreamLibrary(): Promise<StreamLibrary> {
  const library = await openStreamLibrary();
  afterAll(() => library.close());
  afterEach(() => stopVideoStreams(library.database.deps));
  return library;
}

/**
 * Expects that each variant shows and plays what the clip does, whichever segment is asked for first: in a quick run, one
 * variant is read in turn and the other with seeks, as the seed says.
 */
export async function expectExactStream(
  { database, folder, app }: StreamLibrary,
  { file, args, passed, beeps = CLIP_SECONDS - 1 }: CountedClip,
): Promise<void> {
  const owner = await seed(database).user();
  const path = makeClip(join(folder, file), args);
  const id = await addFile(database, path, { ownerId: owner.id });
  const original = inspect(path);
  expect(original.beeps.length).toBe(beeps);
  const { original: own } = await openStream(app, id, { as: owner });
  expect(own).toBe(passed === undefined ? undefined : 1);
  for (const variant of own === undefined ? [0] : [0, own]) {
    for (const toOrder of chooseOrders(file, variant)) {
      const player = await openStream(app, id, { as: owner });
      await player.choose(variant);
      expectDurations(player, original);
      if (variant === own) expect(player.durations.length).toBe(passed!);
      else expect(Math.max(...player.durations)).toBeLessThan(LONGEST_ENCODED_SECONDS);
      const order = toOrder([...player.durations.keys()]);
      expectSame(inspect(await readWhole(player, order)), original);
      await stopVideoStreams(database.deps);
    }
  }
}

function chooseOrders(file: string, variant: number) {
  const isSought = createSeededRandom(file).below(2) === Math.min(variant, 1);
  const orders = isSought ? [withSeeks, inTurn] : [inTurn, withSeeks];
  return orders.slice(0, effort({ quick: 1, full: 2 }));
}

const inTurn = (numbers: readonly number[]): readonly number[] => numbers;

/** The middle, the first and the last one, then the others: three encoders begin in the middle of the video. */
function withSeeks(numbers: readonly number[]): readonly number[] {
  const middle = Math.floor(numbers.length / 2);
  const sought = new Set([middle, 0, numbers.length - 1]);
  return [...sought, ...numbers.filter((number) => !sought.has(number))];
}

function expectDurations({ durations }: StreamPlayer, { frames }: Played): void {
  const total = durations.reduce((sum, seconds) => sum + seconds, 0);
  const last = frames.at(-1)! / 1000;
  expect(total).toBeWithin(last + 0.001, last + FRAME_SECONDS);
}

/** How far sound may be from its pictures, and parts of it from each other, in ms. */
const SOUND_TOLERANCE_MS = 20;
/** A packet of AAC at 44.1 kHz. */
const PACKET_MS = 1024 / 44.1;

function expectSame(played: Played, original: Played): void {
  expect(played.numbers).toEqual(original.numbers);
  const late = played.frames.map((time, at) => Math.abs(time - original.frames[at]!));
  // Clocks round.
  expect(Math.max(...late)).toBeLessThanOrEqual(1);
  const { sound, beeps } = played;
  expect(getLongestGap(sound)).toBeLessThanOrEqual(
    getLongestGap(original.sound) + SOUND_TOLERANCE_MS,
  );
  expect(beeps.length).toBe(original.beeps.length);
  const shifts = beeps.map((time, at) => Math.abs(time - original.beeps[at]!));
  expect(Math.max(0, ...shifts)).toBeLessThanOrEqual(SOUND_TOLERANCE_MS);
}

const getLongestGap = (sound: Played['sound']): number =>
  Math.max(0, ...sound.slice(1).map((time, at) => time - sound[at]! - PACKET_MS));
