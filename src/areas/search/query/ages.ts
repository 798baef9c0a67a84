import { DateTime } from 'luxon';
import { foldInPlace } from '../match/words.ts';
import { type DateContext, toLatin, toZoneOptions, type WholeDays } from './date-terms.ts';
import { NUMBER, toNumber } from './relative-date-rules.ts';

// The age of somebody behind the name, in the page's languages and Russian: 'Mia when she was three', 'Mia à 3 ans'.

/** '#' stands for the number. */
const AGES = [
  '(?:when|while|as) (?:he|she|they) (?:was|were) #(?: years?)?(?: old)?',
  '(?:at(?: the)? age(?: of)?|aged) #(?: years?)?(?: old)?',
  'at #(?=\\s*$|,| in )',
  '(?:als|wie) (?:er|sie) #(?: jahre?)?(?: alt)? war',
  'mit #(?: jahren|(?=\\s*$))',
  'im alter von #(?: jahren)?',
  "(?:a|a l['’]age de) # ans",
  'quand (?:il|elle) avait # ans',
  '(?:con|a los) # anos',
  'cuando (?:el |ella )?tenia # anos',
  "(?:a|all['’]eta di) # anni",
  'quando aveva # anni',
  'toen (?:ze|zij|hij) #(?: jaar)?(?: oud)? was',
  '(?:op|van) # jaar',
  '(?:gdy|kiedy|jak) mial[ao]? # (?:lat|lata|rok)',
  'w wieku # lat',
  '(?:com|aos) # anos',
  'quando (?:ele |ela )?tinha # anos',
  toLatin('(?:в|в возрасте) # (?:года|лет|год)'),
  toLatin('когда (?:еи|ему) было #(?: (?:года|лет|год))?'),
];
const BABY = [
  'as an? (?:baby|newborn|infant)|als (?:baby|saugling|neugeborenes)|(?:tout )?bebe|de bebe|cuando era (?:un )?bebe',
  'quando era (?:um )?bebe|da neonat[oa]|neonat[oa]|toen (?:ze|zij|hij) nog geen jaar was',
  `jako (?:niemowle|noworodek|niemowlak)|${toLatin('младенцем')}`,
];
const SPACED = AGES.map((age) => new RegExp(`^,?\\s+(?:${age.replace('#', NUMBER)})(?!\\w)`));
const SPACED_BABY = new RegExp(`^,?\\s+(?:${BABY.join('|')})\\b`);
const JOINED = new RegExp(
  `^[かのは]?${NUMBER.replace('\\d{1,3}', '\\d{1,3}|[一二三四五六七八九十两]')}(?:歳|才|岁)(?:の)?(?:時|とき|頃|的时候|时候|时|那年)?`,
);
const JOINED_BABY = new RegExp(
  foldInPlace('^(?:[がのは]?赤ちゃん(?:の)?(?:時|とき|頃)?|(?:婴儿|宝宝)(?:时期|的?时候|时)?)'),
);

export type NamedAge = {
  /** Offset in the query where its words end. */
  readonly end: number;
  /** In years; 0 is the first one. */
  readonly age: number;
};

/** Returns the age that the query names behind a name. */
export function findAge(query: string, end: number): NamedAge | undefined {
  const rest = toLatin(foldInPlace(query.slice(end)));
  for (const pattern of [...SPACED, JOINED]) {
    const found = pattern.exec(rest);
    if (found) return { end: end + found[0].length, age: toNumber(found.groups?.['number']) };
  }
  const baby = SPACED_BABY.exec(rest) ?? JOINED_BABY.exec(rest);
  return baby ? { end: end + baby[0].length, age: 0 } : undefined;
}

/** Returns the year of a life. `birthDate`: an ISO day. */
export function toYearOfLife(birthDate: string, age: number, { now }: DateContext): WholeDays {
  const born = DateTime.fromISO(birthDate, toZoneOptions(now));
  const from = born.plus({ years: age }).startOf('day');
  return { from, to: from.plus({ years: 1 }).minus({ days: 1 }).endOf('day') };
}
