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
  const toDay = by === 'createdAt' ? getUploadDay : getCaptureDay;
  const count = columns.id.length;
  const [starts, numbers]: [number[], number[]] = [[], []];
  for (let item = 0; item < count; item++) {
    const day = toDay(columns, item);
    if (day === numbers.at(-1)) continue;
    starts.push(item);
    numbers.push(day);
  }
  starts.push(count);
  return {
    starts: Uint32Array.from(starts),
    numbers: Int32Array.from(numbers),
    places: numbers.map((_, day) => findPlaceName(columns, starts[day]!, starts[day + 1]!)),
  };
}

const getCaptureDay = (columns: MonthColumns, item: number): number => {
  const offset = (columns.localOffsetHours[item] ?? 0) * HOUR_MS;
  return Math.floor((Date.parse(columns.fileCreatedAt[item]!) + offset) / DAY_MS);
};

const getUploadDay = ({ createdAt }: MonthColumns, item: number): number => {
  const instant = new Date(createdAt[item]!);
  return Math.floor((instant.getTime() - instant.getTimezoneOffset() * MINUTE_MS) / DAY_MS);
};

/** Returns the most frequent name, the first of several. */
function findPlaceName(columns: MonthColumns, start: number, end: number): string | undefined {
  for (const names of [columns.city, columns.country]) {
    const counts = new Map<string, number>();
    let best: string | undefined;
    for (let item = start; item < end; item++) {
      const name = names?.[item];
      if (!name) continue;
      const count = (counts.get(name) ?? 0) + 1;
      counts.set(name, count);
      if (best === undefined || count > counts.get(best)!) best = name;
    }
    if (best !== undefined) return best;
  }
  return undefined;
}
