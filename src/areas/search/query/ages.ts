import { DateTime } from 'luxon';
import { foldInPlace } from '../match/words.ts';
import { type DateContext, toLatin, toZoneOptions, type WholeDays } from './date-terms.ts';
import { ANY_NUMBER, EAST_ASIAN_NUMBER, NUMBER, toNumber } from './relative-date-rules.ts';

// The age of somebody behind the name, in the page's languages and Russian: 'Mia when she was three', 'Mia à 3 ans'.

/** '#' stands for the number. */
const AGES = [
  '(?:when|while|as) (?:he|she|they) (?:was|were) #(?: years?)?(?: old)?',
  '(?:at(?: the)? age(?: of)?|aged) #(?: years?)?(?: old)?',
  'at #(?=\\s*$|,| in )',
  'was #(?: years?)?(?: old)?',
  '#(?: jahre?)?(?: alt)? war',
  'avait # ans?',
  '(?:tenia|tinha) # anos?',
  'aveva # ann[io]',
  '#(?: jaar)?(?: oud)? was',
  'mial[ao]? # (?:lata|lat|rok)',
  '#(?: years? old| ?y/?o| jahre? alt| jahre| ans| anos| anni| jaar(?: oud)?| lata| lat)',
  '(?:als|wie) (?:er|sie) #(?: jahre?)?(?: alt)? war',
  'mit #(?: jahren|(?=\\s*$))',
  'im alter von #(?: jahren)?',
  "(?:a|a l['’]age de) # ans?",
  'quand (?:il|elle) avait # ans?',
  '(?:con|a los) # anos?',
  'cuando (?:el |ella )?tenia # anos?',
  "(?:a|all['’]eta di) # ann[io]",
  'quando aveva # ann[io]',
  'toen (?:ze|zij|hij) #(?: jaar)?(?: oud)? was',
  '(?:op|van) # jaar',
  '(?:gdy|kiedy|jak) mial[ao]? # (?:lat|lata|rok)',
  'w wieku # lat',
  '(?:com|aos) # anos?',
  'quando (?:ele |ela )?tinha # anos?',
  toLatin('(?:в|в возрасте) # (?:года|лет|год)'),
  toLatin('когда (?:еи|ему) было #(?: (?:года|лет|год))?'),
];
const BABY = [
  'as an? (?:baby|newborn|infant)|newborn|als (?:baby|saugling|neugeborenes)|neugeboren|pasgeboren|(?:tout )?bebe|de bebe|cuando era (?:un )?bebe',
  'quando era (?:um )?bebe|da neonat[oa]|neonat[oa]|appena nat[oa]|nouveau[- ]nee?|recien nacid[oa]|recem[- ]nascid[oa]|toen (?:ze|zij|hij) nog geen jaar was',
  'was (?:still |just )?an? (?:baby|newborn|infant)|(?:noch )?(?:ein )?(?:baby|saugling) war|etait (?:un )?(?:bebe|nouveau[- ]nee?)',
  'era (?:un[ao]? |uma? )?(?:bebe|neonat[oa])|(?:nog )?(?:een )?baby was|byla? (?:niemowl\\w+|noworodk\\w+)',
  `jako (?:niemowle|noworodek|niemowlak)|${toLatin('младенцем')}`,
];
const SPACED = AGES.map((age) => new RegExp(`^,?\\s+(?:${age.replace('#', NUMBER)})(?!\\w)`));
const SPACED_BABY = new RegExp(`^,?\\s+(?:${BABY.join('|')})\\b`);
const JOINED = new RegExp(
  `^[かのは]?${ANY_NUMBER}(?:歳|才|岁)(?:の)?(?:時|とき|頃|的时候|时候|时|那年)?`,
);
const JOINED_BABY = new RegExp(
  foldInPlace(
    '^(?:[がのは]?(?:赤ちゃん|新生児|生まれたばかり)(?:の)?(?:時|とき|頃)?|(?:婴儿|宝宝|刚出生|刚生下来)(?:时期|的?时候|时)?)',
  ),
);
/** "baby Mia", 'bébé Mia': the words stand before the name. */
const BABY_BEFORE = new RegExp(
  `(?:\\b(?:baby|newborn|bebe|neonat[oa]|niemowle)\\s+|${foldInPlace('(?:赤ちゃん|新生児)(?:の)?(?:時|とき|頃)?の')})$`,
);
/** '3歳のMia', '3岁的mia'. */
const JOINED_AGE_BEFORE = new RegExp(
  `${EAST_ASIAN_NUMBER}(?:歳|才|岁)(?:の(?:時|とき|頃))?[の的]$`,
);
/** 'four-year-old Mia', 'die vierjährige Mia', 'de vierjarige Mia'. */
const AGE_BEFORE = new RegExp(
  `\\b${NUMBER}(?:[- ]?(?:years?|yr)[- ]old|[- ]?jahrige[nrms]?|[- ]?jarige)\\s+$`,
);
/** 'Czteroletnia Mia': the numbers of Polish have a form of their own. */
const POLISH_AGES = 'rocz dwu trzy cztero piecio szescio siedmio osmio dziewiecio dziesiecio'.split(
  ' ',
);
const POLISH_AGE_BEFORE = new RegExp(
  `\\b(?<stem>${POLISH_AGES.join('|')})(?:let)?n(?:i|ia|iego|iej|iemu|im|y|a|ego|ej|ym)\\s+$`,
);

