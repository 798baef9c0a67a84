import {
  add,
  compare,
  divide,
  multiply,
  type Rational,
  rational,
  subtract,
  toRational,
  toSeconds,
  toWire,
  ZERO,
} from '../../../core/rational.ts';
import { fitFades, getEarliestStartAfter, getLatestEndBefore } from './fades.ts';
import {
  ceilToFrame,
  type Clip,
  type Entry,
  type Film,
  findEntry,
  floorToFrame,
  getEnd,
  getFrameLength,
  getLength,
  getStart,
  isClip,
  isMediaEntry,
  isSound,
  max,
  min,
  type MediaEntry,
} from './film.ts';
import { FULL_CROP, mixCrops } from './movements.ts';

// Each edit returns another film that the server accepts, or the same one where nothing can be done.
// Times are those of frames: denominators that only multiply would outgrow JSON.

const ONE = rational(1n);

/** The length of the source of an entry; undefined for pictures and titles, which last as long as one likes. */
export type SourceLength = Rational | undefined;

/** Returns the seconds of the source in a second of the film. */
export const getSpeed = (entry: Entry): Rational =>
  isMediaEntry(entry) && entry.speed ? toRational(entry.speed) : ONE;

/** Returns the time of the source at which a clip or sound ends. */
export const getSourceOut = (part: MediaEntry): Rational =>
  add(toRational(part.sourceIn), multiply(getLength(part), getSpeed(part)));

/** Returns the entries of the same row, without this one, by time. Sounds have none: they may overlap. */
export function listNeighbours(film: Film, entry: Entry): readonly Entry[] {
  if (isSound(entry)) return [];
  const row: readonly Entry[] = isClip(entry)
    ? film.clips.filter(({ track }) => track === entry.track)
    : film.titles;
  return row
    .filter(({ id }) => id !== entry.id)
    .toSorted((a, b) => compare(getStart(a), getStart(b)));
}

/** The server takes no longer films, nor more entries. */
const MAX_LENGTH = rational(43_200n);
const MAX_CLIPS = 1000;
const MAX_TITLES = 200;
const MAX_SOUNDS = 200;

/** Returns the start nearest to the wanted one where so much fits between the others; undefined if there is none. */
function findRoom(
  others: readonly Entry[],
  length: Rational,
  wanted: Rational,
): Rational | undefined {
  let best: Rational | undefined;
  let from = ZERO;
  for (const other of [...others, undefined]) {
    const latest = subtract(other ? getStart(other) : MAX_LENGTH, length);
    if (compare(from, latest) <= 0) {
      const here = max(from, min(wanted, latest));
      if (!best || compare(distance(here, wanted), distance(best, wanted)) < 0) best = here;
    }
    if (other) from = max(from, getEnd(other));
  }
  return best;
}

const distance = (a: Rational, b: Rational): Rational =>
  compare(a, b) < 0 ? subtract(b, a) : subtract(a, b);

export function replace(film: Film, changed: Entry): Film {
  const swap = <T extends Entry>(entry: T): T => (entry.id === changed.id ? (changed as T) : entry);
  const { clips, titles, sounds } = film;
  return { ...film, clips: clips.map(swap), titles: titles.map(swap), sounds: sounds.map(swap) };
}

function append(film: Film, entry: Entry): Film {
  if (isClip(entry)) return { ...film, clips: [...film.clips, entry] };
  return isSound(entry)
    ? { ...film, sounds: [...film.sounds, entry] }
    : { ...film, titles: [...film.titles, entry] };
}

function isFull({ clips, titles, sounds }: Film, entry: Entry): boolean {
  if (isClip(entry)) return clips.length >= MAX_CLIPS;
  return isSound(entry) ? sounds.length >= MAX_SOUNDS : titles.length >= MAX_TITLES;
}

/** Puts a new entry where it fits, as near to its start as it can. */
export function insert(film: Film, entry: Entry): Film {
  const start = findRoom(listNeighbours(film, entry), getLength(entry), getStart(entry));
  return start && !isFull(film, entry) ? append(film, { ...entry, start: toWire(start) }) : film;
}

/** Moves an entry to the nearest place where it fits, a clip also to another track. */
export function move(film: Film, id: string, to: Rational, track?: number): Film {
  const entry = findEntry(film, id);
  if (!entry) return film;
  const moved = isClip(entry) && track !== undefined ? { ...entry, track } : entry;
  const start = findRoom(listNeighbours(film, moved), getLength(entry), max(ZERO, to));
  return start ? replace(film, { ...moved, start: toWire(start) }) : film;
}

