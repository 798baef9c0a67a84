import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test';
import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { makeClip } from '../../../../../test/fixtures/clips.ts';
import { effort } from '../../../../../test/support/effort.ts';
import { ffmpeg } from '../../../../../test/support/exported-films.ts';
import { seed } from '../../../../../test/support/harness.ts';
import { addFile, jobCtx } from '../../../../../test/support/processing.ts';
import { openStudio, type Studio } from '../../../../../test/support/studio.ts';
import { findAccountSession } from '../../../../access/account-session.ts';
import type { StudioDocument, StudioSound } from '../../../../db/tables/studio.ts';
import { SOFTWARE } from '../../../../media/encoders.ts';
import { listAssetIds } from '../../projects/document.ts';
import { requireSources } from '../../render/sources.ts';
import { makeFilm } from './make-film.ts';

let studio: Studio;
beforeAll(async () => {
  studio = await openStudio();
});
afterAll(() => studio.close());
let ownerId: string;
beforeEach(async () => {
  ownerId = (await seed(studio.database).user()).id;
});

const second = (numerator: number, denominator = 1) => ({ numerator, denominator });
const RATE = second(10);
/** A frame at 30 in a second. */
const FRAME = 1 / 30;

/** Adds a video whose tone starts at `from` and ends at `to`, both in seconds after its first picture. */
async function addTone(
  name: string,
  [from, to]: readonly [number, number],
  { seconds = 10, offset = 0, tone = true } = {},
): Promise<string> {
  const path = join(studio.folder, name);
  const loud = `volume='between(t,${from},${to})':eval=frame`;
  const picture = ['-f', 'lavfi', '-i', `color=black:s=64x64:r=10:d=${seconds}`];
  const sine = `sine=440:r=48000:d=${seconds},asetnsamples=48,${loud}`;
  const coding = '-c:v libx264 -preset ultrafast -g 20 -bf 2 -pix_fmt yuv420p -c:a aac -b:a 128k';
  makeClip(path, [
    ...picture,
    ...(tone ? ['-f', 'lavfi', '-i', sine] : []),
    ...coding.split(' '),
    '-output_ts_offset',
    String(offset),
  ]);
  return addFile(studio.database, path, { ownerId });
}

type Part = Omit<StudioSound, 'assetId' | 'sourceIn'> & Partial<StudioSound>;
const part = (assetId: string, over: Part): StudioSound => ({
  assetId,
  sourceIn: second(0),
  ...over,
});

async function make(
  clips: readonly StudioSound[],
  sounds: readonly StudioSound[] = [],
): Promise<string> {
  const { database, folder } = studio;
  const document: StudioDocument = {
    width: 64,
    height: 64,
    frameRate: RATE,
    clips: clips.map((clip) => ({ ...clip, track: 0 })),
    sounds,
  };
  const session = (await findAccountSession(database.db, ownerId))!;
  const sources = await requireSources(database.deps, session, listAssetIds(document));
  const work = await mkdtemp(join(folder, 'work-'));
  const target = join(work, 'film.mp4');
  const film = { document, sources, studio: database.deps.paths.studio, size: document };
  const order = { film, title: 'Film', work, target, onFrames: () => {} };
  await makeFilm(jobCtx(database), order, async () => [SOFTWARE]);
  return target;
}

/** Returns where the film is loud between silences, in seconds. */
function listLoud(path: string): [number, number][] {
  const said = ffmpeg('-i', path, '-af', 'silencedetect=n=0.01:d=0.05', '-f', 'null', '-');
  const ends = [...said.matchAll(/silence_end: ([\d.]+)/g)].map(([, at]) => Number(at));
  const starts = [...said.matchAll(/silence_start: (-?[\d.]+)/g)].map(([, at]) => Number(at));
  return ends.flatMap((end): [number, number][] => {
    const start = starts.find((one) => one > end);
    return start === undefined ? [] : [[end, start]];
  });
}

/** `within`: seconds, a frame by default. */
type Loud = readonly [from: number, to: number, within?: number];

