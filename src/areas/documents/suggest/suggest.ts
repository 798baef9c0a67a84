import type { DocumentField } from '../../../db/tables/documents.ts';
import { suggestAmounts } from './amounts.ts';
import { suggestDates } from './dates.ts';
import { type DocumentKind, suggestKind } from './kind.ts';
import { suggestNumber } from './number.ts';
import { suggestIssuer, suggestRecipient, findLabelledValue } from './parties.ts';
import {
  computeMedian,
  type ReadLine,
  type Row,
  groupRows,
  type Suggestion,
  toSuggestion,
} from './rows.ts';
import { readZone } from './machine-readable-zone.ts';

export type Suggestions = ReadonlyMap<DocumentField, Suggestion>;

/**
 * Suggests the fields of a German or English document by rules over its lines. Days are YYYY-MM-DD,
 * amounts have two decimals after a point, currencies are ISO 4217. Fields without a suggestion are
 * missing.
 */
export function suggestFields(lines: readonly ReadLine[]): Suggestions {
  const rows = groupRows(lines);
  if (rows.length === 0) return new Map();
  const type = suggestKind(rows);
  const kind = type?.value;
  const isOfPerson = kind === 'passport' || kind === 'identity-card' || kind === 'driving-licence';
  const zone = isOfPerson ? readZone(rows) : {};
  const dates = suggestDates(rows);
  const amounts = isOfPerson ? {} : suggestAmounts(rows, kind === 'receipt');
  const fields: readonly (readonly [DocumentField, Suggestion | undefined])[] = [
    ['document-type', type],
    ['title', suggestTitle(rows, kind)],
    ['date', dates.date],
    ['due-date', dates['due-date']],
    ['expiry-date', zone['expiry-date'] ?? dates['expiry-date']],
    ['issuer', zone.issuer ?? suggestIssuer(rows, kind)],
    ['recipient', zone.recipient ?? suggestRecipient(rows)],
    ['document-number', zone['document-number'] ?? suggestNumber(rows)],
    ['total-amount', amounts.total],
    ['currency', amounts.currency],
  ];
  return new Map(fields.flatMap(([field, guess]) => (guess ? [[field, guess] as const] : [])));
}

const SUBJECT = /^(betreff|betr\.|subject|re)\s*:/;
const TITLE_PATTERNS: Readonly<Partial<Record<DocumentKind, RegExp>>> = {
  invoice: /^(rechnung|invoice|faktura|honorarnote)\b/,
  receipt: /^(kassenbon|quittung|kassenbeleg|kundenbeleg|receipt|beleg)\b/,
  'bank-statement': /\b(kontoauszug|bank statement|account statement)\b/,
  contract: /vertrag\b|\bcontract\b|\bagreement\b/,
  certificate: /urkunde|zeugnis|bescheinigung|zertifikat|certificate|diploma/,
  passport: /\b(reisepass|passport)\b/,
  'identity-card': /\b(personalausweis|identity card)\b/,
  'driving-licence': /fuhrerschein|driving licen|driver'?s? licen/,
  ticket: /boarding pass|bordkarte|fahrkarte|eintrittskarte|ticket/,
  prescription: /prescription|rezept|arzneiverordnung/,
};
const MAX_TITLE_CHARS = 80;

/** Returns the subject, the row that names the kind, or the row in much larger letters. */
function suggestTitle(
  rows: readonly Row[],
  kind: DocumentKind | undefined,
): Suggestion | undefined {
  const subject = findLabelledValue(rows, SUBJECT);
  if (subject) return subject;
  const naming = kind && TITLE_PATTERNS[kind];
  const named = naming
    ? rows.find(({ plain }) => plain.length <= MAX_TITLE_CHARS && naming.test(plain))
    : undefined;
  if (named) return toSuggestion(named.text.replaceAll(/\s{2,}/g, ' '), 0.7, [named]);
  const usual = computeMedian(rows.map(({ height }) => height));
  const [largest] = rows
    .slice(0, Math.ceil(rows.length / 2))
    .filter(({ height, text }) => height > usual * 1.5 && text.length <= MAX_TITLE_CHARS)
    .toSorted((a, b) => b.height - a.height);
  return largest && toSuggestion(largest.text.replaceAll(/\s{2,}/g, ' '), 0.5, [largest]);
}
