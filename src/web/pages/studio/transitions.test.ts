import { expect, test } from 'bun:test';
import { clip, describe, film, seconds } from '../../../../test/support/edited-films.ts';
import { requireConsistent } from '../../../areas/studio/projects/document.ts';
import { toSeconds, toWire, ZERO } from '../../../core/rational.ts';
import { move, remove, split, trimEnd, trimStart } from './edits.ts';
import { getFadeIn, getFadeOut } from './fades.ts';
import { type Clip, type Film, findEntry, toDocument } from './film.ts';
import { getMovement, MOVEMENTS, withMovement } from './movements.ts';
import { getTransition, setFades, setTransition } from './transitions.ts';

const find = (film: Film, id: string) => findEntry(film, id) as Clip;
const fades = (film: Film, id: string) =>
  [getFadeIn, getFadeOut].map((get) => toSeconds(get(find(film, id))));
const wire = (numerator: number, denominator = 1) => toWire(seconds(numerator, denominator));

const THREE = film(clip('a', 0, 4), clip('b', 4, 3), clip('c', 7, 2));
const CROSSED = setTransition(THREE, 'b', 'crossfade');

test('a crossfade pulls a clip and what follows over the one before, and a cut puts them back', () => {
  expect(getTransition(THREE, find(THREE, 'b'))).toBe('cut');
  expect(describe(CROSSED)).toEqual(['0: 0-4 from 0', '0: 3-6 from 0', '0: 6-8 from 0']);
  expect(fades(CROSSED, 'b')).toEqual([1, 0]);
  expect(getTransition(CROSSED, find(CROSSED, 'b'))).toBe('crossfade');
  expect(getTransition(CROSSED, find(CROSSED, 'c'))).toBe('cut');
  requireConsistent(toDocument(CROSSED));
  expect(setTransition(CROSSED, 'b', 'crossfade')).toBe(CROSSED);
  expect(toDocument(setTransition(CROSSED, 'b', 'cut'))).toEqual(toDocument(THREE));
});

test('a crossfade is as long as half of the shorter clip, and never of three clips', () => {
  const short = film(clip('a', 0, 4), clip('b', 4, 1), clip('c', 5, 4));
  const twice = setTransition(setTransition(short, 'b', 'crossfade'), 'c', 'crossfade');
  expect(describe(twice)).toEqual(['0: 0-4 from 0', '0: 3.5-4.5 from 0', '0: 4-8 from 0']);
  expect(fades(twice, 'c')).toEqual([0.5, 0]);
  requireConsistent(toDocument(twice));
});

test('a fade through the background leaves the times, and is taken back', () => {
  const dipped = setTransition(THREE, 'b', 'dip');
  expect(describe(dipped)).toEqual(describe(THREE));
  expect([...fades(dipped, 'a'), ...fades(dipped, 'b')]).toEqual([0, 0.5, 0.5, 0]);
  expect(getTransition(dipped, find(dipped, 'b'))).toBe('dip');
  expect(toDocument(setTransition(dipped, 'b', 'cut'))).toEqual(toDocument(THREE));
  const crossed = setTransition(dipped, 'b', 'crossfade');
  expect(fades(crossed, 'a')).toEqual([0, 0]);
  expect(describe(crossed)).toEqual(describe(CROSSED));
});

test('a clip behind a gap, or on another track, follows none', () => {
  const apart = film(clip('a', 0, 4), clip('b', 5, 3), clip('c', 4, 2, { track: 1 }));
  for (const id of ['a', 'b', 'c']) {
    expect(getTransition(apart, find(apart, id))).toBeUndefined();
    expect(setTransition(apart, id, 'crossfade')).toBe(apart);
  }
});

test('fades stay within their clip, and a crossfade is covered', () => {
  const faded = setFades(THREE, 'a', seconds(3), seconds(3));
  expect(fades(faded, 'a')).toEqual([3, 1]);
  expect(fades(trimEnd(faded, 'a', seconds(2), undefined), 'a')).toEqual([2, 0]);
  expect(fades(trimStart(faded, 'a', seconds(1, 2), undefined), 'a')).toEqual([3, 0.5]);
  expect(fades(move(faded, 'a', seconds(20)), 'a')).toEqual([3, 1]);
  expect(fades(setFades(CROSSED, 'b', ZERO, ZERO), 'b')).toEqual([1, 0]);
  expect(fades(setFades(faded, 'a', ZERO, ZERO), 'a')).toEqual([0, 0]);
});

