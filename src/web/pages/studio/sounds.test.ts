import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { clip, film, seconds } from '../../../../test/support/edited-films.ts';
import { requireConsistent } from '../../../areas/studio/projects/document.ts';
import { toRational, toSeconds, toWire, ZERO } from '../../../core/rational.ts';
import {
  changeSpeed,
  insert,
  move,
  remove,
  setVolume,
  split,
  trimEnd,
  trimStart,
} from './edits.ts';
import {
  type Film,
  findCut,
  fromFrameNumber,
  getEnd,
  getFilmLength,
  getStart,
  listSoundRows,
  type Sound,
  toDocument,
  toFilm,
} from './film.ts';
import { reduceHistory, toHistory } from './history.ts';
import { setFades } from './transitions.ts';

const TEN = seconds(10);

const sound = (id: string, start: number, duration: number, values: Partial<Sound> = {}): Sound => {
  const { track: _track, ...part } = clip(id, start, duration);
  return { ...part, ...values };
};

const withSounds = (...sounds: Sound[]): Film => ({ ...film(clip('a', 0, 4)), sounds });

/** Returns a line for each sound. */
const describe = ({ sounds }: Film) =>
  sounds.map(
    (sound) =>
      `${toSeconds(getStart(sound))}-${toSeconds(getEnd(sound))} ` +
      `from ${toSeconds(toRational(sound.sourceIn))}`,
  );

test('sounds may overlap, and are drawn in as few rows as they need', () => {
  const three = withSounds(sound('b', 0, 5), sound('c', 2, 2));
  const four = insert(three, sound('d', 4, 1));
  expect(describe(four)[2]).toBe('4-5 from 0');
  const rows = listSoundRows(four);
  expect(rows.map((row) => row.map(({ id }) => id))).toEqual([['b'], ['c', 'd']]);
  expect(describe(move(four, 'c', seconds(-1)))[1]).toBe('0-2 from 0');
  expect(move(four, 'c', ZERO, 3).clips).toEqual(four.clips);
});

test('a sound is trimmed within its source, split, made faster and removed', () => {
  const one = withSounds(sound('b', 2, 4, { sourceIn: toWire(seconds(1)) }));
  expect(describe(trimStart(one, 'b', seconds(3), TEN))).toEqual(['3-6 from 2']);
  expect(describe(trimStart(one, 'b', ZERO, TEN))).toEqual(['1-6 from 0']);
  expect(describe(trimEnd(one, 'b', seconds(90), TEN))).toEqual(['2-11 from 1']);
  expect(describe(split(one, 'b', seconds(3)))).toEqual(['2-3 from 1', '3-6 from 2']);
  expect(describe(changeSpeed(one, 'b', seconds(2)))).toEqual(['2-4 from 1']);
  expect(remove(one, 'b', true)).toEqual(film(clip('a', 0, 4)));
});

test('fades are cut to the length of a sound, and parted when it is split', () => {
  const faded = setFades(withSounds(sound('b', 0, 4)), 'b', seconds(3), seconds(3));
  expect(faded.sounds[0]).toMatchObject({
    fadeIn: toWire(seconds(3)),
    fadeOut: toWire(seconds(1)),
  });
  const [first, second] = split(faded, 'b', seconds(2)).sounds;
  expect([first!.fadeIn, first!.fadeOut]).toEqual([toWire(seconds(2)), undefined]);
  expect([second!.fadeIn, second!.fadeOut]).toEqual([undefined, toWire(seconds(1))]);
});

test('a volume is kept as a factor, and the usual one is left out', () => {
  const quiet = setVolume(withSounds(sound('b', 0, 4)), sound('b', 0, 4), 0.5);
  expect(quiet.sounds[0]!.volume).toBe(0.5);
  expect(setVolume(quiet, quiet.sounds[0]!, 0).sounds[0]!.volume).toBe(0);
  expect('volume' in setVolume(quiet, quiet.sounds[0]!, 1).sounds[0]!).toBe(false);
  const [muted] = setVolume(quiet, quiet.clips[0]!, 0).clips;
  expect(muted!.volume).toBe(0);
});

test('a sound does not make a film longer, and its edges are cuts', () => {
  const long = withSounds(sound('b', 1, 9));
  expect(getFilmLength(toDocument(long))).toEqual(seconds(4));
  expect(findCut(long, ZERO, 1)).toEqual(seconds(1));
});

test('documents keep their sounds through the editor', () => {
  const document = toDocument(withSounds(sound('b', 1, 9, { volume: 0.3 })));
  expect(document.sounds).toHaveLength(1);
  expect(document.sounds![0]).not.toHaveProperty('id');
  expect(toDocument(toFilm(document))).toEqual(document);
});

const frame = fc.integer({ min: -20, max: 400 }).map((at) => fromFrameNumber(withSounds(), at));
const source = fc.constantFrom(undefined, TEN);
type Edit = (film: Film, id: string) => Film;
const edits: fc.Arbitrary<Edit> = fc.oneof(
  frame.map(
    (to): Edit =>
      (film, id) =>
        move(film, id, to),
  ),
  fc.tuple(frame, source).map(
    ([to, of]): Edit =>
      (film, id) =>
        trimStart(film, id, to, of),
  ),
  fc.tuple(frame, source).map(
    ([to, of]): Edit =>
      (film, id) =>
        trimEnd(film, id, to, of),
  ),
  frame.map(
    (at): Edit =>
      (film, id) =>
        split(film, id, at),
  ),
  fc.integer({ min: 10, max: 400 }).map(
    (speed): Edit =>
      (film, id) =>
        changeSpeed(film, id, seconds(speed, 100)),
  ),
  fc.tuple(frame, frame).map(
    ([a, b]): Edit =>
      (film, id) =>
        setFades(film, id, a, b),
  ),
  fc.boolean().map(
    (isRipple): Edit =>
      (film, id) =>
        remove(film, id, isRipple),
  ),
);

test('the server accepts a film after any edits of its sounds, and undo goes back', () => {
  const begin = withSounds(sound('b', 0, 2), sound('c', 1, 3), sound('d', 3, 4));
  fc.assert(
    fc.property(fc.array(fc.tuple(edits, fc.nat({ max: 9 })), { maxLength: 30 }), (list) => {
      let history = toHistory(begin);
      for (const [edit, at] of list) {
        const { sounds } = history.film;
        const id = sounds[at % Math.max(1, sounds.length)]?.id ?? '';
        history = reduceHistory(history, { type: 'edit', edit: (film) => edit(film, id) });
        requireConsistent(toDocument(history.film));
        expect(history.film.clips).toEqual(begin.clips);
      }
      while (history.past.length > 0) history = reduceHistory(history, { type: 'undo' });
      expect(history.film).toBe(begin);
    }),
  );
});
