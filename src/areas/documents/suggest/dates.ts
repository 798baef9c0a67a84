import { type Row, toSuggestion, type Suggestion, mostConfident } from './rows.ts';

const MONTHS = [
  ['januar', 'january', 'janner', 'jan'],
  ['februar', 'february', 'feb'],
  ['marz', 'maerz', 'march', 'mar', 'mrz'],
  ['april', 'apr'],
  ['mai', 'may'],
  ['juni', 'june', 'jun'],
  ['juli', 'july', 'jul'],
  ['august', 'aug'],
  ['september', 'sept', 'sep'],
  ['oktober', 'october', 'okt', 'oct'],
  ['november', 'nov'],
  ['dezember', 'december', 'dez', 'dec'],
] as const;
const MONTH = MONTHS.flat()
  .toSorted((a, b) => b.length - a.length)
  .join('|');
const toMonthNumber = (name: string): number =>
  MONTHS.findIndex((names) => (names as readonly string[]).includes(name)) + 1;

/** Formats of days; each pattern has three groups. */
const DATE_FORMATS: readonly {
  readonly pattern: RegExp;
  readonly read: (groups: readonly [string, string, string], isMonthFirst: boolean) => Parts;
}[] = [
  {
    pattern: /(?<!\d)(\d{4})-(\d{1,2})-(\d{1,2})(?!\d)/g,
    read: (parts) => parts,
  },
  {
    pattern: /(?<![\d.,])(\d{1,2})\s?\.\s?(\d{1,2})\s?\.\s?(\d{4}|\d{2})(?![\d.,]\d|\d)/g,
    read: ([day, month, year]) => [year, month, day],
  },
  {
    pattern: /(?<![\d-])(\d{1,2})-(\d{1,2})-(\d{4})(?![\d-])/g,
    read: ([day, month, year]) => [year, month, day],
  },
  {
    pattern: /(?<![\d/])(\d{1,2})\/(\d{1,2})\/(\d{4}|\d{2})(?![\d/])/g,
    read: ([first, second, year], isMonthFirst) => {
      const isSwapped = Number(second) > 12 || (isMonthFirst && Number(first) <= 12);
      return isSwapped ? [year, first, second] : [year, second, first];
    },
  },
  {
    // 12. März 2024, 12th of March 2024, 12 MAR 24, 12 MRZ/MAR 2024
    pattern: new RegExp(
      String.raw`(?<!\d)(\d{1,2})(?:st|nd|rd|th)?[\s.]{0,2}(?:of\s)?(${MONTH})\.?(?:\s?/\s?(?:${MONTH}))?[,\s.]{0,2}(\d{4}|\d{2})(?!\d)`,
      'g',
    ),
    read: ([day, month, year]) => [year, String(toMonthNumber(month)), day],
  },
  {
    // March 12, 2024
    pattern: new RegExp(
      String.raw`\b(${MONTH})\.?\s?(\d{1,2})(?:st|nd|rd|th)?,?\s?(\d{4})(?!\d)`,
      'g',
    ),
    read: ([month, day, year]) => [year, String(toMonthNumber(month)), day],
  },
];

type Parts = readonly [year: string, month: string, day: string];

/** Returns the days in a folded text as YYYY-MM-DD, in order. */
export function parseDays(plain: string, isMonthFirst: boolean): { day: string; at: number }[] {
  return DATE_FORMATS.flatMap(({ pattern, read }) =>
    [...plain.matchAll(pattern)].flatMap((match) => {
      const [, first, second, third] = match;
      if (first === undefined || second === undefined || third === undefined) return [];
      const day = toDay(read([first, second, third], isMonthFirst));
      return day === undefined ? [] : [{ day, at: match.index }];
    }),
  ).toSorted((a, b) => a.at - b.at);
}