test('what is trimmed in a crossfade stops where the server would refuse it', () => {
  // Neither longer than the fade, nor beyond the other clip.
  expect(describe(trimEnd(CROSSED, 'a', seconds(9), undefined))[0]).toBe('0: 0-4 from 0');
  expect(describe(trimEnd(CROSSED, 'a', seconds(7, 2), undefined))[0]).toBe('0: 0-3.5 from 0');
  expect(describe(trimEnd(CROSSED, 'b', ZERO, undefined))[1]).toBe('0: 3-4 from 0');
  expect(describe(trimStart(CROSSED, 'b', ZERO, undefined))[1]).toBe('0: 3-6 from 0');
  expect(split(CROSSED, 'b', seconds(7, 2))).toBe(CROSSED);
  expect(split(CROSSED, 'a', seconds(7, 2))).toBe(CROSSED);
  expect(split(CROSSED, 'b', seconds(5)).clips).toHaveLength(4);
});

test('what moves up when a clip is removed does not cover the one before', () => {
  const crossed = setTransition(CROSSED, 'c', 'crossfade');
  expect(describe(crossed)[2]).toBe('0: 5-7 from 0');
  const left = remove(crossed, 'b', true);
  expect(describe(left)).toEqual(['0: 0-4 from 0', '0: 4-6 from 0']);
  requireConsistent(toDocument(left));
});

test('both parts of a clip go on with its fades and its movement', () => {
  const whole = clip('a', 0, 4, { fadeIn: wire(1), fadeOut: wire(1) });
  const parts = split(film(withMovement(whole, 'closer')), 'a', seconds(2)).clips;
  const [first, second] = parts as [Clip, Clip];
  expect([first, second].map((part) => [part.fadeIn, part.fadeOut])).toEqual([
    [wire(1), undefined],
    [undefined, wire(1)],
  ]);
  expect(second.crop).toEqual(first.cropTo!);
  expect(first.cropTo!.width).toBeCloseTo(0.9);
  expect([first.crop, second.cropTo]).toEqual([
    { x: 0, y: 0, width: 1, height: 1 },
    withMovement(whole, 'closer').cropTo!,
  ]);
});

test('a smooth movement that is split goes on evenly from where it has come to', () => {
  const whole = { ...withMovement(clip('a', 0, 4), 'closer'), easing: 'smooth' } as const;
  const [first, second] = split(film(whole), 'a', seconds(1)).clips as [Clip, Clip];
  expect(first.cropTo!.width).toBeCloseTo(1 - 0.2 * 0.15625);
  expect(second.crop).toEqual(first.cropTo!);
  expect([first.easing, second.easing]).toEqual([undefined, undefined]);
});

test('both parts of a title go on with its fades', () => {
  const fades = { fadeIn: wire(1), fadeOut: wire(1) };
  const whole = {
    id: 'a',
    text: 'x',
    x: 0.5,
    y: 0.5,
    size: 0.1,
    start: wire(0),
    duration: wire(4),
  };
  const before = { ...film(), titles: [{ ...whole, ...fades }] };
  expect(
    split(before, 'a', seconds(2)).titles.map(({ fadeIn, fadeOut }) => [fadeIn, fadeOut]),
  ).toEqual([
    [wire(1), undefined],
    [undefined, wire(1)],
  ]);
  expect(trimEnd(before, 'a', seconds(1, 2), undefined).titles[0]!.fadeIn).toEqual(wire(1, 2));
});

test('each movement is told by its crops, and leads back to what was shown', () => {
  for (const view of [undefined, { x: 0.25, y: 0.5, width: 0.75, height: 0.4 }]) {
    const still = clip('a', 0, 4, view && { crop: view });
    for (const movement of MOVEMENTS) {
      const moving = withMovement(still, movement);
      expect(getMovement(moving)).toBe(movement);
      requireConsistent(toDocument(film(moving)));
      for (const other of MOVEMENTS) {
        const { crop, cropTo } = withMovement(withMovement(moving, other), 'none');
        expect(cropTo).toBeUndefined();
        expect(crop === undefined).toBe(view === undefined);
        for (const [name, part] of Object.entries(view ?? {}))
          expect(crop![name as 'x']).toBeCloseTo(part, 5);
      }
    }
  }
});
