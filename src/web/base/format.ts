import { getIntlTags, t } from './i18n.ts';

const UNITS = ['B', 'KB', 'MB', 'GB', 'TB'];

export function formatBytes(bytes: number): string {
  const power = getPower(bytes);
  return `${formatInUnit(bytes, power)} ${UNITS[power]}`;
}

/** Returns a part in the unit in which `formatBytes` writes the whole: '0.1 GB' of '5.0 GB'. */
export function formatPartOfBytes(bytes: number, whole: number): string {
  const power = getPower(whole);
  const smallest = 0.1 * 1000 ** power;
  const isSmaller = bytes > 0 && bytes < smallest && power > 0;
  return `${isSmaller ? '< ' : ''}${formatInUnit(isSmaller ? smallest : bytes, power)} ${UNITS[power]}`;
}

const getPower = (bytes: number): number =>
  Math.min(UNITS.length - 1, bytes < 1 ? 0 : Math.floor(Math.log10(bytes) / 3));

function formatInUnit(bytes: number, power: number): string {
  const value = bytes / 1000 ** power;
  const digits = value >= 100 || power === 0 ? 0 : 1;
  return value.toLocaleString(getIntlTags(), {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
    useGrouping: false,
  });
}

/** Milliseconds as 0:07, 12:30 or 1:02:03. */
export function formatDuration(ms: number): string {
  const total = Math.round(ms / 1000);
  const [hours, minutes, seconds] = [
    Math.floor(total / 3600),
    Math.floor(total / 60) % 60,
    total % 60,
  ];
  const tail = `${String(seconds).padStart(2, '0')}`;
  return hours > 0 ? `${hours}:${String(minutes).padStart(2, '0')}:${tail}` : `${minutes}:${tail}`;
}

export const formatNumber = (value: number): string => value.toLocaleString(getIntlTags());

/** '2024-07-01' or a longer ISO text: the month as a person says it. */
export function formatMonth(month: string, style: 'long' | 'short' = 'long'): string {
  return monthFormat(style).format(new Date(`${month.slice(0, 7)}-01T00:00:00Z`));
}

// Making a formatter is slow, using one is not.
const formats = new Map<string, Intl.DateTimeFormat>();
const monthFormat = (month: 'long' | 'short') =>
  getFormat(`month ${month}`, { month, year: 'numeric' });
function getFormat(name: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  let format = formats.get(name);
  if (!format) {
    format = new Intl.DateTimeFormat(getIntlTags(), { timeZone: 'UTC', ...options });
    formats.set(name, format);
  }
  return format;
}

/** The wall clock where the photo was taken, as a Date that must be shown in UTC. */
export const wallClock = (utc: string, offsetHours: number): Date =>
  new Date(Date.parse(utc) + offsetHours * 3_600_000);

export const formatDay = (clock: Date): string =>
  getFormat('day', { weekday: 'short', day: 'numeric', month: 'long', year: 'numeric' }).format(
    clock,
  );
/** 'Sat 12 Aug 2024', short enough for a heading above a narrow picture. */
export const formatDayHeading = (clock: Date): string =>
  getFormat('day heading', {
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    year: 'numeric',
  }).format(clock);
/** 'Sat 12 Aug', where the year is known. */
export const formatDayOfMonth = (clock: Date): string =>
  getFormat('day of month', { weekday: 'short', day: 'numeric', month: 'short' }).format(clock);
export const formatShortDay = (clock: Date): string =>
  getFormat('short day', { day: 'numeric', month: 'short', year: 'numeric' }).format(clock);
export const formatTime = (clock: Date): string =>
  getFormat('time', { hour: '2-digit', minute: '2-digit' }).format(clock);

/** f/1.8 · 1/120 s · 26 mm · ISO 400, whatever of it is known. */
export function formatExposure(exif: {
  fNumber?: number | null;
  exposureTime?: string | null;
  focalLength?: number | null;
  iso?: number | null;
}): string {
  const parts = [
    exif.fNumber ? `ƒ/${round(exif.fNumber)}` : undefined,
    exif.exposureTime ? `${exif.exposureTime} s` : undefined,
    exif.focalLength ? `${round(exif.focalLength)} mm` : undefined,
    exif.iso ? `ISO ${exif.iso}` : undefined,
  ];
  return parts.filter(Boolean).join(' · ');
}
const round = (value: number): number => Math.round(value * 10) / 10;

export function formatDateRange(start: string | undefined, end: string | undefined): string {
  if (!start || !end) return '';
  const [from, to] = [formatMonth(start, 'short'), formatMonth(end, 'short')];
  return from === to ? from : `${from} – ${to}`;
}

const STEPS = [
  ['minute', 60],
  ['hour', 60],
  ['day', 24],
  ['month', 30.4],
  ['year', 12],
] as const;

/** 'just now', '5 minutes ago', 'yesterday', of a UTC instant. */
export function formatAgo(instant: string, now = Date.now()): string {
  let amount = Math.max(0, (now - Date.parse(instant)) / 1000);
  let unit: Intl.RelativeTimeFormatUnit | undefined;
  for (const [name, size] of STEPS) {
    if (amount < size) break;
    amount /= size;
    unit = name;
  }
  if (!unit) return t('just now');
  const format = new Intl.RelativeTimeFormat(getIntlTags(), { numeric: 'auto' });
  return format.format(-Math.floor(amount), unit);
}

/** Returns a UTC instant as date and time of the viewer's clock: '29 Nov 2026, 18:04'. */
export const formatInstant = (instant: string): string =>
  new Date(instant).toLocaleString(getIntlTags(), { dateStyle: 'medium', timeStyle: 'short' });

/** The same to the second, for a log. */
export const formatSecond = (instant: string): string =>
  new Date(instant).toLocaleString(getIntlTags());

/** Returns a UTC instant as a date of the viewer's calendar. */
export const formatDate = (instant: string): string =>
  new Date(instant).toLocaleDateString(getIntlTags());

export const formatLongDate = (clock: Date): string =>
  getFormat('long date', { day: 'numeric', month: 'long', year: 'numeric' }).format(clock);

export const formatList = (names: readonly string[]): string =>
  new Intl.ListFormat(getIntlTags(), { style: 'short', type: 'unit' }).format(names);

/** '07-14' as a day of any year; 29 February is one, too. */
export const formatMonthDay = (monthDay: string): string =>
  getFormat('month day', { day: 'numeric', month: 'long' }).format(
    new Date(`2000-${monthDay}T00:00:00Z`),
  );

/** '07' as a month of any year. */
export const formatMonthName = (month: string): string =>
  getFormat('month name', { month: 'long' }).format(new Date(`2000-${month}-01T00:00:00Z`));

/** '2024-07-01' as the letter of its month. */
export const formatMonthLetter = (month: string): string =>
  getFormat('month letter', { month: 'narrow' }).format(new Date(`${month}T00:00:00Z`));

const A_SUNDAY = Date.UTC(2024, 0, 7);
const DAY_MS = 86_400_000;
/** From 0, Sunday. */
export const formatWeekday = (weekday: number): string =>
  getFormat('weekday', { weekday: 'long' }).format(new Date(A_SUNDAY + weekday * DAY_MS));
