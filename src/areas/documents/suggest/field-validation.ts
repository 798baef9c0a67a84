import type { DocumentField } from '../../../db/tables/documents.ts';

type ValueRule = {
  readonly isValid: (text: string) => boolean;
  readonly wanted: string;
};

const DAY_RULE: ValueRule = {
  isValid: isDay,
  wanted: 'Expected a day of the calendar, as 2024-03-12',
};

/**
 * Rules of fields that programs calculate with or sort by. Names, numbers and titles are free text.
 */
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

/** ISO 4217 codes, also historic ones, without the two for no currency. */
const CURRENCIES = new Set(
  Intl.supportedValuesOf('currency').filter((code) => code !== 'XXX' && code !== 'XTS'),
);

/** Returns the error for a value given by the owner; undefined when it is valid. */
export function findProblem(field: DocumentField, value: string): string | undefined {
  const kind = VALUE_RULES[field];
  return kind && !kind.isValid(value) ? kind.wanted : undefined;
}

/** YYYY-MM-DD, the form of suggestions. */
function isDay(text: string): boolean {
  if (!/^[12]\d{3}-\d\d-\d\d$/.test(text)) return false;
  const instant = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(instant.getTime()) && instant.toISOString().startsWith(text);
}
