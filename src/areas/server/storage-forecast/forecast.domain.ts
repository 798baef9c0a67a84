import type { Ctx } from '../../../core/context.ts';
import { getStorage } from '../domain.ts';
import type { StorageForecast } from './forecast.schemas.ts';
import { type LibrarySize, listSizes, readFirstDay, toDay } from './library-size.store.ts';

const DAY_MS = 86_400_000;
const WINDOW_DAYS = 30;
/** Months that are told, and windows of 30 days that a forecast is made of. */
const WINDOWS = 12;
const MIN_DAYS = 28;
const KNOWN_DAYS = 400;
const MAX_MS = 100 * 365 * DAY_MS;
/** With so many windows the largest is left out: that in which a library was imported. */
const MANY_WINDOWS = 4;

/** Returns when the disk will be full if the library goes on to grow as in the last year. */
export async function getStorageForecast(
  ctx: Pick<Ctx, 'db' | 'now' | 'paths' | 'settings'>,
): Promise<StorageForecast> {
  const now = ctx.now();
  const [sizes, firstDay, { diskAvailableRaw }] = await Promise.all([
    listSizes(ctx.db, new Date(now.getTime() - KNOWN_DAYS * DAY_MS)),
    readFirstDay(ctx.db),
    getStorage(ctx),
  ]);
  const availableBytes = Math.max(0, diskAvailableRaw - ctx.settings.reserveBytes);
  const windows = toWindows(sizes, now);
  const monthlyBytes = windows.length === 0 ? null : Math.round(computeRate(windows));
  return {
    months: toMonths(withBeginning(sizes, firstDay), now),
    availableBytes,
    monthlyBytes,
    fullAt: toFullAt(availableBytes, monthlyBytes, now),
  };
}

/** Returns the growth in each 30 days back from now, newest first; none of less than 28 days. */
export function toWindows(sizes: readonly LibrarySize[], now: Date): number[] {
  const [first] = sizes;
  const ageDays = first ? (now.getTime() - Date.parse(first.day)) / DAY_MS : 0;
  if (ageDays < MIN_DAYS) return [];
  const count = Math.min(WINDOWS, Math.max(1, Math.floor(ageDays / WINDOW_DAYS)));
  const findEdge = (at: number) => findSize(sizes, now.getTime() - at * WINDOW_DAYS * DAY_MS);
  return Array.from({ length: count }, (_, at) => findEdge(at) - findEdge(at + 1));
}

/** Returns the mean; of four windows or more without the largest one. */
export function computeRate(windows: readonly number[]): number {
  const sum = windows.reduce((total, bytes) => total + bytes, 0);
  if (windows.length < MANY_WINDOWS) return sum / windows.length;
  return (sum - Math.max(...windows)) / (windows.length - 1);
}

export function toFullAt(
  availableBytes: number,
  monthlyBytes: number | null,
  now: Date,
): string | null {
  if (availableBytes === 0) return now.toISOString();
  if (monthlyBytes === null || monthlyBytes <= 0) return null;
  const ms = (availableBytes / monthlyBytes) * WINDOW_DAYS * DAY_MS;
  return ms > MAX_MS ? null : new Date(now.getTime() + ms).toISOString();
}

/** A library that was recorded from its first day on had nothing before. */
export function withBeginning(
  sizes: readonly LibrarySize[],
  firstDay: string,
): readonly LibrarySize[] {
  const [first] = sizes;
  if (!first) return sizes;
  const days = (Date.parse(first.day) - Date.parse(firstDay)) / DAY_MS;
  if (days !== 0 && days !== 1) return sizes;
  return [{ day: toDay(new Date(Date.parse(firstDay) - DAY_MS)), bytes: 0 }, ...sizes];
}

/** The growth of a month before the first record is not known. */
export function toMonths(sizes: readonly LibrarySize[], now: Date): StorageForecast['months'] {
  const getStart = (ago: number) => Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - ago, 1);
  const firstTime = Date.parse(sizes[0]?.day ?? '');
  return Array.from({ length: WINDOWS }, (_, index) => {
    const ago = WINDOWS - 1 - index;
    const [start, end] = [getStart(ago), getStart(ago - 1)];
    const isKnown = firstTime < end;
    return {
      month: toDay(new Date(start)),
      bytes: isKnown ? findSize(sizes, end - 1) - findSize(sizes, start - 1) : null,
    };
  });
}

/** Returns the size that was recorded last at a time; before the first record, that of the first. */
function findSize(sizes: readonly LibrarySize[], time: number): number {
  const last = sizes.findLast(({ day }) => Date.parse(day) <= time);
  return (last ?? sizes[0])?.bytes ?? 0;
}
