import { toText } from './tag-values.ts';

/** A clock or a calendar as a tag gives it. */
export type Clock = {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  readonly millisecond: number | undefined;
  /** Minutes east of Greenwich, where the value itself carries them. */
  readonly offset: number | undefined;
  /** Whether the value has no time. */
  readonly isDay: boolean;
  /** As far as it goes: '2024-01-12T21:38', '2024-01'. */
  readonly given: string;
};

const CLOCK =
  /^(\d{4})[:\-/. ](\d{1,2})[:\-/. ](\d{1,2})[T ]+(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?\s*(?:([ap])m\b)?\s*(Z|[+-]\d{1,2}(?::?\d{2})?)?/i;

/** XMP may leave out day and month, IPTC writes zeroes for them. */
const DAY = /^(\d{4})(?:[:\-/.](\d{1,2})(?:[:\-/.](\d{1,2}))?)?$/;

/** Noon is on the same day in nearly all zones. */
const DAY_HOUR = 12;

/**
 * '2024:01:12 21:38:53.853-08:00' and its many relatives, also '2024-01-12', '2024-01' and '2024'. Nonsense dates
 * give undefined.
 */
export function parseClock(value: string | undefined): Clock | undefined {
  // EXIF has blanks for what is unknown: '2024:01:12   :  :  '.
  const text = value?.trim().replace(/[\s:]+$/, '') ?? '';
  const match = CLOCK.exec(text);
  if (!match) return parseDay(text);
  const at = (group: number) => Number(match[group] ?? 0);
  const [year, month, day] = [at(1), at(2), at(3)];
  if (!isPlausible(year, month, day)) return undefined;
  const [seconds, digits, half] = [match[6], match[7], match[8]?.toLowerCase()];
  const hour = half === undefined ? at(4) : (at(4) % 12) + (half === 'p' ? 12 : 0);
  const minute = `${toDigits(year, 4)}-${toDigits(month)}-${toDigits(day)}T${toDigits(hour)}:${match[5]}`;
  return {
    year,
    month,
    day,
    hour,
    minute: at(5),
    // A leap second belongs to the minute it ends.
    second: Math.min(at(6), 59),
    millisecond: digits === undefined ? undefined : fraction(digits),
    offset: parseOffset(match[9]),
    isDay: false,
    given: `${minute}${seconds ? `:${seconds}` : ''}${digits ? `.${digits.slice(0, 3)}` : ''}`,
  };
}

function parseDay(text: string): Clock | undefined {
  const match = DAY.exec(text);
  if (!match) return undefined;
  const at = (group: number) => Number(match[group] ?? 0);
  const [year, month, day] = [at(1), at(2), at(3)];
  if (!isPlausible(year, month, day)) return undefined;
  const time = { hour: DAY_HOUR, minute: 0, second: 0, millisecond: 0 };
  const given = [toDigits(year, 4), ...[month, day].filter(Boolean).map((part) => toDigits(part))];
  return {
    year,
    month: month || 1,
    day: day || 1,
    ...time,
    offset: undefined,
    isDay: true,
    given: given.join('-'),
  };
}

const toDigits = (value: number, length = 2): string => String(value).padStart(length, '0');

/** Cameras without a set clock write zeroes or 1904; nothing was photographed before 1826. */
const isPlausible = (year: number, month: number, day: number): boolean =>
  year >= 1826 && year <= 2100 && !(year === 1904 && month === 1 && day === 1);

/** Minutes of a tag of a zone: '+05:30', '+0530', 330; hours where they are few: 9, '-5 -4' (TimeZoneOffset of TIFF/EP). */
export function toOffset(value: unknown): number | undefined {
  if (typeof value !== 'number') return parseOffset(toText(value)?.replace(/^(?=\d)/, '+'));
  const minutes = Math.abs(value) > MOST_HOURS ? value : value * 60;
  return Math.abs(minutes) <= MOST_HOURS * 60 ? minutes : undefined;
}

const MOST_HOURS = 14;

/** '+05:30' → 330, 'Z' → 0. */
export function parseOffset(value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  if (/^(Z|UTC|GMT)$/i.test(value.trim())) return 0;
  const match = /^([+-])(\d{1,2}):?(\d{2})?/.exec(value.trim());
  if (!match) return undefined;
  const minutes = Number(match[2]) * 60 + Number(match[3] ?? 0);
  if (minutes > MOST_HOURS * 60) return undefined;
  return match[1] === '-' ? -minutes : minutes;
}

/** '064' and 64 are both what exiftool prints for a fraction, but only the text keeps its zero. */
export const fraction = (digits: string) => Math.floor(Number(`0.${digits}`) * 1000);
