import {
  add,
  compare,
  type Rational,
  subtract,
  toRational,
  toWire,
  ZERO,
} from '../../../core/rational.ts';
import { type Entry, getEnd, getLength, getStart, isMediaEntry, max, min } from './film.ts';

const NONE = { numerator: 0, denominator: 1 };

/** Returns the time in which a clip or sound may be mixed with the one before: none for titles. */
export const getFadeIn = (entry: Entry): Rational =>
  isMediaEntry(entry) && entry.fadeIn ? toRational(entry.fadeIn) : ZERO;
export const getFadeOut = (entry: Entry): Rational =>
  isMediaEntry(entry) && entry.fadeOut ? toRational(entry.fadeOut) : ZERO;

/** Returns the entry with these fades, as far as they fit into it; the fade-in goes first. */
export function withFades<T extends Entry>(entry: T, fadeIn: Rational, fadeOut: Rational): T {
  const { fadeIn: _in, fadeOut: _out, ...rest } = entry;
  const length = getLength(entry);
  const first = min(fadeIn, length);
  const last = min(fadeOut, subtract(length, first));
  return {
    ...rest,
    ...(compare(first, ZERO) > 0 && { fadeIn: toWire(first) }),
    ...(compare(last, ZERO) > 0 && { fadeOut: toWire(last) }),
  } as T;
}

/** Returns the entry with its fades as far as they fit into it. */
export const fitFades = <T extends Entry>(entry: T): T =>
  withFades(entry, toRational(entry.fadeIn ?? NONE), toRational(entry.fadeOut ?? NONE));

const isOverlapping = (before: Entry, after: Entry): boolean =>
  compare(getEnd(before), getStart(after)) > 0;

/** Returns the time in which both show; 0 if one ends where the other begins. */
export const getOverlap = (before: Entry, after: Entry): Rational =>
  max(ZERO, subtract(getEnd(before), getStart(after)));

// A transition makes an overlap; trimming does not, nor a longer one.

/** Returns how late an entry may end that begins before `after`. */
export const getLatestEndBefore = (before: Entry, after: Entry): Rational =>
  isOverlapping(before, after)
    ? min(add(getStart(after), getFadeIn(after)), getEnd(after))
    : getStart(after);

/** Returns how early an entry may begin that begins after `before`. */
export const getEarliestStartAfter = (before: Entry, after: Entry): Rational =>
  isOverlapping(before, after)
    ? min(getStart(after), subtract(getEnd(before), getFadeIn(after)))
    : getEnd(before);
