import { parseAmounts } from './amounts.ts';
import { type Row, toSuggestion, type Suggestion } from './rows.ts';

const DOCUMENT_KINDS = [
  'passport',
  'identity-card',
  'driving-licence',
  'invoice',
  'bank-statement',
  'receipt',
  'ticket',
  'prescription',
  'certificate',
  'contract',
  'letter',
] as const;
export type DocumentKind = (typeof DOCUMENT_KINDS)[number];

/** Patterns for folded text with their weights. A kind is suggested from a total weight of 1. */
const WORDS: Readonly<Record<DocumentKind, readonly (readonly [RegExp, number])[]>> = {
  passport: [
    [/\b(reisepass|passport|passeport)\b/, 1],
    [/^p[<a-z][a-z]{3}[a-z<]{10,}$/m, 1.5],
  ],
  'identity-card': [
    [/\b(personalausweis|identity card|carte d'identite)\b/, 1.4],
    [/^i[<d][a-z<]{3}[a-z0-9<]{10,}$/m, 1],
  ],
  'driving-licence': [[/\b(fuhrerschein|driving licen[cs]e|driver'?s? licen[cs]e)\b/, 1.4]],
  invoice: [
    [/\b(rechnung|invoice|faktura|honorarnote)\b/, 1],
    [/\b(rechnungs-?\s?(nr|nummer|datum|betrag)|invoice (no|number|date|#)|bill to)\b/, 0.6],
    [/\b(zahlbar|fallig|due date|payment terms|amount due|iban)\b/, 0.4],
  ],
  'bank-statement': [[/\b(kontoauszug|bank statement|account statement)\b/, 1.6]],
  receipt: [
    [/\b(kassenbon|kassenbeleg|kassenzettel|quittung|receipt|bonnr|bon-?nr|beleg-?nr)\b/, 1],
    [/\b(kundenbeleg|kartenzahlung|girocard|ec-karte|ruckgeld|gegeben|bar|cash|change)\b/, 0.6],
    [/\b(summe|total|gesamt)\b/, 0.3],
    [/\b(mwst|ust|vat|tax)\b/, 0.2],
    [/\b(vielen dank fur ihren (einkauf|besuch)|thank you for (your|shopping)|thank you)\b/, 0.4],
    [/\b(subtotal|zwischensumme)\b/, 0.3],
  ],
  ticket: [[/\b(boarding pass|bordkarte|fahrkarte|eintrittskarte|fahrschein|e-?ticket)\b/, 1.2]],
  prescription: [[/\b(prescription|arzneiverordnung|kassenrezept|privatrezept)\b/, 1.2]],
  certificate: [[/\b(urkunde|zeugnis|bescheinigung|zertifikat|certificate|diploma)\b/, 1]],
  contract: [[/\b([a-z]*vertrag|contract|agreement)\b/, 1]],
  letter: [
    [/\b(sehr geehrte[rn]?|liebe[r]?|dear)\b/, 0.7],
    [/\b(mit freundlichen grussen|freundliche grusse|hochachtungsvoll)\b/, 0.6],
    [/\b(yours (sincerely|faithfully)|(kind|best) regards|sincerely)\b/, 0.6],
    [/\b(betreff|subject)\b/, 0.3],
  ],
};

/** Longer rows count half: headings say more than sentences. */
const MAX_LABEL_CHARS = 45;

export function suggestKind(
  rows: readonly Row[],
): (Suggestion & { value: DocumentKind }) | undefined {
  const looksPrinted = isPrintedByTill(rows);
  let best: { kind: DocumentKind; weight: number; rows: Row[] } | undefined;
  for (const kind of DOCUMENT_KINDS) {
    const found = WORDS[kind].flatMap(([pattern, weight]) => {
      const row =
        rows.find(({ plain }) => plain.length < MAX_LABEL_CHARS && pattern.test(plain)) ??
        rows.find(({ plain }) => pattern.test(plain));
      return row ? [{ row, weight: row.plain.length < MAX_LABEL_CHARS ? weight : weight / 2 }] : [];
    });
    const words = found.reduce((sum, one) => sum + one.weight, 0);
    const weight = kind === 'receipt' && looksPrinted ? words + TILL_WEIGHT : words;
    if (weight >= 1 && weight > (best?.weight ?? 0)) {
      best = { kind, weight, rows: [...new Set(found.map(({ row }) => row))] };
    }
  }
  if (!best) return undefined;
  const sure = Math.min(0.95, 0.55 + 0.25 * best.weight);
  return { ...toSuggestion(best.kind, sure, best.rows), value: best.kind };
}

const TILL_WEIGHT = 0.8;
const CLOCK = /(?<!\d)([01]?\d|2[0-3]):[0-5]\d(?!\d)/;
const MAX_TILL_ROWS = 80;

/** Returns whether the rows look like a till receipt: prices in a column and a time of printing. */
function isPrintedByTill(rows: readonly Row[]): boolean {
  const priced = rows.filter(
    ({ plain }) => plain.length < MAX_LABEL_CHARS && parseAmounts(plain).length > 0,
  );
  return (
    priced.length >= 3 &&
    rows.length <= MAX_TILL_ROWS &&
    rows.some(({ plain }) => CLOCK.test(plain))
  );
}
