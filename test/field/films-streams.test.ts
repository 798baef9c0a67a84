import { expect, setDefaultTimeout, test } from 'bun:test';
import { readFile } from 'node:fs/promises';
import sharp from 'sharp';
import { makeClip } from '../fixtures/clips.ts';
import { colorAt, expectNear } from '../fixtures/index.ts';
import {
  type FieldFilm,
  H264,
  picture,
  source,
  tone,
  useFieldFilms,
} from '../support/field-films.ts';

// Films with several streams: README.md has the public threads.

setDefaultTimeout(120_000);

const { make, process, getPath } = useFieldFilms();

const RED = [254, 0, 0] as const;
const [SMALL, LARGE] = [picture('blue', '64x48'), picture('red', '160x120')];
const BOTH = ['-map', '0', '-map', '1'];
const FIRST = ['-disposition:v:0', 'default', '-disposition:v:1', '0'];
const SECOND = ['-disposition:v:0', '0', '-disposition:v:1', 'default'];
const NEITHER = ['-disposition:v', '0'];
const MPEG4 = ['-c:v', 'mpeg4'];
const JPEG = ['-c:v', 'mjpeg'];

const AFTER_PICTURE = '-c:v:0 mjpeg -c:v:1 libx264 -pix_fmt:v:1 yuv420p'.split(' ');

/** Expects the red film, in its poster and when it is played. */
async function expectRed(film: FieldFilm): Promise<void> {
  expect([film.type, film.isBroken, film.size]).toEqual(['VIDEO', false, [160, 120]]);
  expectNear(await colorAt(film.poster!), RED, 12);
  const { video } = film.played;
  expect([video?.width, video?.height]).toEqual([160, 120]);
  const frame = `${film.path}.png`;
  makeClip(frame, ['-i', film.path, '-map', '0:v:0', '-frames:v', '1']);
  expectNear(await colorAt(await readFile(frame)), RED, 12);
}

test.each<[string, string, string[]]>([
  [
    '310a: the second stream of an MP4 is the default',
    'a.mp4',
    [...SMALL, ...LARGE, ...BOTH, ...H264, ...SECOND],
  ],
  ['310b: of a Matroska film', 'b.mkv', [...SMALL, ...LARGE, ...BOTH, ...H264, ...SECOND]],
  [
    '310c: of a QuickTime film that is transcoded',
    'c.mov',
    [...SMALL, ...LARGE, ...BOTH, ...MPEG4, ...SECOND],
  ],
  [
    '311: the default stream before a larger one',
    'd.mkv',
    [...LARGE, ...picture('blue', '320x240'), ...BOTH, ...H264, ...FIRST],
  ],
  [
    '312: of two that are no default, the larger one',
    'e.mkv',
    [...SMALL, ...LARGE, ...BOTH, ...H264, ...NEITHER],
  ],
  [
    '322: a film beside a few larger pictures, as phones write into motion photos',
    'h.mp4',
    [
      ...LARGE,
      ...source('color=blue:size=640x480:rate=1:duration=2'),
      ...BOTH,
      ...H264,
      '-disposition:v',
      'default',
    ],
  ],
  [
    '313: a film behind a large picture of it, as cameras write',
    'f.mov',
    [...source('color=blue:size=640x480:rate=1:duration=1'), ...LARGE, ...BOTH, ...AFTER_PICTURE],
  ],
  [
    '314: a film with a cover before it',
    'g.mp4',
    [
      ...source('color=blue:size=640x480:rate=1:duration=1'),
      ...LARGE,
      ...BOTH,
      ...AFTER_PICTURE,
      '-disposition:v:0',
      'attached_pic',
    ],
  ],
])('%s is what people see', async (_, name, args) => {
  await expectRed(await process(make(name, ...args)));
});

