import {
  compare,
  divide,
  type Rational,
  rational,
  subtract,
  ZERO,
} from '../../../core/rational.ts';
import { listNeighbours, replace, shift } from './edits.ts';
import { getFadeIn, getFadeOut, getOverlap, withFades } from './fades.ts';
import {
  type Clip,
  type Film,
  findEntry,
  floorToFrame,
  getEnd,
  getLength,
  getStart,
  isClip,
  isMediaEntry,
  max,
  min,
} from './film.ts';

/** How a clip follows the one before: at once, mixed with it, or after the background. */
export const TRANSITIONS = ['cut', 'crossfade', 'dip'] as const;
export type Transition = (typeof TRANSITIONS)[number];

const ONE = rational(1n);
const TWO = rational(2n);
const half = (time: Rational): Rational => divide(time, TWO);

/** Returns the clip before on the same track that ends where this one begins, or later. */
function findPrevious(film: Film, clip: Clip): Clip | undefined {
  const before = listNeighbours(film, clip).findLast(
    (other) => compare(getStart(other), getStart(clip)) < 0,
  );
  const adjoins = before && compare(getEnd(before), getStart(clip)) >= 0;
  return adjoins && isClip(before) ? before : undefined;
}

/** Returns how a clip follows the one before; undefined if nothing ends where it begins. */
export function getTransition(film: Film, clip: Clip): Transition | undefined {
  const before = findPrevious(film, clip);
  if (!before) return undefined;
  if (compare(getOverlap(before, clip), ZERO) > 0) return 'crossfade';
  const isDip = compare(getFadeOut(before), ZERO) > 0 && compare(getFadeIn(clip), ZERO) > 0;
  return isDip ? 'dip' : 'cut';
}

/** Lets a clip follow the one before in another way. What comes later on its track stays behind it. */
export function setTransition(film: Film, id: string, transition: Transition): Film {
  const clip = findEntry(film, id);
  const before = clip && isClip(clip) && findPrevious(film, clip);
  if (!before || getTransition(film, clip) === transition) return film;
  const cut = makeCut(film, before, clip);
  if (transition === 'cut') return cut;
  const [first, second] = [before.id, id].map((id) => findEntry(cut, id) as Clip) as [Clip, Clip];
  return transition === 'dip' ? makeDip(cut, first, second) : makeCrossfade(cut, first, second);
}

function listFrom(film: Film, clip: Clip): readonly Clip[] {
  const later = listNeighbours(film, clip).filter(
    (other) => compare(getStart(other), getStart(clip)) > 0,
  );
  return [clip, ...later].filter(isClip);
}

function makeCut(film: Film, before: Clip, clip: Clip): Film {
  const apart = shift(film, listFrom(film, clip), getOverlap(before, clip));
  const moved = findEntry(apart, clip.id) as Clip;
  const open = replace(apart, withFades(moved, ZERO, getFadeOut(clip)));
  return replace(open, withFades(before, getFadeIn(before), ZERO));
}

function makeDip(film: Film, before: Clip, clip: Clip): Film {
  const [out, into] = [before, clip].map((clip) =>
    floorToFrame(film, half(min(ONE, getLength(clip)))),
  ) as [Rational, Rational];
  const dark = replace(film, withFades(before, getFadeIn(before), out));
  return replace(dark, withFades(clip, into, getFadeOut(clip)));
}

/** Pulls a clip and all that come later over the one before, for a second at most. */
function makeCrossfade(film: Film, before: Clip, clip: Clip): Film {
  const [, next] = listFrom(film, clip);
  const earlier = findPrevious(film, before);
  // At no time there are three of them.
  const free = subtract(getEnd(before), max(getStart(before), earlier ? getEnd(earlier) : ZERO));
  const room = next ? subtract(getStart(next), getStart(clip)) : getLength(clip);
  const longest = [half(getLength(before)), half(getLength(clip)), free, room].reduce(min, ONE);
  const length = floorToFrame(film, longest);
  if (compare(length, ZERO) <= 0) return film;
  const pulled = shift(film, listFrom(film, clip), subtract(ZERO, length));
  const moved = findEntry(pulled, clip.id) as Clip;
  return replace(pulled, withFades(moved, length, getFadeOut(clip)));
}

/** Sets how long a clip or sound fades, as far as it fits; a crossfade is covered. */
export function setFades(film: Film, id: string, fadeIn: Rational, fadeOut: Rational): Film {
  const part = findEntry(film, id);
  if (!part || !isMediaEntry(part)) return film;
  const before = isClip(part) && findPrevious(film, part);
  const least = before ? getOverlap(before, part) : ZERO;
  return replace(film, withFades(part, max(fadeIn, least), fadeOut));
}
