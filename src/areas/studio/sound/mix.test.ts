import { afterAll, beforeAll, expect, test } from 'bun:test';
import { join } from 'node:path';
import { addBeeps, openFilm, readAll } from '../../../../test/support/film-sounds.ts';
import { seed } from '../../../../test/support/harness.ts';
import { sample } from '../../../../test/support/sample.ts';
import { openStudio, type Studio } from '../../../../test/support/studio.ts';
import type { UserSession } from '../../../access/session.ts';
import { findAccountSession } from '../../../access/account-session.ts';
import { rational, ZERO } from '../../../core/rational.ts';
import type { StudioSound } from '../../../db/tables/studio.ts';
import { SAMPLE_RATE } from '../../../media/film-encoding.ts';
import { encodeMix, SOUND_FORMATS } from './encoder.ts';

/** Between two beeps. */
const BETWEEN = rational(13n, 4n);

let studio: Studio;
let session: UserSession;
let beeps: string;
let slow: string;
beforeAll(async () => {
  studio = await openStudio();
  const { id: ownerId } = await seed(studio.database).user();
  session = (await findAccountSession(studio.database.db, ownerId))!;
  beeps = await addBeeps(studio, ownerId, { seconds: 12 });
  // Its samples are computed anew for the rate of the film.
  slow = await addBeeps(studio, ownerId, { seconds: 12, rate: 44_100 });
});
afterAll(() => studio.close());

const second = (numerator: number, denominator = 1) => ({ numerator, denominator });
const part = (assetId: string, over: Partial<StudioSound>): StudioSound => ({
  assetId,
  start: second(0),
  duration: second(10),
  sourceIn: second(0),
  ...over,
});

/** Returns the loudest difference of samples, from 0 to 32768. */
function compare(a: Int16Array, b: Int16Array): number {
  expect(a.length).toBe(b.length);
  return a.reduce((most, sample, at) => Math.max(most, Math.abs(sample - b[at]!)), 0);
}

test('what is played from a time on is what the export has there, sample by sample', async () => {
  const fades = { fadeIn: second(4), fadeOut: second(3) };
  const clips = [part(beeps, { ...fades, sourceIn: second(1, 3), volume: 0.7 })];
  const sounds = [
    part(beeps, { start: second(3), duration: second(5), volume: 0.4, fadeIn: second(2) }),
    part(beeps, { start: second(8), duration: second(4), sourceIn: second(2) }),
  ];
  const open = (from: typeof ZERO) => openFilm(studio, session, { clips, sounds }, from);
  const whole = await readAll((await open(ZERO))!.windows);
  expect(whole.length).toBe(2 * 10 * SAMPLE_RATE);
  for (const from of sample('times', [rational(1n, 3n), rational(5n, 2n), rational(91n, 10n)], 1)) {
    const { windows, samples } = (await open(from))!;
    const played = await readAll(windows);
    expect(played.length).toBe(2 * samples);
    expect(compare(played, whole.subarray(whole.length - played.length))).toBeLessThanOrEqual(1);
  }
});

test('other rates and speeds are heard at the same time from any time on', async () => {
  const clips = [part(slow, { duration: second(5), speed: second(2) })];
  const open = (from: typeof ZERO) => openFilm(studio, session, { clips, sounds: [] }, from);
  const starts = async (from: typeof ZERO) => findBeeps(await readAll((await open(from))!.windows));
  const later = { clips: [part(slow, { sourceIn: second(3), duration: second(3) })], sounds: [] };
  const late = findBeeps(await readAll((await openFilm(studio, session, later, ZERO))!.windows));
  expect(late.length).toBe(3);
  for (const [index, start] of late.entries())
    expect(Math.abs(start - index - 0.5)).toBeLessThan(1 / 30);
  const all = await starts(ZERO);
  expect(all.length).toBe(10);
  for (const [index, start] of (await starts(rational(2n))).entries())
    expect(Math.abs(start + 2 - all[index + 4]!)).toBeLessThan(2 / 30);
});

/** Returns the seconds at which it becomes loud after a silence. */
function findBeeps(samples: Int16Array): number[] {
  const step = SAMPLE_RATE / 100;
  const loud = Array.from({ length: samples.length / 2 / step }, (_, at) =>
    samples.subarray(2 * at * step, 2 * (at + 1) * step).some((sample) => Math.abs(sample) > 1000),
  );
  return loud.flatMap((is, at) => (is && at > 0 && !loud[at - 1] ? [at / 100] : []));
}

test.each(SOUND_FORMATS)(
  '%s has the samples of the mix at their time, and ends with it',
  async (format) => {
    const film = { clips: [part(beeps, {})], sounds: [] };
    const { windows, samples } = (await openFilm(studio, session, film, BETWEEN))!;
    const { signal } = new AbortController();
    const path = join(studio.folder, `played.${format}`);
    await Bun.write(path, new Response(encodeMix(windows, { format, samples, signal }) as never));
    const { stdout } = Bun.spawnSync(
      `ffmpeg -v error -i ${path} -f s16le -ar ${SAMPLE_RATE} -ac 2 pipe:1`.split(' '),
    );
    const decoded = new Int16Array(stdout.buffer, stdout.byteOffset, stdout.byteLength / 2);
    expect(Math.abs(decoded.length / 2 - samples) / SAMPLE_RATE).toBeLessThan(0.05);
    const mix = (await openFilm(studio, session, film, BETWEEN))!;
    const wanted = findBeeps(await readAll(mix.windows));
    const heard = findBeeps(decoded);
    expect(heard.length).toBe(wanted.length);
    for (const [index, start] of heard.entries())
      expect(Math.abs(start - wanted[index]!)).toBeLessThan(1 / 30);
  },
);

test('there is none where no item has any from there on', async () => {
  const clips = [
    part(beeps, { duration: second(2) }),
    part(beeps, { start: second(5), volume: 0 }),
  ];
  const open = (from: typeof ZERO) => openFilm(studio, session, { clips, sounds: [] }, from);
  const mix = await open(ZERO);
  await mix!.windows.return(undefined);
  expect(await open(rational(2n))).toBeUndefined();
});
