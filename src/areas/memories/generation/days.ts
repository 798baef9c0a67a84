import { toDay } from '../../../core/dates.ts';

// Days as '2026-11-21': days of memories are days of UTC, those of pictures are local.

const DAY_MS = 24 * 60 * 60_000;

export const getStart = (day: string): Date => new Date(`${day}T00:00:00.000Z`);

/** Returns the last millisecond of a day. */
export const getEnd = (day: string): Date => new Date(getStart(day).getTime() + DAY_MS - 1);

export const addDays = (day: string, days: number): string =>
  toDay(new Date(getStart(day).getTime() + days * DAY_MS));

/** Days since 1970. */
export const getDayNumber = (day: string): number => getStart(day).getTime() / DAY_MS;

export const getYear = (day: string): number => Number(day.slice(0, 4));

const isLeapYear = (year: number): boolean => new Date(Date.UTC(year, 1, 29)).getUTCMonth() === 1;

/** Returns the months and days that are remembered on this day: in most years the 28 of February has two. */
export function listMonthDays(day: string): string[] {
  const monthDay = day.slice(5);
  const isLastOfFebruary = monthDay === '02-28' && !isLeapYear(getYear(day));
  return isLastOfFebruary ? [monthDay, '02-29'] : [monthDay];
}

/** Returns the days of former years, from `firstYear` on, that are remembered on this day. */
export function listAnniversaries(day: string, firstYear: number): string[] {
  const years = Math.max(0, getYear(day) - firstYear);
  return Array.from({ length: years }, (_, n) => firstYear + n).flatMap((year) =>
    listMonthDays(day)
      .filter((monthDay) => monthDay !== '02-29' || isLeapYear(year))
      .map((monthDay) => `${String(year).padStart(4, '0')}-${monthDay}`),
  );
}
