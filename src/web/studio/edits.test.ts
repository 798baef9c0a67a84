import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { clip, describe, film, seconds } from '../../../test/support/edited-films.ts';
import { requireConsistent } from '../../areas/studio/projects/document.ts';
import { toWire, ZERO } from '../../core/rational.ts';
import { change, changeSpeed, insert, move, remove, split, trimEnd, trimStart } from './edits.ts';
import {
  EMPTY_DOCUMENT,
  type Film,
  findEntry,
  fromFrameNumber,
  isClip,
  toDocument,
  toFilm,
} from './film.ts';
import { MOVEMENTS, withMovement } from './movements.ts';
import { setFades, setTransition, TRANSITIONS } from './transitions.ts';
import { type History, reduceHistory, toHistory } from './history.ts';

const NONE = toFilm(EMPTY_DOCUMENT);
const TEN = seconds(10);

test('a clip that is moved onto others takes the nearest place where it fits', () => {
  const three = film(clip('a', 0, 2), clip('b', 4, 2), clip('c', 10, 2));
  expect(describe(move(three, 'c', seconds(1)))).toEqual([
    '0: 0-2 from 0',
    '0: 2-4 from 0',
    '0: 4-6 from 0',
  ]);
  expect(describe(move(three, 'c', seconds(1), 1))[2]).toBe('1: 1-3 from 0');
  expect(describe(move(three, 'a', seconds(-5)))[0]).toBe('0: 0-2 from 0');
});

test('trimming stops at neighbours, at the ends of the source and at one frame', () => {
  const two = film(clip('a', 0, 4), clip('b', 6, 4, { sourceIn: toWire(seconds(3)) }));
  expect(describe(trimStart(two, 'b', seconds(5), TEN))[1]).toBe('0: 5-10 from 2');
  expect(describe(trimStart(two, 'b', seconds(1), TEN))[1]).toBe('0: 4-10 from 1');
  expect(describe(trimStart(two, 'b', seconds(20), TEN))[1]).toBe(
    `0: ${10 - 1 / 30}-10 from ${7 - 1 / 30}`,
  );
  expect(describe(trimEnd(two, 'a', seconds(9), TEN))[0]).toBe('0: 0-6 from 0');
  expect(describe(trimEnd(two, 'b', seconds(90), TEN))[1]).toBe('0: 6-13 from 3');
  expect(describe(trimEnd(two, 'b', seconds(90), undefined))[1]).toBe('0: 6-90 from 3');
  // A picture has no part that it begins with.
  expect(describe(trimStart(film(clip('a', 2, 2)), 'a', ZERO, undefined))).toEqual([
    '0: 0-4 from 0',
  ]);
});

test('a clip is split where it goes on, also at another speed', () => {
  const double = film(clip('a', 2, 4, { speed: toWire(seconds(2)) }));
  expect(describe(split(double, 'a', seconds(3)))).toEqual(['0: 2-3 from 0', '0: 3-6 from 2']);
  expect(split(double, 'a', seconds(2))).toBe(double);
  expect(split(double, 'a', seconds(6))).toBe(double);
  expect(split(double, 'none', seconds(3))).toBe(double);
});

test('removing leaves a gap, or moves up what comes after it in its row', () => {
  const three = film(
    clip('a', 0, 2),
    clip('b', 2, 3),
    clip('c', 6, 2),
    clip('d', 6, 2, { track: 1 }),
  );
  expect(describe(remove(three, 'b', false))).toEqual([
    '0: 0-2 from 0',
    '0: 6-8 from 0',
    '1: 6-8 from 0',
  ]);
  expect(describe(remove(three, 'b', true))).toEqual([
    '0: 0-2 from 0',
    '0: 3-5 from 0',
    '1: 6-8 from 0',
  ]);
});

test('a faster clip shows the same part in less time', () => {
  const two = film(clip('a', 0, 4), clip('b', 5, 2));
  expect(describe(changeSpeed(two, 'a', seconds(2)))[0]).toBe('0: 0-2 from 0');
  // A slower one ends where the next begins.
  expect(describe(changeSpeed(two, 'a', seconds(1, 2)))[0]).toBe('0: 0-5 from 0');
});

const frame = fc.integer({ min: -20, max: 400 }).map((at) => fromFrameNumber(NONE, at));
const entry = fc.nat({ max: 12 });
const pick = (film: Film, at: number): string =>
  [...film.clips, ...film.titles].map(({ id }) => id)[at % Math.max(1, film.clips.length)] ?? '';
const source = fc.constantFrom(undefined, TEN);
let next = 0;