function expectLoud(path: string, wanted: readonly Loud[]): void {
  const loud = listLoud(path);
  expect(loud.length).toBe(wanted.length);
  for (const [index, [from, to, within = FRAME]] of wanted.entries()) {
    expect(Math.abs(loud[index]![0] - from)).toBeLessThan(within);
    expect(Math.abs(loud[index]![1] - to)).toBeLessThan(within);
  }
}

/** Returns the loudness between two times in dB. */
function measure(path: string, from: number, to: number): number {
  const said = ffmpeg('-i', path, '-af', `atrim=${from}:${to},volumedetect`, '-f', 'null', '-');
  return Number(/mean_volume: (-?[\d.]+)/.exec(said)?.[1]);
}

/** Seconds between clips: the last one ends after six times as many. */
const GAP = effort({ quick: 14, full: 100 });

test('is heard when its picture is shown, at every speed, over minutes', async () => {
  const tone = await addTone('tone.mp4', [4, 6]);
  const late = await addTone('late.mkv', [4, 6], { offset: 3 });
  const stream = await addTone('stream.ts', [4, 6]);
  const path = await make([
    part(tone, { start: second(0), duration: second(8) }),
    part(late, { start: second(GAP), duration: second(7), sourceIn: second(1) }),
    part(tone, { start: second(2 * GAP), duration: second(5), speed: second(2) }),
    part(tone, { start: second(3 * GAP), duration: second(13), speed: second(1, 2) }),
    part(stream, { start: second(4 * GAP), duration: second(5), sourceIn: second(3) }),
    part(tone, { start: second(60 * GAP - 99, 10), duration: second(99, 10) }),
  ]);
  expectLoud(path, [
    [4, 6],
    [GAP + 3, GAP + 5],
    [2 * GAP + 2, 2 * GAP + 3],
    // A frame of the source is two of the film.
    [3 * GAP + 8, 3 * GAP + 12, 2 * FRAME],
    [4 * GAP + 1, 4 * GAP + 3],
    [6 * GAP - 5.9, 6 * GAP - 3.9],
  ]);
});

test('fades, has its volume, and is mixed with music that ends with the film', async () => {
  const tone = await addTone('loud.mp4', [0, 10]);
  const path = await make(
    [
      part(tone, { start: second(0), duration: second(4), volume: 0 }),
      part(tone, { start: second(5), duration: second(4), fadeIn: second(2), fadeOut: second(1) }),
    ],
    [part(tone, { start: second(2), duration: second(8), sourceIn: second(1), volume: 0.5 })],
  );
  expect(measure(path, 0, 1.9)).toBeLessThan(-80);
  const whole = measure(path, 7.1, 7.9);
  const music = measure(path, 3, 4.5);
  expect(music).toBeGreaterThan(-40);
  expect(whole).toBeGreaterThan(music + 1);
  expect(measure(path, 5, 5.2)).toBeLessThan(whole - 1);
  const words =
    '-v error -of csv=p=0 -show_entries stream=codec_name,sample_rate,channels,duration';
  const { stdout } = Bun.spawnSync(['ffprobe', ...words.split(' '), '-select_streams', 'a', path]);
  const [codec, rate, channels, duration] = stdout.toString().trim().split(',');
  expect([codec, rate, channels]).toEqual(['aac', '48000', '2']);
  expect(Math.abs(Number(duration) - 9)).toBeLessThan(FRAME);
});

test('there is none where no item has any, and silence where one has none', async () => {
  const mute = await addTone('mute.mp4', [0, 0], { tone: false });
  const tone = await addTone('short-tone.mp4', [0, 2], { seconds: 2 });
  const silent = part(mute, { start: second(0), duration: second(3) });
  const words = '-v error -of csv=p=0 -show_entries stream=codec_name'.split(' ');
  const { stdout } = Bun.spawnSync(['ffprobe', ...words, await make([silent])]);
  expect(stdout.toString().trim()).toBe('h264');
  const path = await make([silent, part(tone, { start: second(4), duration: second(4) })]);
  expectLoud(path, [[4, 6]]);
});