/** In the first years after the first one: 'as a child', 'da piccola', '小时候'. */
const CHILD = new RegExp(
  `^,?\\s+(?:${[
    'was (?:little|small|young|an? (?:child|kid))|(?:noch )?klein war|etait petite?|era (?:pequen[oa]|piccol[oa])|(?:nog )?klein was|byla? mal[ya]',
    'as an? (?:(?:small|little|young) )?(?:child|kid|girl|boy)|als (?:kleines )?kind|de (?:pequen[oa]|nin[oa])',
    'da (?:piccol[oa]|bambin[oa])|(?:petite?|enfant)|(?:en )?enfant|quando era (?:pequen[oa]|crianca)|em (?:pequen[oa]|crianca)',
    `cuando era (?:pequen[oa]|nin[oa])|quand (?:il|elle) etait petite?|jako dziecko|${toLatin('в детстве|ребенком')}`,
  ].join(
    '|',
  )})\\b|^(?:${foldInPlace('[がのは]?(?:子供|子ども|小さい)(?:の)?(?:時|とき|頃)')}|的?小时候)`,
);
const CHILDHOOD = { age: 1, years: 11 } as const;

export type NamedAge = {
  /** Offset in the query where its words end. */
  readonly end: number;
  /** In years; 0 is the first one. */
  readonly age: number;
  /** From that age on; 1 by default. */
  readonly years?: number;
};

/** Returns where an age before a name begins. */
export function findAgeBefore(
  query: string,
  end: number,
): { readonly start: number; readonly age: number } | undefined {
  const before = foldInPlace(query.slice(0, end));
  const baby = BABY_BEFORE.exec(before);
  if (baby) return { start: baby.index, age: 0 };
  const polish = POLISH_AGE_BEFORE.exec(before);
  if (polish)
    return { start: polish.index, age: POLISH_AGES.indexOf(polish.groups?.['stem'] ?? '') + 1 };
  const age = AGE_BEFORE.exec(before) ?? JOINED_AGE_BEFORE.exec(before);
  return age ? { start: age.index, age: toNumber(age.groups?.['number']) } : undefined;
}

/** Returns the age that the query names behind a name. */
export function findAge(query: string, end: number): NamedAge | undefined {
  const rest = toLatin(foldInPlace(query.slice(end)));
  // 'A baby' is no year.
  const baby = SPACED_BABY.exec(rest) ?? JOINED_BABY.exec(rest);
  if (baby) return { end: end + baby[0].length, age: 0 };
  for (const pattern of [...SPACED, JOINED]) {
    const found = pattern.exec(rest);
    if (found) return { end: end + found[0].length, age: toNumber(found.groups?.['number']) };
  }
  const child = CHILD.exec(rest);
  return child ? { end: end + child[0].length, ...CHILDHOOD } : undefined;
}

/** Returns the years of a life. `birthDate`: an ISO day. */
export function toYearsOfLife(
  birthDate: string,
  { age, years = 1 }: Pick<NamedAge, 'age' | 'years'>,
  { now }: DateContext,
): WholeDays {
  const born = DateTime.fromISO(birthDate, toZoneOptions(now));
  const from = born.plus({ years: age }).startOf('day');
  return { from, to: from.plus({ years }).minus({ days: 1 }).endOf('day') };
}
