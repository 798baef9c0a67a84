import { DateTime } from 'luxon';
import { foldInPlace } from '../match/words.ts';
import { type Days, toDays, toLatin, toZoneOptions } from './date-terms.ts';
import { EAST_ASIAN_NUMBER, NUMBER, toNumber } from './relative-date-rules.ts';

/** In the page's languages and Russian; the endings of the latter's cases are left out. */
const ORDINALS = [
  'first|erste[nrs]?|prim(?:a|o|er[oa]?)|premiere?|premier|primeir[oa]|eerste|pierwsz\\w+|перв\\w+',
  'second|zweite[nrs]?|second[oa]|segund[oa]|deuxieme|tweede|drug\\w+|втор\\w+',
  'third|dritte[nrs]?|terz[oa]|tercer[oa]?|troisieme|terceir[oa]|derde|trzeci\\w*|трет\\w+',
  'fourth|vierte[nrs]?|quart[oa]|cuart[oa]|quatrieme|vierde|czwart\\w+|четверт\\w+',
  'fifth|funfte[nrs]?|quint[oa]|cinquieme|vijfde|piat\\w+|пят\\w+',
  'sixth|sechste[nrs]?|sest[oa]|sext[oa]|sixieme|zesde|szost\\w+|шест\\w+',
  'seventh|siebte[nrs]?|settim[oa]|sep?tim[oa]|septieme|zevende|siodm\\w+|седьм\\w+',
  'eighth|achte[nrs]?|ottav[oa]|oitav[oa]|octav[oa]|huitieme|achtste|osm\\w+|восьм\\w+',
  'ninth|neunte[nrs]?|non[oa]|noven[oa]|neuvieme|negende|dziewiat\\w+|девят\\w+',
  'tenth|zehnte[nrs]?|decim[oa]|dixieme|tiende|dziesiat\\w+|десят\\w+',
].map(toLatin);
const ORDINAL = `(?:(?<number>\\d{1,3})(?:st|nd|rd|th|e(?:me)?|er|re|\\.?[oaº°ª]|\\.|-[iy])|(?<word>${ORDINALS.join('|')}))`;
const BIRTHDAY = '(?:birthdays?|b-?days?|geburtstage?[ns]?|verjaardag(?:en)?)(?: party)?';
const AFTER = new RegExp(
  `^(?:['’]s?|s)?\\s+(?:(?:z['’]n|haar|d['’]r|sein|ihr)\\s+)?(?:${ORDINAL}\\s+)?${BIRTHDAY}\\b`,
);
const BIRTHDAY_BEFORE = `(?:${BIRTHDAY}|anniversaires?|cumple(?:anos)?|compleann[oi]|aniversarios?|niver|urodzin(?:y|ach|om)?|${toLatin('(?:день|дня|дне) рождения')})`;
const OF_NAME = '(?:of|von|de|d[eo]s?|di|da|do|van)\\s+';
/** "birthday of my daughter", "anniversaire de ma fille": a word may stand before the name. */
const BEFORE = new RegExp(
  `(?:\\b${ORDINAL}\\s+)?\\b${BIRTHDAY_BEFORE}\\s+(?:${OF_NAME})?(?:\\w+\\s+)?$`,
);
/** "les quatre ans de": the day on which somebody becomes so old. */
const YEARS_BEFORE = new RegExp(
  `\\b(?:anniversaire\\s+)?(?:(?:les|des|los|i|os)\\s+)?${NUMBER}\\s+(?:ans|anos|anni)\\s+${OF_NAME}$`,
);
const AFTER_JOINED = new RegExp(
  `^[のさんちゃ的]*(?:${EAST_ASIAN_NUMBER}(?:歳|才|周?岁)[の的]?)?(?:誕生日|生日)(?:会|聚会|パーティー?)?`,
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
  const behind = toLatin(foldInPlace(query.slice(end)));
  const after = AFTER.exec(behind) ?? AFTER_JOINED.exec(behind);
  if (after) return { start, end: end + after[0].length, age: readAge(after.groups) };
  const ahead = toLatin(foldInPlace(query.slice(0, start)));
  const before = BEFORE.exec(ahead) ?? YEARS_BEFORE.exec(ahead);
  return before ? { start: before.index, end, age: readAge(before.groups) } : undefined;
}

function readAge({ number, word }: Record<string, string | undefined> = {}): number | undefined {
  if (number) return toNumber(number);
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