type Edit = (film: Film) => Film;
const edits: fc.Arbitrary<Edit> = fc.oneof(
  fc.tuple(frame, fc.integer({ min: 1, max: 90 }), fc.nat({ max: 3 })).map(
    ([start, length, track]): Edit =>
      (film) =>
        insert(film, {
          ...clip(`new ${next++}`, 0, 1, { track }),
          start: toWire(start),
          duration: toWire(fromFrameNumber(film, length)),
        }),
  ),
  fc.tuple(frame, fc.integer({ min: 1, max: 90 })).map(
    ([start, length]): Edit =>
      (film) =>
        insert(film, {
          id: `new ${next++}`,
          text: 'Title',
          start: toWire(start),
          duration: toWire(fromFrameNumber(film, length)),
          x: 0.5,
          y: 0.5,
          size: 0.1,
        }),
  ),
  fc.tuple(entry, frame, fc.nat({ max: 3 })).map(
    ([at, to, track]): Edit =>
      (film) =>
        move(film, pick(film, at), to, track),
  ),
  fc.tuple(entry, frame, source).map(
    ([at, to, source]): Edit =>
      (film) =>
        trimStart(film, pick(film, at), to, source),
  ),
  fc.tuple(entry, frame, source).map(
    ([at, to, source]): Edit =>
      (film) =>
        trimEnd(film, pick(film, at), to, source),
  ),
  fc.tuple(entry, frame).map(
    ([at, to]): Edit =>
      (film) =>
        split(film, pick(film, at), to),
  ),
  fc.tuple(entry, fc.boolean()).map(
    ([at, isRipple]): Edit =>
      (film) =>
        remove(film, pick(film, at), isRipple),
  ),
  fc.tuple(entry, fc.integer({ min: 10, max: 400 })).map(
    ([at, speed]): Edit =>
      (film) =>
        changeSpeed(film, pick(film, at), seconds(speed, 100)),
  ),
  fc.tuple(entry, fc.constantFrom(...TRANSITIONS)).map(
    ([at, transition]): Edit =>
      (film) =>
        setTransition(film, pick(film, at), transition),
  ),
  fc.tuple(entry, frame, frame).map(
    ([at, fadeIn, fadeOut]): Edit =>
      (film) =>
        setFades(film, pick(film, at), fadeIn, fadeOut),
  ),
  fc.tuple(entry, fc.constantFrom(...MOVEMENTS)).map(([at, movement]): Edit => (film) => {
    const entry = findEntry(film, pick(film, at));
    return entry && isClip(entry) ? change(film, entry, withMovement(entry, movement)) : film;
  }),
);

/** With cuts for transitions. */
const ROW = film(clip('a', 0, 2), clip('b', 2, 3), clip('c', 5, 1), clip('d', 6, 4));

test('the server accepts a film after any edits, and undo goes back through them', () => {
  fc.assert(
    fc.property(fc.array(edits, { maxLength: 40, size: 'max' }), (list) => {
      let history: History = toHistory(ROW);
      const films = [history.film];
      for (const edit of list) {
        history = reduceHistory(history, { type: 'edit', edit });
        if (history.film !== films.at(-1)) films.push(history.film);
        requireConsistent(toDocument(history.film));
        for (const { start, duration, sourceIn } of history.film.clips) {
          const times = [start, duration, sourceIn];
          expect(Math.min(...times.map(({ numerator }) => numerator))).toBeGreaterThanOrEqual(0);
          expect(Math.max(...times.map(({ denominator }) => denominator))).toBeLessThanOrEqual(
            3000,
          );
        }
      }
      for (const before of films.slice(0, -1).toReversed()) {
        history = reduceHistory(history, { type: 'undo' });
        expect(history.film).toBe(before);
      }
      while (history.future.length > 0) history = reduceHistory(history, { type: 'redo' });
      expect(history.film).toBe(films.at(-1)!);
    }),
  );
});

test('the edits of one gesture are undone together, and 50 steps are kept', () => {
  const edit = (gesture?: string) => (history: History) =>
    reduceHistory(history, {
      type: 'edit',
      edit: (film) => insert(film, clip(`x ${next++}`, 0, 1)),
      ...(gesture !== undefined && { gesture }),
    });
  let history = [edit('drag'), edit('drag'), edit('other')].reduce(
    (history, step) => step(history),
    toHistory(NONE),
  );
  expect(history.past.map(({ clips }) => clips.length)).toEqual([0, 2]);
  history = reduceHistory(history, { type: 'undo' });
  expect(history.film.clips).toHaveLength(2);
  for (let at = 0; at < 60; at++) history = edit()(history);
  expect(history.past).toHaveLength(50);
  expect(history.future).toHaveLength(0);
  expect(findEntry(history.film, 'none')).toBeUndefined();
});