/** Gives the sample entry of a codec in an MP4 another name, which nobody knows. */
async function rename(from: string, name: string, codec: string, unknown: string, nth = 0) {
  const bytes = await readFile(from);
  let at = bytes.indexOf('stsd');
  for (let left = nth; left > 0; left--) at = bytes.indexOf('stsd', at + 1);
  const entry = bytes.indexOf(codec, at);
  expect(entry).toBeWithin(at, at + 40);
  bytes.write(unknown, entry, 'latin1');
  const path = getPath(name);
  await Bun.write(path, bytes);
  return path;
}

const SOUNDS = ['-map', '0', '-map', '1', '-map', '2', ...H264, '-c:a', 'aac'];
const TWO_SOUNDS = [...LARGE, ...tone(300), ...tone(2000), ...SOUNDS];

/** The frequency that is heard most, by its zero crossings. */
async function hear(film: FieldFilm): Promise<number> {
  const path = `${film.path}.wav`;
  makeClip(path, ['-i', film.path, '-map', '0:a:0', '-ac', '1', '-ar', '16000', '-t', '1']);
  const bytes = await readFile(path);
  const samples = new Int16Array(bytes.buffer, bytes.byteOffset + 78, 12_000);
  const crossings = samples.filter((one, at) => at > 0 && one > 0 !== samples[at - 1]! > 0);
  return (crossings.length / 2 / samples.length) * 16_000;
}

test('315: a sound that nothing can decode gives way to the next one', async () => {
  const from = make('two.mov', ...TWO_SOUNDS, '-c:a:0', 'pcm_s16le');
  const film = await process(await rename(from, 'apac.mov', 'sowt', 'apac', 1));
  expect(film).toMatchObject({ isBroken: false, durationMs: 2000 });
  expect(film.played.audio?.codec).toBe('aac');
  expect(await hear(film)).toBeWithin(1900, 2100);
});

test('316: a film without a sound that can be decoded is played without one', async () => {
  const from = make('raw.mov', ...TWO_SOUNDS, '-c:a', 'pcm_s16le');
  const one = await rename(from, 'one.mov', 'sowt', 'apac', 1);
  const film = await process(await rename(one, 'none.mov', 'sowt', 'apac', 2));
  expect(film).toMatchObject({ type: 'VIDEO', isBroken: false, size: [160, 120] });
  expect(film.played.audio).toBeUndefined();
  expect(film.played.video).toBeDefined();
});

test('317: the sound that is the default is heard', async () => {
  const flags = ['-disposition:a:0', '0', '-disposition:a:1', 'default'];
  const film = await process(make('default.mkv', ...TWO_SOUNDS, ...flags));
  expect(await hear(film)).toBeWithin(1900, 2100);
});

test('318: pictures that nothing can decode give way to others', async () => {
  const coding = [...JPEG, '-disposition:v:0', 'default', '-disposition:v:1', 'default'];
  const from = make('both.mov', ...picture('blue', '320x240'), ...LARGE, ...BOTH, ...coding);
  await expectRed(await process(await rename(from, 'other.mov', 'jpeg', 'zzzz', 0)));
});

test('319: a film whose pictures cannot be named is no sound', async () => {
  const from = make('one.mov', ...LARGE, ...tone(300), ...JPEG, '-c:a', 'aac');
  const film = await process(await rename(from, 'unknown.mov', 'jpeg', 'zzzz', 0));
  expect([film.type, film.isBroken]).toEqual(['VIDEO', true]);
});

test('320: pictures of chapters and of a cover make no sound into a film', async () => {
  const cover = getPath('cover.png');
  await sharp({ create: { width: 80, height: 80, channels: 3, background: 'red' } }).toFile(cover);
  const flags = [...BOTH, '-c:v', 'mjpeg', '-c:a', 'aac', '-disposition:v', 'attached_pic'];
  const film = await process(make('book.m4a', ...tone(300), '-i', cover, ...flags));
  expect(film).toMatchObject({ type: 'AUDIO', isBroken: false });
});

test('321: one film of one sound that browsers play is played as it is', async () => {
  const film = await process(make('plain.mp4', ...LARGE, ...tone(300), ...H264, '-c:a', 'aac'));
  expect(film.isTranscoded).toBe(false);
});
