import { expect, setDefaultTimeout, test } from 'bun:test';
import { join } from 'node:path';
import { makeClip } from '../fixtures/clips.ts';
import { addFile } from '../support/processing.ts';
import { seed } from '../support/harness.ts';
import { inspect, openStream, readWhole, useStreamLibrary } from '../support/video-streams.ts';

// Films whose sound begins before their pictures, or goes on behind them, as they are streamed: README.md has the
// public threads.

setDefaultTimeout(120_000);

const library = await useStreamLibrary();
const owner = await seed(library.database).user();

const H264 = '-c:v libx264 -preset ultrafast -pix_fmt yuv420p -g 10 -c:a aac'.split(' ');
const lavfi = (graph: string) => ['-f', 'lavfi', '-i', graph];
const PICTURES = lavfi('testsrc2=size=160x90:rate=10:duration=2');
const SOUND = lavfi('sine=duration=8');

async function openFilm(name: string, args: readonly string[]) {
  const bytes = await Bun.file(makeClip(join(library.folder, name), [...args, ...H264])).bytes();
  const id = await addFile(library.database, { name, bytes }, { ownerId: owner.id });
  return openStream(library.app, id, { as: owner });
}
type Player = Awaited<ReturnType<typeof openFilm>>;

const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);

/** Returns when the sound begins and ends, and the last picture comes, in seconds after the first picture. */
async function measure(player: Player) {
  const { frames, sound } = inspect(await readWhole(player));
  const [first, last, picture] = [sound[0] ?? NaN, sound.at(-1) ?? NaN, frames.at(-1) ?? NaN];
  return { first: first / 1000, last: last / 1000, picture: picture / 1000 };
}

test('584: a stream is as long as the sound that goes on behind the pictures', async () => {
  const player = await openFilm('long-sound.mp4', [...PICTURES, ...SOUND]);
  expect(player.original).toBeDefined();
  for (const variant of player.variants.keys()) {
    await player.choose(variant);
    expect(sum(player.durations)).toBeCloseTo(8, 0);
    const { last, picture } = await measure(player);
    expect(picture).toBeCloseTo(1.9, 1);
    expect(last).toBeGreaterThan(7.9);
  }
});

test('585: the first picture is shown while sound is heard before it', async () => {
  const player = await openFilm('late.mp4', [
    '-itsoffset',
    '3',
    ...PICTURES,
    ...SOUND,
    '-fps_mode',
    'passthrough',
  ]);
  for (const variant of player.variants.keys()) {
    await player.choose(variant);
    expect(sum(player.durations)).toBeCloseTo(8, 0);
    const { first, picture } = await measure(player);
    expect(Math.abs(first)).toBeLessThan(0.1);
    expect(picture).toBeCloseTo(4.9, 1);
  }
  // The stream can be entered behind the held picture.
  await player.choose(0);
  expect((await player.readSegment(player.durations.length - 1)).status).toBe(200);
});

test('586: sound that begins with the pictures, or a moment later, holds no picture', async () => {
  const player = await openFilm('usual.mp4', [
    ...PICTURES,
    '-itsoffset',
    '0.2',
    ...lavfi('sine=duration=2'),
  ]);
  await player.choose(0);
  expect(sum(player.durations)).toBeCloseTo(2, 1);
});