/** Returns the entries of the row that begin before this one, and those that begin after it. */
function listAround(
  film: Film,
  entry: Entry,
): { before: readonly Entry[]; after: readonly Entry[] } {
  const row = listNeighbours(film, entry);
  const side = (other: Entry) => compare(getStart(other), getStart(entry));
  return {
    before: row.filter((other) => side(other) < 0),
    after: row.filter((other) => side(other) > 0),
  };
}

/** Lets an entry begin at another time; what shows at any later time stays. */
export function trimStart(film: Film, id: string, to: Rational, source: SourceLength): Film {
  const entry = findEntry(film, id);
  if (!entry) return film;
  const end = getEnd(entry);
  const { before, after } = listAround(film, entry);
  let earliest = before.map((other) => getEarliestStartAfter(other, entry)).reduce(max, ZERO);
  const sourceIn = isMediaEntry(entry) ? toRational(entry.sourceIn) : ZERO;
  if (source) {
    const first = subtract(getStart(entry), divide(sourceIn, getSpeed(entry)));
    earliest = max(earliest, ceilToFrame(film, max(ZERO, first)));
  }
  // An entry that this one overlaps still begins after it.
  const latest = subtract(after.map(getStart).reduce(min, end), getFrameLength(film));
  const start = max(earliest, min(to, latest));
  if (compare(start, latest) > 0) return film;
  const passed = multiply(subtract(start, getStart(entry)), getSpeed(entry));
  return replace(
    film,
    fitFades({
      ...entry,
      start: toWire(start),
      duration: toWire(subtract(end, start)),
      ...(source && { sourceIn: toWire(add(sourceIn, passed)) }),
    }),
  );
}

/** Lets an entry end at another time. */
export function trimEnd(film: Film, id: string, to: Rational, source: SourceLength): Film {
  const entry = findEntry(film, id);
  if (!entry) return film;
  const end = limitEnd(film, entry, to, source);
  return end ? replace(film, withEnd(entry, end)) : film;
}

const withEnd = (entry: Entry, end: Rational): Entry =>
  fitFades({ ...entry, duration: toWire(subtract(end, getStart(entry))) });

/** Returns the end nearest to the wanted one where the entry fits; undefined if there is none. */
function limitEnd(
  film: Film,
  entry: Entry,
  wanted: Rational,
  source: SourceLength,
): Rational | undefined {
  const { before, after } = listAround(film, entry);
  const start = getStart(entry);
  // A clip ends after the one that it is mixed with; titles may lie anywhere.
  const earliest = before
    .filter(isClip)
    .map(getEnd)
    .reduce(max, add(start, getFrameLength(film)));
  const [next, second] = after;
  let latest = next ? getLatestEndBefore(entry, next) : MAX_LENGTH;
  if (second) latest = min(latest, getStart(second));
  if (source && isMediaEntry(entry)) {
    const rest = divide(subtract(source, toRational(entry.sourceIn)), getSpeed(entry));
    latest = min(latest, max(getEnd(entry), floorToFrame(film, add(start, rest))));
  }
  const end = min(max(wanted, earliest), latest);
  return compare(end, earliest) < 0 ? undefined : end;
}

/** Why an entry is not split: at this time it does not show, it is mixed with another, or the film is full. */
export type SplitRefusal = 'outside' | 'mixed' | 'full';

/** Returns why an entry cannot be split at a time; undefined if it can. */
export function findSplitRefusal(film: Film, entry: Entry, at: Rational): SplitRefusal | undefined {
  if (compare(at, getStart(entry)) <= 0 || compare(at, getEnd(entry)) >= 0) return 'outside';
  const isShared = (other: Entry) =>
    isClip(other) && compare(getStart(other), at) <= 0 && compare(at, getEnd(other)) < 0;
  if (listNeighbours(film, entry).some(isShared)) return 'mixed';
  return isFull(film, entry) ? 'full' : undefined;
}

/** Cuts the entry in two at a time within it, where it is not mixed with another. */
export function split(film: Film, id: string, at: Rational): Film {
  const entry = findEntry(film, id);
  if (!entry || findSplitRefusal(film, entry, at)) return film;
  const passed = subtract(at, getStart(entry));
  const parts = splitEntry(entry, passed);
  const second = {
    ...parts.second,
    id: crypto.randomUUID(),
    start: toWire(at),
    duration: toWire(subtract(getEnd(entry), at)),
  };
  return append(replace(film, withEnd(parts.first, at)), fitFades(second));
}

