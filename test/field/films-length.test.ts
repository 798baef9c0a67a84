import { readFile, rename, utimes, writeFile } from 'node:fs/promises';
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { probe } from '../../src/media/probe.ts';
import { H264, picture, source, tone, useFieldFilms } from '../support/field-films.ts';

// Lengths of films: README.md has the public threads.

setDefaultTimeout(120_000);

const { make, process, getPath } = useFieldFilms();

const NO_LENGTH = ['-live', '1'];
const VP8 = ['-c:v', 'libvpx', '-deadline', 'realtime', '-cpu-used', '8'];
const FRAGMENTS = ['-movflags', 'frag_keyframe+empty_moov+default_base_moof'];

test.each<[string, string, string[], number]>([
  [
    '300a: a WebM of a browser without a length',
    'a.webm',
    [...picture('red', '64x48', 3), ...VP8, ...NO_LENGTH],
    3000,
  ],
  [
    '300b: with sound',
    'b.webm',
    [...picture('red', '64x48', 3), ...tone(440, 3), ...VP8, '-c:a', 'libopus', ...NO_LENGTH],
    3000,
  ],
  [
    '301: a Matroska film of a screen recorder without a length',
    'c.mkv',
    [...picture('red', '64x48', 3), ...H264, ...NO_LENGTH],
    3000,
  ],
  [
    '303: a fragmented MP4 of a browser',
    'd.mp4',
    [...picture('red', '64x48', 3), ...H264, '-g', '10', ...FRAGMENTS],
    3000,
  ],
  [
    '305: a Matroska film whose times begin late',
    'e.mkv',
    [...picture('red', '64x48', 3), ...H264, '-output_ts_offset', '7', ...NO_LENGTH],
    3000,
  ],
  [
    '306: few pictures, which are shown for long',
    'f.mkv',
    [...source('color=red:size=64x48:rate=1/2:duration=6'), ...H264, ...NO_LENGTH],
    6000,
  ],
  ['307: a transport stream', 'g.ts', [...picture('red', '64x48', 3), ...H264], 3000],
  [
    '308: an AVI without an index of times',
    'h.avi',
    [...picture('red', '64x48', 3), '-c:v', 'mpeg4', '-bf', '0'],
    3000,
  ],
])('%s is as long as it is played', async (_, name, args, expected) => {
  const film = await process(make(name, ...args));
  expect(film).toMatchObject({ type: 'VIDEO', isBroken: false });
  expect(Math.abs((film.durationMs ?? 0) - expected)).toBeLessThan(60);
  expect(Math.abs((film.played.durationMs ?? 0) - expected)).toBeLessThan(120);
});

test('302: a sound of a browser without a length', async () => {
  const path = make('voice.webm', ...tone(440, 3), '-c:a', 'libopus', ...NO_LENGTH);
  const film = await process(path);
  expect(film).toMatchObject({ type: 'AUDIO', isBroken: false });
  expect(Math.abs((film.durationMs ?? 0) - 3000)).toBeLessThan(60);
});

test('304: a recording that ended with the battery is as long as what there is of it', async () => {
  const coding = ['-c:v', 'libvpx', '-deadline', 'realtime', '-g', '5', ...NO_LENGTH];
  const noise = source('testsrc2=size=160x120:rate=10:duration=4');
  const bytes = await readFile(make('whole.webm', ...noise, ...coding));
  const half = getPath('half.webm');
  await Bun.write(half, bytes.subarray(0, bytes.length / 2));
  const film = await process(half);
  expect(film).toMatchObject({ type: 'VIDEO', isBroken: false });
  expect(film.durationMs).toBeWithin(1000, 3200);
  expect(Math.abs((film.durationMs ?? 0) - (film.played.durationMs ?? 0))).toBeLessThan(120);
});

test('309: the length in the header of a film is believed', async () => {
  const path = make('plain.mkv', ...picture('red', '64x48', 3), ...H264);
  expect((await probe(path)).durationMs).toBe(3000);
});

describe('647: a film that another one has replaced is read anew', () => {
  /** Films of one size, and of one time. */
  const write = async (path: string, film: string) => {
    const bytes = Buffer.alloc(100_000);
    (await readFile(film)).copy(bytes);
    await writeFile(path, bytes);
    await utimes(path, 1_700_000_000, 1_700_000_000);
  };

  test.each(['in its place', 'as another file'])(
    '%s, with its name, size and time',
    async (how) => {
      const path = getPath(`${how}.mkv`);
      await write(path, make('before.mkv', ...picture('red', '64x48', 3), ...H264));
      expect(await probe(path)).toMatchObject({ durationMs: 3000, video: { width: 64 } });
      const written = how === 'in its place' ? path : `${path}.part`;
      await write(written, make('after.mkv', ...picture('blue', '32x32', 5), ...H264));
      await rename(written, path);
      expect(await probe(path)).toMatchObject({ durationMs: 5000, video: { width: 32 } });
    },
  );
});
