import { type Row, toSuggestion, type Suggestion, mostConfident } from './rows.ts';

const NO = String.raw`(?:nummer|number|nr|no|num|#)`;
/** Labels of numbers, most specific to the whole document first, with their confidence. */
const LABELS: readonly (readonly [RegExp, number])[] = [
  [new RegExp(String.raw`\b(?:rechnungs?|invoice|faktura)[-\s.]*${NO}\b[.:\s]*`), 0.95],
  [
    new RegExp(
      String.raw`\b(?:reisepass|pass|passport|ausweis|dokument|document|card|karten)[-\s.]*${NO}\b[.:\s]*`,
    ),
    0.9,
  ],
  [new RegExp(String.raw`\b(?:beleg|bon|quittungs?|receipt)[-\s.]*${NO}\b[.:\s]*`), 0.9],
  [
    new RegExp(
      String.raw`\b(?:vertrags?|contract|policen?|policy|versicherungs?)[-\s.]*${NO}\b[.:\s]*`,
    ),
    0.85,
  ],
  [
    new RegExp(
      String.raw`\b(?:aktenzeichen|geschaftszeichen|unser zeichen|our ref(?:erence)?|reference)\b[.:\s]*`,
    ),
    0.75,
  ],
  [
    new RegExp(
      String.raw`\b(?:auftrags?|bestell|order|booking|buchungs?|ticket)[-\s.]*${NO}\b[.:\s]*`,
    ),
    0.7,
  ],
  [/\b(?:invoice|receipt|order)\s*#[:\s]*/, 0.9],
  [/\b(?:beleg|bon)\s+(?=\d)/, 0.7],
  [/\b(?:rechnung|invoice)\s+(?=[a-z]{0,4}[-\s]?\d)/, 0.7],
];
const VALUE = /^[A-Za-z0-9][A-Za-z0-9/.\-_]*(?:\s[A-Z]{0,3}\d[A-Za-z0-9/\-_]*)*/;

/** Returns the number of the document: after its label, or in the row below. */
export function suggestNumber(rows: readonly Row[]): Suggestion | undefined {
  const candidates = rows.flatMap((row, index) =>
    LABELS.flatMap(([label, strength]): Suggestion[] => {
      const found = label.exec(row.plain);
      if (!found) return [];
      // Folding may have changed lengths: the rest is counted from the end.
      const rest = row.plain.length - found.index - found[0].length;
      const own = parseNumber(rest === 0 ? '' : row.text.slice(-rest));
      if (own !== undefined) return [toSuggestion(own, strength, [row])];
      const below = rows[index + 1];
      if (!below || rest >= 3) return [];
      const next = parseNumber(below.text);
      return next === undefined ? [] : [toSuggestion(next, strength * 0.85, [row, below])];
    }),
  );
  return mostConfident(candidates);
}

function parseNumber(text: string): string | undefined {
  const value = VALUE.exec(text.trim())?.[0].replace(/[.\-/]+$/, '');
  const isNumber = value !== undefined && value.length >= 2 && /\d/.test(value);
  const isDay =
    value !== undefined && /^\d{1,2}[./]\d{1,2}[./]\d{2,4}$|^\d{4}-\d\d-\d\d$/.test(value);
  return isNumber && !isDay ? value : undefined;
}
