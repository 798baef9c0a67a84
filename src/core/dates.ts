// Parses dates and times that clients send. Date.parse takes 30 February for 1 March, and a time without
// an offset for local time of the server.

const DAY = /^(\d{4})-(\d\d)-(\d\d)$/;
const MONTH_DAY = /^(\d\d)-(\d\d)$/;
const INSTANT =
  /^(\d{4}-\d\d-\d\d)T([01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d+)?)?(Z|[+-](?:[01]\d|2[0-3]):?[0-5]\d)$/;
const LENGTHS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** True for a day that exists, as 2024-02-29, from the year 10: databases differ about those before. */
export function isDay(text: string): boolean {
  const found = DAY.exec(text);
  if (!found) return false;
  const [year, month, day] = found.slice(1).map(Number) as [number, number, number];
  if (year < 10 || !isDayOfMonth(month, day)) return false;
  const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  return isLeap || month !== 2 || day < 29;
}

/** True for a day that some year has, as 02-29. */
export function isMonthDay(text: string): boolean {
  const found = MONTH_DAY.exec(text);
  return found !== null && isDayOfMonth(Number(found[1]), Number(found[2]));
}

const isDayOfMonth = (month: number, day: number) => day >= 1 && day <= (LENGTHS[month - 1] ?? 0);

/**
 * Returns the moment that an ISO 8601 date-time with an offset names, in ms since 1970; undefined for
 * any other text. Digits beyond milliseconds are cut off.
 */
export function parseInstant(text: string): number | undefined {
  const [, day] = INSTANT.exec(text) ?? [];
  if (day === undefined || !isDay(day)) return undefined;
  // Date.parse wants the colon in the offset.
  return Date.parse(text.replace(/([+-]\d\d)(\d\d)$/, '$1:$2'));
}

export const isInstant = (text: string): boolean => parseInstant(text) !== undefined;

/** Returns the day of UTC as '2026-11-21'. */
export const toDay = (instant: Date): string => instant.toISOString().slice(0, 10);

/** '20260102T030405Z' */
export const toStamp = (date: Date): string => date.toISOString().replace(/[-:]|\.\d+/g, '');
