import { parse } from 'node:path';
import { DateTime } from 'luxon';
import { type Clock, parseClock } from './clock.ts';
import { isNamedAs } from './file-names.ts';

/** A date that the name of a file tells. */
export type FileNameDate = {
  /** As `DateTime.fromObject` takes it. */
  readonly clock: Required<Omit<Clock, 'offset' | 'isDay' | 'given'>>;
  readonly isUtc: boolean;
  /** Whether the name has no time; it is noon then. */
  readonly isDay: boolean;
  /** Whether a person may have put it there, as "2024-01-02 Birthday": it is not always that of the capture. */
  readonly isByHand: boolean;
  /** Whether it tells when the file was sent. */
  readonly isOfMessage: boolean;
};

/** At the start of a word, or after its letters ("BURST2024…"); not within a number or a hash. */
const START = '(?<![0-9A-Za-z])[A-Za-z]*';
/** 2024-01-02, 20240102, 2024_0102; and that of an export of Telegram, photo_1@02-01-2024. */
const DAY = String.raw`(?:(\d{4})[-_.]?(\d\d)[-_.]?(\d\d)|(?<=@)(\d\d)-(\d\d)-(\d{4}))`;
/** Signs, or a word: "at", "um", "à", "a la(s)", "alle ore", "kl.", "в", "下午". */
const BETWEEN = String.raw`(T|[^\p{L}\p{N}]{0,3}|,? [\p{L} .()]{1,8}? ?)`;
/** 03-04-05-678, 030405678, 3.04.05 PM, 15h04m05s678, 030405Z. */
const TIME =
  String.raw`(\d\d|\d(?=[-_.:h]))[-_.:h]?(\d\d)[-_.:m]?(\d\d)(?:[-_.s]?(\d{3}))?(?!\d)` +
  String.raw`(?: ?([AaPp])\.? ?[Mm]|(Z)(?![A-Za-z]))?`;

const DAY_AND_TIME = new RegExp(START + DAY + BETWEEN + TIME, 'u');
const BEFORE_NOON = /上午|午前|오전/;
const AFTER_NOON = /下午|午後|오후/;

/** IMG-20240102-WA0001 of WhatsApp, and names that begin with a date: "2024-01-02 Birthday". */
const DAY_ALONE =
  /^(?:([A-Z]{3}-)(\d{4}(?!00)\d\d(?!00)\d\d)-WA\d|(\d{4}-(?!00)\d\d-(?!00)\d\d)(?!\d))/;

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
  // macOS puts a narrow space before AM and PM, and two letters for one with an accent. Names are short; a hostile one is
  // not searched as a whole.
  const name = parse(fileName.slice(0, 255)).name.normalize('NFC').replaceAll(/\s/g, ' ');
  const found = parseEpoch(name) ?? parseTime(name) ?? parseDay(name);
  if (!found || found.clock.year < FIRST_YEAR) return undefined;
  const at = DateTime.fromObject(found.clock, { zone: 'UTC' });
  if (!at.isValid || at.toMillis() > now + DAY_MS) return undefined;
  return { ...found, isOfMessage: isNamedAs('message', name) };
}

type Found = Omit<FileNameDate, 'isOfMessage'>;

/** Returns what a text tells that is written as tags of files are. */
function toFound(text: string, { isUtc = false, isByHand = false }): Found | undefined {
  const clock = parseClock(text);
  if (!clock) return undefined;
  const { offset: _, given: __, isDay, millisecond = 0, ...parts } = clock;
  return { clock: { ...parts, millisecond }, isUtc, isDay, isByHand };
}

function parseEpoch(name: string): Found | undefined {
  const digits = isNamedAs('epoch', name) ? /\d{10,13}/.exec(name)?.[0] : undefined;
  if (!digits) return undefined;
  return toFound(new Date(Number(digits.padEnd(13, '0'))).toISOString(), { isUtc: true });
}

function parseTime(name: string): Found | undefined {
  const match = DAY_AND_TIME.exec(name);
  if (!match) return undefined;
  const [, ...parts] = match;
  const day = parts[0] === undefined ? parts.slice(3, 6).reverse() : parts.slice(0, 3);
  const [between = '', hour, minute, second, fraction = '0', suffix, z] = parts.slice(6);
  const word = BEFORE_NOON.test(between) ? 'a' : AFTER_NOON.test(between) ? 'p' : undefined;
  const half = suffix ?? word;
  if (half !== undefined && Number(hour) > 12) return undefined;
  const time = `${hour}:${minute}:${second}.${fraction}${half === undefined ? '' : ` ${half}m`}`;
  return toFound(`${day.join('-')} ${time}`, { isUtc: z !== undefined || isNamedAs('utc', name) });
}

function parseDay(name: string): Found | undefined {
  const [, prefix, compact, day = compact?.replace(/(..)(..)$/, '-$1-$2')] =
    DAY_ALONE.exec(name) ?? [];
  return day === undefined ? undefined : toFound(day, { isByHand: prefix === undefined });
}
