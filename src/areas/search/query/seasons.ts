import { DateTime } from 'luxon';
import { isPartOfThing } from './date-links.ts';
import {
  type Annual,
  type DateContext,
  type DateRule,
  type Days,
  LAST_AFTER_TERM,
  LAST_TERM,
  OF_TERM,
  THIS_TERM,
  toAnnualName,
  toLatin,
  toZoneOptions,
} from './date-terms.ts';
import { AGO_AFTER, AGO_BEFORE, NUMBER, toNumber } from './relative-date-rules.ts';

// Seasons in the page's languages and Russian: of one year, or of every one.

type Season = 'spring' | 'summer' | 'autumn' | 'winter';

type Names = {
  readonly spaced: string;
  /** They are other words, too, unless another word says that it is a time. */
  readonly ambiguous: string;
  readonly joined: string;
  /** Behind a number, in the languages in which a season is not another word then: 'lata' are years in Polish, too. */
  readonly several: string;
};

const SEASONS: Readonly<Record<Season, Names>> = {
  spring: {
    spaced: toLatin('fruhling|fruhjahr|printemps|primavera|voorjaar|wiosn[aey]|весн(?:а|ои|ы|у|е)'),
    ambiguous: 'spring|lente',
    joined: '春天|春季|春(?![节節])',
    several: 'springs?|fruhlinge?n?|printemps|primaver(?:as?|e)|lentes?|wiosn[ay]',
  },
  summer: {
    spaced: toLatin('summer|sommer|verano|zomer|lato|lata|latem|lecie|verao|лет(?:о|ом)'),
    ambiguous: 'ete|estate',
    joined: '夏天|夏季|夏',
    several: 'summers?|sommern?|etes?|veranos?|estat[ei]|zomers?|veroes|verao',
  },
  autumn: {
    spaced: toLatin(
      'autumn|herbst|automne|otono|autunno|herfst|najaar|jesien(?:i|ia)?|outono|осен(?:ь|ью|и)',
    ),
    ambiguous: 'fall',
    joined: '秋天|秋季|秋',
    several: 'autumns?|falls?|herbsten?|automnes?|otonos?|autunn[oi]|herfsten|outonos?|jesieni',
  },
  winter: {
    spaced: toLatin('winter|hiver|invierno|inverno|zim(?:a|e|y|ie)|зим(?:а|ои|ы|у|е)'),
    ambiguous: '(?!)',
    joined: '冬天|冬季|冬',
    several: 'winters?n?|hivers?|inviernos?|invern[oi]s?|zim[ay]?',
  },
};
const FIRST_MONTH: Readonly<Record<Season, number>> = {
  spring: 3,
  summer: 6,
  autumn: 9,
  winter: 12,
};

const getFirstMonth = (season: Season, isSouthern: boolean): number =>
  ((FIRST_MONTH[season] - 1 + (isSouthern ? 6 : 0)) % 12) + 1;

/** Three months; a winter belongs to the year in which it begins. */
function getSeason(season: Season, year: number, { now, isSouthern }: DateContext): Days {
  const month = getFirstMonth(season, isSouthern);
  const from = DateTime.fromObject({ year, month, day: 1 }, toZoneOptions(now));
  return { from, to: from.plus({ months: 2 }).endOf('month') };
}

function toAnnualSeason(season: Season, { isSouthern }: DateContext): Annual {
  const first = getFirstMonth(season, isSouthern);
  const [from, ...others] = [0, 1, 2].map((after) => toAnnualName(((first - 1 + after) % 12) + 1));
  return { names: [from ?? '', ...others] };
}

/** Returns the latest season that is over; with 'this', the one that has begun. */
function findNearestSeason(
  season: Season,
  isThis: boolean,
  context: DateContext,
): Days | undefined {
  for (let back = 0; back <= 2; back++) {
    const days = getSeason(season, context.now.year - back, context);
    const isOver = days.to !== undefined && days.to < context.now;
    const isBegun = days.from !== undefined && days.from <= context.now;
    if (isThis ? isBegun : isOver) return days;
  }
  return undefined;
}

