import { compare } from '../../../core/rational.ts';
import { move } from './edits.ts';
import { type Entry, type Film, findEntry, getStart, isClip, MAX_TRACKS } from './film.ts';

/** Why an entry is not moved to the next track: titles and sounds have none, there is no other, or others show there. */
export type TrackRefusal = 'trackless' | 'outermost' | 'taken';

/** 1 is the track above, -1 the one below. */
export type TrackStep = 1 | -1;

const moveBy = (film: Film, entry: Entry, step: TrackStep): Film =>
  isClip(entry) ? move(film, entry.id, getStart(entry), entry.track + step) : film;

/** Returns why an entry cannot be moved to the next track at its time; undefined if it can. */
export function findTrackRefusal(
  film: Film,
  entry: Entry,
  step: TrackStep,
): TrackRefusal | undefined {
  if (!isClip(entry)) return 'trackless';
  const track = entry.track + step;
  if (track < 0 || track >= MAX_TRACKS) return 'outermost';
  const moved = findEntry(moveBy(film, entry, step), entry.id) ?? entry;
  // Where others show it comes to lie beside them.
  const isInPlace = moved !== entry && compare(getStart(moved), getStart(entry)) === 0;
  return isInPlace ? undefined : 'taken';
}

/** Moves a clip to the next track, where it fits there without being moved in time. */
export function moveToTrack(film: Film, id: string, step: TrackStep): Film {
  const entry = findEntry(film, id);
  return !entry || findTrackRefusal(film, entry, step) ? film : moveBy(film, entry, step);
}
