import type { Granularity, Histogram } from '../../data/search/query.ts';

/** One bar: the days it stands for, both included, and how many pictures they have. */
export type Bar = { from: string; to: string; count: number };

const MOST_BARS = 180;
const DAY_MS = 86_400_000;

/** Buckets as bars without gaps; by years where months would be too many to see. */
export function toBars({ granularity, buckets }: Histogram): Bar[] {
  const counts = new Map(buckets.map(({ date, count }) => [date, count]));
  const [first, last] = [buckets[0]?.date, buckets.at(-1)?.date];
  if (!first || !last) return [];
  // The order of the answer is not relied on.
  const [start, end] = first < last ? [first, last] : [last, first];
  const names = listBucketNames(start, end, granularity);
  if (names.length > MOST_BARS && granularity === 'month') return toBars(inYears(buckets));
  return names.map((name) => ({ ...toDays(name), count: counts.get(name) ?? 0 }));
}

function inYears(buckets: Histogram['buckets']): Histogram {
  const years = new Map<string, number>();
  for (const { date, count } of buckets) {
    const year = date.slice(0, 4);
    years.set(year, (years.get(year) ?? 0) + count);
  }
  const list = [...years].map(([date, count]) => ({ date, count }));
  return { granularity: 'year', total: 0, buckets: list };
}

function listBucketNames(start: string, end: string, granularity: Granularity): string[] {
  const names: string[] = [];
  let name = start;
  while (name <= end) {
    names.push(name);
    name = after(name, granularity);
  }
  return names;
}

function after(name: string, granularity: Granularity): string {
  const [year = 0, month = 1] = name.split('-').map(Number);
  if (granularity === 'year') return String(year + 1).padStart(4, '0');
  if (granularity === 'day') return isoDay(Date.parse(name) + DAY_MS);
  return isoDay(Date.UTC(year, month, 1)).slice(0, 7);
}

const isoDay = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

function toDays(name: string): { from: string; to: string } {
  if (name.length === 4) return { from: `${name}-01-01`, to: `${name}-12-31` };
  if (name.length === 10) return { from: name, to: name };
  const [year = 0, month = 1] = name.split('-').map(Number);
  return { from: `${name}-01`, to: isoDay(Date.UTC(year, month, 0)) };
}

/** The bar under a horizontal position from 0 to 1. */
export const barAt = (bars: readonly Bar[], part: number): number =>
  Math.max(0, Math.min(bars.length - 1, Math.floor(part * bars.length)));
