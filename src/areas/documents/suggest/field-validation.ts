import type { DocumentField } from '../../../db/tables/documents.ts';

type ValueRule = {
  readonly isValid: (text: string) => boolean;
  readonly wanted: string;
};

const DAY_RULE: ValueRule = {
  isValid: isDay,
  wanted: 'Expected a day of the calendar, as 2024-03-12',
};

/** What programs calculate with and sort by. Names, numbers of papers and what they are called are free. */
const VALUE_RULES: Readonly<Partial<Record<DocumentField, ValueRule>>> = {
  date: DAY_RULE,
  'due-date': DAY_RULE,
  'expiry-date': DAY_RULE,
  'total-amount': {
    isValid: (text) => /^-?\d{1,12}(\.\d{1,3})?$/.test(text),
    wanted: 'Expected an amount without a currency, as 1234.50',
  },
  currency: {
    isValid: (text) => CURRENCIES.has(text),
    wanted: 'Expected the three letters of a currency, as EUR',
  },
};

/** ISO 4217: also those of old papers, but not what stands for no money at all. */
const CURRENCIES = new Set(
  Intl.supportedValuesOf('currency').filter((code) => code !== 'XXX' && code !== 'XTS'),
);

/** What is wrong with a value that the owner gives; undefined: nothing. */
export function findProblem(field: DocumentField, value: string): string | undefined {
  const kind = VALUE_RULES[field];
  return kind && !kind.isValid(value) ? kind.wanted : undefined;
}

/** As suggestions are written. */
function isDay(text: string): boolean {
  if (!/^[12]\d{3}-\d\d-\d\d$/.test(text)) return false;
  const instant = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(instant.getTime()) && instant.toISOString().startsWith(text);
}