/** Words before a season that say it is a time. */
const HINT = `(?:in(?: the)?|im|during(?: the)?|every|any|jede[nmrs]?|en|au|l['’]|nell['’]|de|het|w|no|na|${toLatin('в')})`;
const YEAR = '(?:18|19|20)\\d\\d';

const rulesBySeason = (Object.keys(SEASONS) as Season[]).map((season): readonly DateRule[] => {
  const { spaced, ambiguous, joined, several } = SEASONS[season];
  const any = `(?:${spaced}|${ambiguous})`;
  const inNearest =
    (isThis: boolean): DateRule['read'] =>
    (_, context) =>
      findNearestSeason(season, isThis, context);
  const inYear =
    (back: number): DateRule['read'] =>
    ({ year }, context) =>
      getSeason(season, year === undefined ? context.now.year - back : Number(year), context);
  return [
    ...[
      `${NUMBER}\\s+(?:${several})\\s+${AGO_AFTER}`,
      `${AGO_BEFORE}\\s+${NUMBER}\\s+(?:${several})`,
    ].map((pattern): DateRule => ({
      pattern: new RegExp(`\\b${pattern}\\b`, 'g'),
      read: ({ number }, context) => inYear(toNumber(number))({}, context),
    })),
    {
      pattern: new RegExp(`\\b${any}${OF_TERM}(?<year>${YEAR})\\b(?:[/-](?:20)?\\d\\d\\b)?`, 'g'),
      read: inYear(0),
    },
    {
      pattern: new RegExp(`(?<year>${YEAR})(?:\\s?年)?[の的]?\\s?(?:${joined})`, 'g'),
      read: inYear(0),
    },
    { pattern: new RegExp(`\\b${LAST_TERM}\\s+${any}\\b`, 'g'), read: inNearest(false) },
    { pattern: new RegExp(`\\b${any}\\s+${LAST_AFTER_TERM}\\b`, 'g'), read: inNearest(false) },
    { pattern: new RegExp(`\\b${THIS_TERM}\\s*${any}\\b`, 'g'), read: inNearest(true) },
    { pattern: new RegExp(`(?<!一)(?:去年|昨年)[の的]?(?:${joined})`, 'g'), read: inYear(1) },
    { pattern: new RegExp(`(?:前年|一昨年|おととし)[の的]?(?:${joined})`, 'g'), read: inYear(2) },
    { pattern: new RegExp(`(?:今年|この|这个?)[の的]?(?:${joined})`, 'g'), read: inNearest(true) },
    {
      pattern: new RegExp(
        `(?<=(?:(?<whole>\\p{L}+)\\s+d(?:e|i|o|el|ell|['’])['’]?\\s*)?)(?:(?<![\\p{L}\\p{N}])(?:${HINT}\\s*(?<=[\\s'’])|(?<=d['’]))(?:${ambiguous})|(?<![\\p{L}\\p{N}])(?:${spaced}))(?![\\p{L}\\p{N}'’-]|\\s+['’]?\\d)(?=(?:\\s+(?<next>\\p{L}[\\p{L}'’]*))?)`,
        'gu',
      ),
      read: ({ whole, next }, context) =>
        isPartOfThing(whole, next) ? undefined : toAnnualSeason(season, context),
    },
    {
      // Beside other Han letters it is a part of a word: 立春, 夏目.
      pattern: new RegExp(
        `(?<=^|的|[^\\p{sc=Han}])(?:${joined})(?:休み?|假)?(?=$|[\\s\\0のにはを的和がも、。]|[^\\p{sc=Han}\\p{sc=Hiragana}\\p{sc=Katakana}])`,
        'gu',
      ),
      read: (_, context) => toAnnualSeason(season, context),
    },
  ];
});

export const seasonRules: readonly DateRule[] = rulesBySeason.flat();
