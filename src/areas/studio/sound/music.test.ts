import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { effort } from '../../../../test/support/effort.ts';
import { addBeeps, openFilm, readAll } from '../../../../test/support/film-sounds.ts';
import { call, seed, type TestUser } from '../../../../test/support/harness.ts';
import { openStudio, type Studio } from '../../../../test/support/studio.ts';
import { findAccountSession } from '../../../access/account-session.ts';
import type { UserSession } from '../../../access/session.ts';
import { rational, ZERO } from '../../../core/rational.ts';
import { MUSIC_TRACKS, type StudioMusic } from '../../../db/tables/studio.ts';
import { CHANNELS, SAMPLE_RATE } from '../../../media/film-encoding.ts';
import { openMusic, type SampleSpan } from './music.ts';

const SECONDS = effort({ quick: 24, full: 60 });

/** Returns the music of a film of `SECONDS`, computed once for each piece. */
const wholes = new Map<string, Promise<Int16Array>>();
const playWhole = (track: StudioMusic['track']): Promise<Int16Array> => {
  const whole = wholes.get(track) ?? play({ track });
  wholes.set(track, whole);
  return whole;
};

/** Returns the music of a film of `SECONDS` from a second to its end. */
async function play(music: StudioMusic, from = 0, sounds: readonly SampleSpan[] = []) {
  const samples = SECONDS * SAMPLE_RATE;
  const skip = Math.round(from * SAMPLE_RATE);
  const opened = openMusic({ music, samples, skip, findSounds: async () => sounds });
  const parts = new Int16Array((samples - skip) * CHANNELS);
  let at = 0;
  for (let left = samples - skip; left > 0; left -= SAMPLE_RATE / 2) {
    const read = await opened.read(Math.min(left, SAMPLE_RATE / 2) * CHANNELS);
    parts.set(read, at);
    at += read.length;
  }
  return parts;
}

/** Returns the effective value of the samples between two seconds, from 0 to 32768. */
function measure(samples: ArrayLike<number>, from: number, to: number): number {
  let sum = 0;
  const [begin, end] = [from, to].map((seconds) => Math.round(seconds * SAMPLE_RATE) * CHANNELS);
  for (let at = begin!; at < end!; at += 1) sum += samples[at]! ** 2;
  return Math.sqrt(sum / (end! - begin!));
}

describe.each(MUSIC_TRACKS)('the music %s', (track) => {
  test('is heard all the time, comes and goes, and is never cut off', async () => {
    const all = await playWhole(track);
    expect(all).toHaveLength(SECONDS * SAMPLE_RATE * CHANNELS);
    for (let second = 2; second < SECONDS - 4; second += 2)
      expect(measure(all, second, second + 2)).toBeGreaterThan(500);
    expect(all.slice(0, 2)).toEqual(new Int16Array(2));
    expect(Math.max(...all.slice(-20).map(Math.abs))).toBeLessThan(10);
    expect(all.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0)).toBeLessThan(32_000);
    // A note that is cut off is heard as a click.
    const steps = all.map((sample, at) => Math.abs(sample - (all[at - CHANNELS] ?? 0)));
    expect(steps.reduce((most, step) => Math.max(most, step), 0)).toBeLessThan(2500);
  });

  test('sounds from any time on as in the whole', async () => {
    const all = await playWhole(track);
    const part = await play({ track }, SECONDS - 9.877);
    const rest = all.slice(all.length - part.length);
    const difference = part.reduce((most, one, at) => Math.max(most, Math.abs(one - rest[at]!)), 0);
    expect(difference).toBeLessThanOrEqual(1);
  });
});

test('is quieter while another sound is heard, and by its volume', async () => {
  const track = 'calm';
  const [from, to] = [SECONDS / 3, SECONDS / 2];
  const sound = { from: from * SAMPLE_RATE, to: to * SAMPLE_RATE };
  const [alone, ducked] = [await playWhole(track), await play({ track }, 0, [sound])];
  const compare = (begin: number, end: number) =>
    measure(ducked, begin, end) / measure(alone, begin, end);
  expect(compare(5, from - 1)).toBe(1);
  expect(compare(from, to)).toBeCloseTo(0.3, 2);
  expect(compare(to + 1, SECONDS - 5)).toBe(1);
  const half = await play({ track, volume: 0.5 }, SECONDS - 10);
  const last = alone.slice(-half.length);
  expect(measure(half, 0, 5) / measure(last, 0, 5)).toBeCloseTo(0.5, 2);
});

describe('in a film', () => {
  let studio: Studio;
  let me: TestUser;
  let session: UserSession;
  let beeps: string;
  beforeAll(async () => {
    studio = await openStudio();
    me = await seed(studio.database).user(['all']);
    session = (await findAccountSession(studio.database.db, me.id))!;
    beeps = await addBeeps(studio, me.id, { seconds: 12 });
  });
  afterAll(() => studio.close());
  const second = (numerator: number) => ({ numerator, denominator: 1 });
  const title = { text: 'x', start: second(0), duration: second(12), x: 0.5, y: 0.5, size: 0.1 };
  const clip = () => ({
    assetId: beeps,
    sourceIn: second(0),
    start: second(4),
    duration: second(2),
  });

  test('it is mixed with the sound of its clips, and lies lower there', async () => {
    const film = { clips: [clip()], sounds: [], titles: [title] };
    const open = async (music: object) =>
      readAll((await openFilm(studio, session, { ...film, ...music }, ZERO))!.windows);
    const mixed = await open({ music: { track: 'calm' } });
    const plain = await open({});
    expect(mixed).toHaveLength(12 * SAMPLE_RATE * CHANNELS);
    const left = mixed.map((sample, at) => sample - plain[at]!);
    const alone = await readAll(
      (await openFilm(
        studio,
        session,
        { clips: [], sounds: [], titles: [title], music: { track: 'calm' } },
        ZERO,
      ))!.windows,
    );
    expect(measure(left, 4, 6) / measure(alone, 4, 6)).toBeCloseTo(0.3, 1);
    expect(measure(left, 8, 11) / measure(alone, 8, 11)).toBeCloseTo(1, 2);
  });

  test('it is all that is heard where nothing else is, and none after its end', async () => {
    const film = { clips: [], sounds: [], titles: [title], music: { track: 'bright' } } as const;
    const late = (await openFilm(studio, session, film, rational(7n)))!;
    const samples = await readAll(late.windows);
    expect(samples).toHaveLength(5 * SAMPLE_RATE * CHANNELS);
    expect(measure(samples, 0, 1)).toBeGreaterThan(500);
    expect(await openFilm(studio, session, film, rational(12n))).toBeUndefined();
    const silent = { clips: [], sounds: [], titles: [title] };
    expect(await openFilm(studio, session, silent, ZERO)).toBeUndefined();
  });

  test('it is kept with the project, and another is refused with its field', async () => {
    const project = await studio.makeProject(me, [beeps]);
    const put = (music: object, expectedRevision: number) =>
      call(studio.app, `PUT /studio/projects/${project.id}`, {
        as: me,
        body: { expectedRevision, document: { ...project.document, music } },
      });
    const music = { track: 'gentle', volume: 0.5 };
    expect((await put(music, 1)).body).toMatchObject({ revision: 2, document: { music } });
    for (const wrong of [
      { track: 'loud' },
      { track: 'calm', volume: 5 },
      { track: 'calm', x: 1 },
    ]) {
      const { status, body } = await put(wrong, 2);
      expect([status, JSON.stringify(body)]).toEqual([400, expect.stringContaining('music')]);
    }
    expect((await put(music, 1)).status).toBe(409);
  });
});
