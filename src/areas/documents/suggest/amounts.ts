import { type Row, toSuggestion, type Suggestion } from './rows.ts';

const CURRENCIES: readonly (readonly [string, RegExp])[] = [
  ['EUR', /€|\beuro?\b|(?<=\d)eur/],
  ['CHF', /\bchf\b|\bfr\.|\bsfr\b/],
  ['GBP', /£|\bgbp\b/],
  ['USD', /\$|\busd\b/],
  ['JPY', /¥|\bjpy\b|円/],
  ['PLN', /\bpln\b|\bzl\b/],
  ['CZK', /\bczk\b|\bkc\b/],
  ['SEK', /\bsek\b/],
  ['DKK', /\bdkk\b/],
  ['NOK', /\bnok\b/],
];

/**
 * An amount: two decimals after the last point or comma, groups of three before it; no percentage,
 * no date.
 */
const AMOUNT = /(?<![\d.,])(?:\d{1,3}(?:[.,'’]\d{3})+[.,]\d{2}|\d+[.,]\d{2})(?![.,]?\d|\s*%)/g;

/** Returns the amounts in a text, in order: '1.234,50', '1,234.50' and "1'234.50" are 1234.5. */
export const parseAmounts = (text: string): number[] =>
  [...text.matchAll(AMOUNT)].map(([amount]) => Number(amount.replaceAll(/\D/g, '')) / 100);

const STRONG =
  /gesamtbetrag|gesamtsumme|rechnungsbetrag|rechnungssumme|endbetrag|endsumme|zahlbetrag|zu zahlen|grand total|(amount|total|balance) due|invoice total|total amount|amount payable/;
const PLAIN = /\b(gesamt|summe|total|betrag|brutto|bruttobetrag|amount)\b/;
/** Labels of amounts that are not the total, unless taxes are included. */
const PARTIAL =
  /zwischensumme|sub\s?-?total|netto|\bnet\b|mwst|\bust\b|steuer|\bvat\b|\btax\b|ruckgeld|\bchange\b|gegeben|\bcash\b|rabatt|discount|ubertrag|\bsaved\b|gespart/;
const INCLUDING = /inkl|incl|enthalt|einschl/;

type Amount = { readonly value: number; readonly strength: number; readonly rows: readonly Row[] };

export type Amounts = { readonly total?: Suggestion; readonly currency?: Suggestion };

export function suggestAmounts(rows: readonly Row[], isReceipt: boolean): Amounts {
  const total = labelled(rows) ?? (isReceipt ? largest(rows) : undefined);
  const currency =
    detectCurrency(total?.rows ?? [], 0.95) ?? detectCurrency(rows.filter(hasAmount), 0.75);
  return {
    ...(total && {
      total: toSuggestion(total.value.toFixed(2), total.strength, total.rows),
    }),
    ...(currency && { currency }),
  };
}

const hasAmount = ({ plain }: Row) => parseAmounts(plain).length > 0;

/**
 * The most confident label; for equal labels the largest amount, because parts are called totals,
 * too.
 */
function labelled(rows: readonly Row[]): Amount | undefined {
  const found = rows.flatMap((row, index): Amount[] => {
    const strength = rateLabel(row.plain);
    if (strength === 0) return [];
    const own = parseAmounts(row.plain).at(-1);
    if (own !== undefined) return [{ value: own, strength, rows: [row] }];
    const next = rows[index + 1];
    if (!next || rateLabel(next.plain) !== 0 || PARTIAL.test(next.plain)) return [];
    const value = parseAmounts(next.plain).at(-1);
    return value === undefined ? [] : [{ value, strength: strength * 0.9, rows: [row, next] }];
  });
  return found.toSorted((a, b) => b.strength - a.strength || b.value - a.value)[0];
}

function rateLabel(plain: string): number {
  if (
    PARTIAL.test(plain) &&
    !(INCLUDING.test(plain) && (STRONG.test(plain) || PLAIN.test(plain)))
  ) {
    return 0;
  }
  if (STRONG.test(plain)) return 0.95;
  return PLAIN.test(plain) ? 0.85 : 0;
}

function largest(rows: readonly Row[]): Amount | undefined {
  const found = rows
    .filter(({ plain }) => !PARTIAL.test(plain))
    .flatMap((row) =>
      parseAmounts(row.plain).map((value) => ({ value, strength: 0.4, rows: [row] })),
    );
  return found.toSorted((a, b) => b.value - a.value)[0];
}

/** Returns the currency of most of these rows. */
function detectCurrency(rows: readonly Row[], strength: number): Suggestion | undefined {
  const [found] = CURRENCIES.map(([code, pattern]) => ({
    code,
    rows: rows.filter(({ plain }) => pattern.test(plain)),
  })).toSorted((a, b) => b.rows.length - a.rows.length);
  return found && found.rows.length > 0
    ? toSuggestion(found.code, strength, found.rows.slice(0, 1))
    : undefined;
}