/** Returns both sides of an entry, with what each keeps of its fades. */
function splitEntry(entry: Entry, passed: Rational): { first: Entry; second: Entry } {
  if (isMediaEntry(entry)) return splitPart(entry, passed);
  const { fadeIn: _in, ...second } = entry;
  const { fadeOut: _out, ...first } = entry;
  return { first, second };
}

/** Returns both sides of a clip or sound, with what each keeps of its fades and its movement, which is even then. */
function splitPart(part: MediaEntry, passed: Rational): { first: MediaEntry; second: MediaEntry } {
  const { easing, ...even }: Partial<Clip> & MediaEntry = part;
  const { fadeIn: _in, ...second } = even;
  const { fadeOut: _out, ...first } = even;
  const { crop = FULL_CROP, cropTo }: Partial<Clip> = part;
  const share = toSeconds(divide(passed, getLength(part)));
  const middle = cropTo && mixCrops(crop, cropTo, easing === 'smooth' ? smooth(share) : share);
  const sourceIn = toWire(add(toRational(part.sourceIn), multiply(passed, getSpeed(part))));
  return {
    first: { ...first, ...(middle && { cropTo: middle }) },
    second: { ...second, sourceIn, ...(middle && { crop: middle }) },
  };
}

/** Returns how far a smooth movement has come. */
const smooth = (share: number): number => share * share * (3 - 2 * share);

/** Removes an entry; with `isRipple` what comes after it in its row moves up. */
export function remove(film: Film, id: string, isRipple: boolean): Film {
  const entry = findEntry(film, id);
  if (!entry) return film;
  const without: Film = {
    ...film,
    clips: film.clips.filter((clip) => clip.id !== id),
    titles: film.titles.filter((title) => title.id !== id),
    sounds: film.sounds.filter((sound) => sound.id !== id),
  };
  if (!isRipple) return without;
  const { before, after } = listAround(film, entry);
  const begin = before.map(getEnd).reduce(max, getStart(entry));
  const room = after[0] ? max(ZERO, subtract(getStart(after[0]), begin)) : ZERO;
  return shift(without, after, subtract(ZERO, min(room, getLength(entry))));
}

/** Returns whether clips or sounds of a film are of an item. */
export const showsItem = ({ clips, sounds }: Film, assetId: string): boolean =>
  [...clips, ...sounds].some((part) => part.assetId === assetId);

/** Removes all clips and sounds of an item; everything else stays where it is. */
export const removeItem = (film: Film, assetId: string): Film =>
  [...film.clips, ...film.sounds]
    .filter((part) => part.assetId === assetId)
    .reduce((film, { id }) => remove(film, id, false), film);

/** Moves entries by a time. */
export const shift = (film: Film, entries: readonly Entry[], by: Rational): Film =>
  entries.reduce(
    (film, entry) => replace(film, { ...entry, start: toWire(add(getStart(entry), by)) }),
    film,
  );

/** Plays a clip or sound faster or slower: the same part of its source, in another time; not where it would be longer than that. */
export function changeSpeed(film: Film, id: string, speed: Rational): Film {
  const entry = findEntry(film, id);
  if (!entry || !isMediaEntry(entry) || compare(speed, ZERO) <= 0) return film;
  if (compare(speed, getSpeed(entry)) === 0) return film;
  const length = divide(multiply(getLength(entry), getSpeed(entry)), speed);
  const wanted = floorToFrame(film, add(getStart(entry), length));
  const end = limitEnd(film, entry, wanted, undefined);
  const fits = end && compare(end, wanted) <= 0;
  return fits ? replace(film, withEnd({ ...entry, speed: toWire(speed) }, end)) : film;
}

/** Sets the factor of a sound; 0 mutes it. */
export function setVolume<T extends MediaEntry>(film: Film, part: T, volume: number): Film {
  const { volume: _volume, ...rest } = part;
  return replace(film, (volume === 1 ? rest : { ...rest, volume }) as T);
}

export const change = <T extends Entry>(film: Film, entry: T, values: Partial<T>): Film =>
  replace(film, { ...entry, ...values });

/** Returns the film with this music below all its sounds, or with none. */
export function setMusic({ music: _music, ...film }: Film, music: Film['music']): Film {
  return music ? { ...film, music } : film;
}
