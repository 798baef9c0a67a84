import type { MonthColumns } from '../types.ts';
import type { Filter } from './queries.ts';

/** The days of one month in the order of its pictures: local days of the photos. */
export type Days = {
  /** Day d holds the items starts[d] … starts[d + 1] - 1; one more entry than there are days. */
  starts: Uint32Array;
  /** Days since 1970-01-01. */
  numbers: Int32Array;
  /** The most frequent town of the day's items, else their country. */
  places: readonly (string | undefined)[];
};

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

/** Returns the start of the day, as a Date that must be shown in UTC. */
export const toDate = (day: number): Date => new Date(day * DAY_MS);

/** Finds where the local day of capture changes, or the viewer's day of the upload. */
export function findDays(columns: MonthColumns, by: Filter['orderBy'] = 'takenAt'): Days {
  const { createdAt, fileCreatedAt, localOffsetHours } = columns;
  const days =
    by === 'createdAt'
      ? createdAt.map((time) => getUploadDay(time))
      : fileCreatedAt.map((time, item) => getCaptureDay(time, localOffsetHours[item] ?? 0));
  const [starts, numbers]: [number[], number[]] = [[], []];
  days.forEach((day, item) => {
    if (day === numbers.at(-1)) return;
    starts.push(item);
    numbers.push(day);
  });
  return {
    starts: Uint32Array.from([...starts, days.length]),
    numbers: Int32Array.from(numbers),
    places: starts.map((start, day) =>
      findPlaceName(columns, start, starts[day + 1] ?? days.length),
    ),
  };
}

const getCaptureDay = (time: string, offsetHours: number): number =>
  Math.floor((Date.parse(time) + offsetHours * HOUR_MS) / DAY_MS);

function getUploadDay(time: string): number {
  const instant = new Date(time);
  return Math.floor((instant.getTime() - instant.getTimezoneOffset() * MINUTE_MS) / DAY_MS);
}

/** Returns the most frequent name, the first of several. */
function findPlaceName(columns: MonthColumns, start: number, end: number): string | undefined {
  for (const names of [columns.city, columns.country]) {
    const counts = new Map<string, number>();
    let best: string | undefined;
    let most = 0;
    for (let item = start; item < end; item++) {
      const name = names?.[item];
      if (!name) continue;
      const count = (counts.get(name) ?? 0) + 1;
      counts.set(name, count);
      if (count > most) [best, most] = [name, count];
    }
    if (best !== undefined) return best;
  }
  return undefined;
}
