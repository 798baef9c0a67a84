import { expect, test } from 'bun:test';
import { clip, describe, film, seconds } from '../../../../test/support/edited-films.ts';
import { requireConsistent } from '../../../areas/studio/projects/document.ts';
import { toWire, ZERO } from '../../../core/rational.ts';
import {
  changeSpeed,
  findSplitRefusal,
  insert,
  move,
  remove,
  setMusic,
  split,
  trimEnd,
  trimStart,
} from './edits.ts';
import { EMPTY_DOCUMENT, type Film, findEntry, toDocument, toFilm } from './film.ts';
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

test('music is set and taken away without a trace, and nothing else is changed', () => {
  const one = film(clip('a', 0, 2));
  const withMusic = setMusic(one, { track: 'calm', volume: 0.5 });
  expect(withMusic).toEqual({ ...one, music: { track: 'calm', volume: 0.5 } });
  expect(toDocument(withMusic).music).toEqual({ track: 'calm', volume: 0.5 });
  expect(setMusic(withMusic, undefined)).toStrictEqual(one);
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
  expect(findSplitRefusal(double, double.clips[0]!, seconds(6))).toBe('outside');
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

let next = 0;

test('a film holds as many clips and titles, and lasts as long, as the server takes', () => {
  const full = film(...Array.from({ length: 1000 }, (_, at) => clip(`${at}`, at * 2, 2)));
  expect(insert(full, clip('new', 0, 1))).toBe(full);
  expect(findSplitRefusal(full, full.clips[0]!, seconds(1))).toBe('full');
  expect(split(full, '0', seconds(1))).toBe(full);
  requireConsistent(toDocument(full));
  const late = move(film(clip('a', 0, 2)), 'a', seconds(50_000));
  expect(describe(late)).toEqual(['0: 43198-43200 from 0']);
  requireConsistent(toDocument(late));
  const longest = film(clip('a', 0, 43_200));
  expect(insert(longest, clip('b', 5, 2))).toBe(longest);
});

test('a clip becomes no longer than the part that it shows', () => {
  const frame = film(clip('a', 0, 1, { duration: toWire(seconds(1, 30)) }));
  expect(changeSpeed(frame, 'a', seconds(4))).toBe(frame);
  expect(changeSpeed(frame, 'a', seconds(1))).toBe(frame);
});

test('the edits of one gesture are undone together, and 50 steps are kept', () => {
  const edit = (gesture?: string) => (history: History) =>
    reduceHistory(history, {
      type: 'edit',
      edit: (film) => insert(film, clip(`x ${next++}`, next, 1)),
      ...(gesture !== undefined && { gesture }),
    });
  let history = [edit('drag'), edit('drag'), edit('other')].reduce(
    (history, step) => step(history),
    toHistory(NONE),
  );
  expect(history.past.map(({ clips }) => clips.map(({ id }) => id))).toEqual([[], ['x 1']]);
  history = reduceHistory(history, { type: 'undo' });
  expect(history.film.clips.map(({ id }) => id)).toEqual(['x 1']);
  for (let at = 0; at < 60; at++) history = edit()(history);
  expect(history.past).toHaveLength(50);
  expect(history.future).toHaveLength(0);
  expect(findEntry(history.film, 'none')).toBeUndefined();
});

test('what changes nothing is no step, and a gesture counts by where it ends', () => {
  const run = (history: History, edit: (film: Film) => Film, gesture?: string) =>
    reduceHistory(history, { type: 'edit', edit, ...(gesture !== undefined && { gesture }) });
  const faded = film(clip('a', 2, 4, { fadeOut: toWire(seconds(2)) }));
  const moved = run(toHistory(faded), (film) => move(film, 'a', ZERO));
  const undone = reduceHistory(moved, { type: 'undo' });
  expect(run(undone, (film) => move(film, 'a', seconds(2)))).toBe(undone);
  const trimTo = (end: number) => (film: Film) => trimEnd(film, 'a', seconds(end), undefined);
  const trimmed = [3, 5].reduce((history, end) => run(history, trimTo(end), 'drag'), undone);
  expect(trimmed.film.clips[0]!.fadeOut).toEqual(toWire(seconds(2)));
  const back = run(trimmed, trimTo(6), 'drag');
  expect([back.past, back.film, back.future]).toEqual([[], faded, undone.future]);
});
