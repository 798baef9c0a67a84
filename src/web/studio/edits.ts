import {
  add,
  compare,
  divide,
  multiply,
  type Rational,
  rational,
  subtract,
  toRational,
  toWire,
  ZERO,
} from '../../core/rational.ts';
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
  max,
  min,
  type Title,
} from './film.ts';

// Each edit returns another film that the server accepts, or the same one where nothing can be done.
// Times are those of frames: denominators that only multiply would outgrow JSON.

const ONE = rational(1n);

/** Of an entry; undefined for pictures and titles, which last as long as one likes. */
export type SourceLength = Rational | undefined;

const getSpeed = (entry: Entry): Rational =>
  isClip(entry) && entry.speed ? toRational(entry.speed) : ONE;

/** Returns the entries of the same row, without this one, by time. */
function listNeighbours(film: Film, entry: Pick<Clip, 'id' | 'track'> | Title): readonly Entry[] {
  const row: readonly Entry[] =
    'track' in entry ? film.clips.filter(({ track }) => track === entry.track) : film.titles;
  return row
    .filter(({ id }) => id !== entry.id)
    .toSorted((a, b) => compare(getStart(a), getStart(b)));
}

/** Returns the start nearest to the wanted one where so much fits between the others. */
function findRoom(others: readonly Entry[], length: Rational, wanted: Rational): Rational {
  let best: Rational | undefined;
  let from = ZERO;
  for (const other of [...others, undefined]) {
    const latest = other && subtract(getStart(other), length);
    if (!latest || compare(from, latest) <= 0) {
      const here = max(from, latest ? min(wanted, latest) : wanted);
      if (!best || compare(distance(here, wanted), distance(best, wanted)) < 0) best = here;
    }
    if (other) from = max(from, getEnd(other));
  }
  return best!;
}

const distance = (a: Rational, b: Rational): Rational =>
  compare(a, b) < 0 ? subtract(b, a) : subtract(a, b);

function replace(film: Film, changed: Entry): Film {
  const swap = <T extends Entry>(entry: T): T => (entry.id === changed.id ? (changed as T) : entry);
  return { ...film, clips: film.clips.map(swap), titles: film.titles.map(swap) };
}

const append = (film: Film, entry: Entry): Film =>
  isClip(entry)
    ? { ...film, clips: [...film.clips, entry] }
    : { ...film, titles: [...film.titles, entry] };

/** Puts a new entry where it fits, as near to its start as it can. */
export function insert(film: Film, entry: Entry): Film {
  const start = findRoom(listNeighbours(film, entry), getLength(entry), getStart(entry));
  return append(film, { ...entry, start: toWire(start) });
}

/** Moves an entry to the nearest place where it fits, a clip also to another track. */
export function move(film: Film, id: string, to: Rational, track?: number): Film {
  const entry = findEntry(film, id);
  if (!entry) return film;
  const moved = isClip(entry) && track !== undefined ? { ...entry, track } : entry;
  const start = findRoom(listNeighbours(film, moved), getLength(entry), max(ZERO, to));
  return replace(film, { ...moved, start: toWire(start) });
}

/** Lets an entry begin at another time; what shows at any later time stays. */
export function trimStart(film: Film, id: string, to: Rational, source: SourceLength): Film {
  const entry = findEntry(film, id);
  if (!entry) return film;
  const end = getEnd(entry);
  const before = listNeighbours(film, entry)
    .map(getEnd)
    .filter((time) => compare(time, getStart(entry)) <= 0);
  let earliest = before.reduce(max, ZERO);
  const sourceIn = isClip(entry) ? toRational(entry.sourceIn) : ZERO;
  if (source) {
    const first = subtract(getStart(entry), divide(sourceIn, getSpeed(entry)));
    earliest = max(earliest, ceilToFrame(film, max(ZERO, first)));
  }
  const start = max(earliest, min(to, subtract(end, getFrameLength(film))));
  if (compare(start, end) >= 0) return film;
  const passed = multiply(subtract(start, getStart(entry)), getSpeed(entry));
  return replace(film, {
    ...entry,
    start: toWire(start),
    duration: toWire(subtract(end, start)),
    ...(source && { sourceIn: toWire(add(sourceIn, passed)) }),
  });
}

/** Lets an entry end at another time. */
export function trimEnd(film: Film, id: string, to: Rational, source: SourceLength): Film {
  const entry = findEntry(film, id);
  if (!entry) return film;
  const start = getStart(entry);
  const end = min(max(to, add(start, getFrameLength(film))), getLatestEnd(film, entry, source));
  if (compare(end, start) <= 0) return film;
  return replace(film, { ...entry, duration: toWire(subtract(end, start)) });
}

const FOREVER = rational(43_200n);

/** Returns where the next entry of the row begins, or the source ends. */
function getLatestEnd(film: Film, entry: Entry, source: SourceLength): Rational {
  const after = listNeighbours(film, entry)
    .map(getStart)
    .filter((time) => compare(time, getStart(entry)) > 0);
  const next = after.reduce(min, FOREVER);
  if (!source || !isClip(entry)) return next;
  const rest = divide(subtract(source, toRational(entry.sourceIn)), getSpeed(entry));
  return min(next, max(getEnd(entry), floorToFrame(film, add(getStart(entry), rest))));
}

/** Cuts the entry in two at a time within it. */
export function split(film: Film, id: string, at: Rational): Film {
  const entry = findEntry(film, id);
  if (!entry || compare(at, getStart(entry)) <= 0 || compare(at, getEnd(entry)) >= 0) return film;
  const passed = subtract(at, getStart(entry));
  const second = {
    ...entry,
    id: crypto.randomUUID(),
    start: toWire(at),
    duration: toWire(subtract(getEnd(entry), at)),
    ...(isClip(entry) && {
      sourceIn: toWire(add(toRational(entry.sourceIn), multiply(passed, getSpeed(entry)))),
    }),
  };
  return append(replace(film, { ...entry, duration: toWire(passed) }), second);
}

/** Removes an entry; with `isRipple` what comes after it in its row moves up. */
export function remove(film: Film, id: string, isRipple: boolean): Film {
  const entry = findEntry(film, id);
  if (!entry) return film;
  const without: Film = {
    ...film,
    clips: film.clips.filter((clip) => clip.id !== id),
    titles: film.titles.filter((title) => title.id !== id),
  };
  if (!isRipple) return without;
  return listNeighbours(film, entry)
    .filter((other) => compare(getStart(other), getStart(entry)) > 0)
    .reduce<Film>((film, other) => {
      const start = toWire(subtract(getStart(other), getLength(entry)));
      return replace(film, { ...other, start });
    }, without);
}

/** Plays a clip faster or slower: the same part of its source, in another time. */
export function changeSpeed(film: Film, id: string, speed: Rational): Film {
  const entry = findEntry(film, id);
  if (!entry || !isClip(entry) || compare(speed, ZERO) <= 0) return film;
  const length = divide(multiply(getLength(entry), getSpeed(entry)), speed);
  const start = getStart(entry);
  const rounded = max(floorToFrame(film, add(start, length)), add(start, getFrameLength(film)));
  const end = min(rounded, getLatestEnd(film, entry, undefined));
  return replace(film, {
    ...entry,
    speed: toWire(speed),
    duration: toWire(subtract(end, start)),
  });
}

export const change = <T extends Entry>(film: Film, entry: T, values: Partial<T>): Film =>
  replace(film, { ...entry, ...values });
