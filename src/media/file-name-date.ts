import { parse } from 'node:path';
import { DateTime } from 'luxon';

/** Units as `DateTime.fromObject` takes them. */
type Clock = {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  readonly millisecond: number;
};

/** A date that the name of a file tells. */
export type FileNameDate = {
  readonly clock: Clock;
  readonly isUtc: boolean;
  /** Whether the name has no time; it is noon then. */
  readonly isDay: boolean;
  /** Whether a person may have put it there, as "2024-01-02 Birthday": it is not always that of the capture. */
  readonly isByHand: boolean;
};

/** At the start of a name, after letters there ("IMG20240102…"), or after a sign; not within a number or a hash. */
const START = String.raw`(?:^|^[A-Za-z]+|(?<=[^0-9A-Za-z]))`;
const END = String.raw`(?!\d)`;

/**
 * IMG_20240102_030405, PXL_20240102_030405678.MP, VID_…, Screenshot_20240102-030405_Chrome, 20240102_030405(0),
 * IMG20240102030405, WIN_20240102_03_04_05_Pro.
 */
const COMPACT = new RegExp(
  String.raw`${START}(\d{4})(\d\d)(\d\d)[ _.-]?(\d\d)[_.-]?(\d\d)[_.-]?(\d\d)(?:[_.-]?(\d{3}))?${END}`,
);

/**
 * signal-2024-01-02-03-04-05-678, signal-2024-01-02-030405, "WhatsApp Image 2024-01-02 at 03.04.05",
 * "Screenshot 2024-01-02 at 3.04.05 PM", "Screenshot from 2024-01-02 03-04-05", photo_2024-01-02_03-04-05.
 */
const SEPARATED = new RegExp(
  String.raw`${START}(\d{4})[-_.](\d\d)[-_.](\d\d)(?:[ _T.-]|,? at )(\d{1,2})[-_.:]?(\d\d)[-_.:]?(\d\d)` +
    String.raw`(?:[-_.](\d{3}))?${END}(?:\s?([AaPp])\.?[Mm])?`,
);

/** IMG-20240102-WA0001 of WhatsApp, and names that begin with a date: "2024-01-02 Birthday". */
const DAY = /^(?:[A-Z]{3}-(\d{4})(\d\d)(\d\d)-WA\d|(\d{4})-(\d\d)-(\d\d)(?!\d))/;

/** Milliseconds since 1970 from September 2001 on: 1704164645678, FB_IMG_1704164645678, mmexport1704164645678. */
const EPOCH = /^(?:[A-Za-z][A-Za-z_-]*)?([12]\d{12})(?:[ _-]?\(\d{1,2}\)|[_-]\d{1,2})?$/;

/** Cameras of Pixel phones name their files by the time of UTC. */
const UTC_NAME = /^PXL_/;

const FIRST_YEAR = 1990;
const DAY_MS = 86_400_000;

/**
 * Returns the date that a camera, messenger or person has put into the name of a file; undefined for none, and for
 * dates that do not exist, are before 1990 or in the future.
 */
export function parseFileNameDate(
  fileName: string,
  now: number = Date.now(),
): FileNameDate | undefined {
  // macOS puts a narrow space before AM and PM. Names are short; a hostile one is not searched as a whole.
  const name = parse(fileName.slice(0, 255)).name.replaceAll(/\s/g, ' ');
  const found = parseEpoch(name) ?? parseTime(name) ?? parseDay(name);
  if (!found || found.clock.year < FIRST_YEAR) return undefined;
  const at = DateTime.fromObject(found.clock, { zone: 'UTC' });
  return at.isValid && at.toMillis() <= now + DAY_MS ? found : undefined;
}

function parseEpoch(name: string): FileNameDate | undefined {
  const digits = EPOCH.exec(name)?.[1];
  if (!digits) return undefined;
  const at = DateTime.fromMillis(Number(digits), { zone: 'UTC' });
  const { year, month, day, hour, minute, second, millisecond } = at;
  const clock = { year, month, day, hour, minute, second, millisecond };
  return { clock, isUtc: true, isDay: false, isByHand: false };
}

function parseTime(name: string): FileNameDate | undefined {
  const match = COMPACT.exec(name) ?? SEPARATED.exec(name);
  if (!match) return undefined;
  const at = (group: number) => Number(match[group]);
  const clock = {
    year: at(1),
    month: at(2),
    day: at(3),
    hour: toHour(at(4), match[8]),
    minute: at(5),
    second: at(6),
    millisecond: Number(match[7] ?? 0),
  };
  return { clock, isUtc: UTC_NAME.test(name), isDay: false, isByHand: false };
}

const NO_HOUR = 99;

/** '3 PM' is 15, '12 AM' is 0. */
function toHour(hour: number, half: string | undefined): number {
  if (half === undefined) return hour;
  if (hour < 1 || hour > 12) return NO_HOUR;
  return (hour % 12) + (half.toLowerCase() === 'p' ? 12 : 0);
}

function parseDay(name: string): FileNameDate | undefined {
  const match = DAY.exec(name);
  if (!match) return undefined;
  const from = match[1] ? 1 : 4;
  const at = (group: number) => Number(match[from + group]);
  const noon = { hour: 12, minute: 0, second: 0, millisecond: 0 };
  const kind = { isUtc: false, isDay: true, isByHand: !match[1] };
  return { clock: { year: at(0), month: at(1), day: at(2), ...noon }, ...kind };
}
