import { type Rational, toSeconds, ZERO } from '../../../core/rational.ts';
import { type Film, getEnd, getStart, listEntries, toNearestFrame } from './film.ts';

/** A time where an edge is caught, and the entry that it belongs to. */
export type SnapTime = { readonly time: Rational; readonly id: string | undefined };

/** Pixels within which an edge is caught. */
const REACH = 8;

export function listSnapTimes(film: Film, playhead: Rational): readonly SnapTime[] {
  const edges = listEntries(film).flatMap((entry) =>
    [getStart(entry), getEnd(entry)].map((time) => ({ time, id: entry.id })),
  );
  return [ZERO, playhead].map((time): SnapTime => ({ time, id: undefined })).concat(edges);
}

type Movement = {
  readonly film: Film;
  readonly times: readonly SnapTime[];
  /** The entry that is moved is not caught by itself. */
  readonly id: string;
  readonly zoom: number;
};

/** Returns the time nearest to so many seconds: an edge that is near, or a frame. */
export function snap(seconds: number, { film, times, id, zoom }: Movement): Rational {
  let best: Rational | undefined;
  let reach = REACH / zoom;
  for (const candidate of times) {
    const away = Math.abs(toSeconds(candidate.time) - seconds);
    if (candidate.id === id || away > reach) continue;
    best = candidate.time;
    reach = away;
  }
  return best ?? toNearestFrame(film, seconds);
}

/** Returns the start of something so long whose start or end is caught. */
export function snapSpan(seconds: number, length: number, movement: Movement): Rational {
  const start = snap(seconds, movement);
  if (movement.times.some(({ time }) => time === start)) return start;
  const end = snap(seconds + length, movement);
  const isCaught = movement.times.some(({ time }) => time === end);
  return isCaught ? toNearestFrame(movement.film, toSeconds(end) - length) : start;
}