/** Two-digit years are 1980 to 2079. */
function toDay([year, month, day]: Parts): string | undefined {
  const short = Number(year) < 80 ? 2000 : 1900;
  const full = year.length === 2 ? short + Number(year) : Number(year);
  if (full < 1900 || full > 2100) return undefined;
  const text = `${full}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
  const instant = new Date(`${text}T00:00:00Z`);
  const isDay = !Number.isNaN(instant.getTime()) && instant.toISOString().slice(0, 10) === text;
  return isDay ? text : undefined;
}

type Meaning = 'date' | 'due-date' | 'expiry-date' | 'other';

/** Meaning of a day by the words before it; the first match counts. */
const MEANINGS: readonly (readonly [Meaning, RegExp, number])[] = [
  ['other', /geburt|\bgeb\b|birth|\bborn|lieferdatum|leistungs|zeitraum|delivery|service date/, 0],
  ['due-date', /fallig|zahlbar bis|zu zahlen bis|uberweis\w* .*bis|zahlungsziel/, 0.95],
  ['due-date', /\bdue\b|payable by|pay by|payment date/, 0.95],
  ['expiry-date', /gultig|expir|valid (until|thru|to)|ablauf|haltbar bis|best before/, 0.95],
  ['date', /(rechnungs|ausstellungs|beleg|brief|vertrags)-?\s?datum|issue date|invoice date/, 0.95],
  ['date', /date of issue|ausgestellt|issued|datum|\bdate\b|\bdated\b/, 0.9],
];
const UNLABELLED = 0.6;

export type Dates = Partial<Record<'date' | 'due-date' | 'expiry-date', Suggestion>>;

export function suggestDates(rows: readonly Row[]): Dates {
  const whole = rows.map(({ plain }) => plain).join('\n');
  const isMonthFirst = /\$|\busd\b|\bzip\b/.test(whole) && !/€|\beur\b|£/.test(whole);
  const found: Record<Meaning, Suggestion[]> = {
    date: [],
    'due-date': [],
    'expiry-date': [],
    other: [],
  };
  rows.forEach((row, index) => {
    let from = 0;
    for (const { day, at } of parseDays(row.plain, isMonthFirst)) {
      const before = row.plain.slice(from, at);
      from = at + 6;
      const label = findMeaning(before) ?? labelAbove(row, before, rows[index - 1]);
      const [meaning, strength] = label ?? (['date', UNLABELLED] as const);
      found[meaning].push(toSuggestion(day, strength, [row]));
    }
  });
  const date = mostConfident(found.date);
  const due = mostConfident(found['due-date']) ?? computeDueDate(rows, date);
  const expiry = mostConfident(found['expiry-date']);
  return {
    ...(date && { date }),
    ...(due && { 'due-date': due }),
    ...(expiry && { 'expiry-date': expiry }),
  };
}

function findMeaning(label: string): readonly [Meaning, number] | undefined {
  const found = MEANINGS.find(([, pattern]) => pattern.test(label));
  return found && [found[0], found[2]];
}

/** Forms have the label above the value; a sentence above is no label. */
function labelAbove(row: Row, before: string, above: Row | undefined) {
  const isAlone = before.trim() === '' && row.plain.length < 40;
  const isLabel = above && above.plain.length < 60 && parseDays(above.plain, false).length === 0;
  if (!isAlone || !isLabel) return undefined;
  const found = findMeaning(above.plain);
  return found && ([found[0], found[1] * 0.9] as const);
}

const PAYMENT_TERM =
  /(?:innerhalb|binnen|within|net|zahlungsziel:?)\s+(?:von\s+)?(\d{1,3})\s*(?:tagen?|days?)/;
const DAY_MS = 86_400_000;

/** Computes the due date from a payment term ("within 14 days") and the document date. */
function computeDueDate(
  rows: readonly Row[],
  date: Suggestion | undefined,
): Suggestion | undefined {
  const row = rows.find(({ plain }) => PAYMENT_TERM.test(plain));
  const days = Number(row && PAYMENT_TERM.exec(row.plain)?.[1]);
  if (!row || !date || !Number.isInteger(days)) return undefined;
  const due = new Date(Date.parse(`${date.value}T00:00:00Z`) + days * DAY_MS);
  const { value, confidence, lines } = toSuggestion(due.toISOString().slice(0, 10), 0.75, [row]);
  return { value, confidence, lines: [...new Set([...date.lines, ...lines])] };
}
