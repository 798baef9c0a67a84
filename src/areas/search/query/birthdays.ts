import { DateTime } from 'luxon';
import { foldInPlace } from '../match/words.ts';
import { type Days, toDays, toZoneOptions } from './date-terms.ts';

const ORDINALS = [
  'first|erste[nrs]?',
  'second|zweite[nrs]?',
  'third|dritte[nrs]?',
  'fourth|vierte[nrs]?',
  'fifth|funfte[nrs]?',
  'sixth|sechste[nrs]?',
  'seventh|siebte[nrs]?',
  'eighth|achte[nrs]?',
  'ninth|neunte[nrs]?',
  'tenth|zehnte[nrs]?',
];
const ORDINAL = `(?:(?<number>\\d{1,3})(?:st|nd|rd|th|\\.)|(?<word>${ORDINALS.join('|')}))`;
const BIRTHDAY = '(?:birthdays?|geburtstage?[ns]?)';
const AFTER = new RegExp(`^(?:['’]s?)?\\s+(?:${ORDINAL}\\s+)?${BIRTHDAY}\\b`);
const BIRTHDAY_BEFORE = `(?:${BIRTHDAY}|anniversaires?|cumpleanos|compleann[oi]|aniversarios?|verjaardag(?:en)?|urodziny)`;
/** "birthday of my daughter", "anniversaire de ma fille": a word may stand before the name. */
const BEFORE = new RegExp(
  `(?:\\b${ORDINAL}\\s+)?\\b${BIRTHDAY_BEFORE}\\s+(?:(?:of|von|de|di|da|do|van)\\s+)?(?:\\w+\\s+)?$`,
);

export type NamedBirthday = {
  /** Offsets of the name together with its birthday. */
  readonly start: number;
  readonly end: number;
  /** Years after birth; undefined: each year. */
  readonly age: number | undefined;
};

/** Returns the birthday that the query names beside a name: "Anna's 5th birthday", 'Geburtstag von Anna'. */
export function findBirthday(query: string, start: number, end: number): NamedBirthday | undefined {
  const after = AFTER.exec(foldInPlace(query.slice(end)));
  if (after) return { start, end: end + after[0].length, age: readAge(after.groups) };
  const before = BEFORE.exec(foldInPlace(query.slice(0, start)));
  return before ? { start: before.index, end, age: readAge(before.groups) } : undefined;
}

function readAge({ number, word }: Record<string, string | undefined> = {}): number | undefined {
  if (number) return Number(number);
  const index = ORDINALS.findIndex((names) => new RegExp(`^(?:${names})$`).test(word ?? ''));
  return index < 0 ? undefined : index + 1;
}

/** Returns the birthdays of people; without an age those until now. `birthDates`: ISO days. */
export const listBirthdays = (
  birthDates: readonly string[],
  age: number | undefined,
  now: DateTime,
): Days[] => birthDates.flatMap((birthDate) => listForOne(birthDate, age, now));

/** Leap days are on 28 February. */
function listForOne(birthDate: string, age: number | undefined, now: DateTime): Days[] {
  const born = DateTime.fromISO(birthDate, toZoneOptions(now));
  const oldest = Math.floor(now.diff(born, 'years').years);
  const ages = age === undefined ? Array.from({ length: oldest + 1 }, (_, years) => years) : [age];
  return ages.map((years) => toDays(born.plus({ years }), 'day'));
}
