import { fold } from '../../../core/fold-text.ts';
import { getFirst } from '../../../core/required.ts';
import type { DocumentKind } from './kind.ts';
import { type Row, toSuggestion, type Suggestion, mostConfident } from './rows.ts';

const COMPANY =
  /\b(gmbh|ag|kg|ohg|gbr|ug|e\.?\s?v\.?|e\.?\s?k\.?|se|ltd\.?|limited|inc\.?|llc|plc|corp\.?|s\.?a\.?|b\.?v\.?|co\.)(?=$|[\s,·|-])/;
const OFFICE =
  /\b(finanzamt|stadtwerke|sparkasse|volksbank|krankenkasse|versicherung|universitat|gemeinde|landkreis|amtsgericht|ministerium|bank|council|university|hospital|insurance)\b/;
const STREET =
  /(str\.?|stra(ss|b|ß)e|weg|platz|allee|gasse|ring|damm|ufer)\s*\d+|\d+[a-z]?\s+[a-z .'-]+\b(street|st|road|rd|avenue|ave|lane|drive|way|square)\b/;
const TOWN =
  /(?:^|[\s,·|-])(d-|a-|ch-)?\d{4,5}\s+[a-z]{2,}|\b[a-z]{1,2}\d[a-z\d]?\s?\d[a-z]{2}\b|\b[a-z]{2}\s\d{5}\b/;
/** Words at the head of a document that are no names. */
const NO_NAME =
  /\b(rechnung|invoice|quittung|receipt|kassenbon|beleg|datum|date|tel|fax|www|http|seite|page|original|kopie|copy|betreff|subject|summe|total|uhrzeit|kundenbeleg|willkommen|welcome)\b|@|\.(de|com|at|ch|org|net)\b/;
const HEAD_ROWS = 6;

/** Returns the issuer: a name with a legal form, an authority, else the headline. */
export function suggestIssuer(
  rows: readonly Row[],
  kind: DocumentKind | undefined,
): Suggestion | undefined {
  const authority = findLabelledValue(
    rows,
    /^(ausstellende )?behorde\b|\bissuing authority\b|^authority\b/,
  );
  if (authority) return authority;
  const from = findLabelledValue(rows, /^(absender|von|from|sender|seller|verkaufer)\s*:/);
  if (from) return from;
  const recipient = rows.findIndex(({ plain }) => RECIPIENT.test(plain));
  const upTo = recipient < 0 ? rows : rows.slice(0, recipient);
  const head = upTo.slice(0, HEAD_ROWS * 2);
  const candidates = [
    ...head
      .filter(({ plain }) => COMPANY.test(plain) && !NO_NAME.test(plain))
      .map((row) => toSuggestion(extractName(row), 0.85, [row])),
    ...head
      .filter(({ plain }) => OFFICE.test(plain) && plain.length < 60 && !NO_NAME.test(plain))
      .map((row) => toSuggestion(extractName(row), 0.75, [row])),
  ];
  return mostConfident(candidates) ?? findHeadline(rows, kind);
}

/** Rows from the top that may hold the issuer's name, by kind of document. */
const HEADS: Readonly<Partial<Record<DocumentKind, number>>> = {
  receipt: HEAD_ROWS,
  invoice: HEAD_ROWS,
  'bank-statement': HEAD_ROWS,
  letter: 1,
};
const isAddressed = ({ plain }: Row): boolean =>
  SALUTATION.test(plain) || TITLED.test(plain) || TITLE_ALONE.test(plain);

/** Returns the first or the largest name at the head. */
function findHeadline(
  rows: readonly Row[],
  kind: DocumentKind | undefined,
): Suggestion | undefined {
  const depth = kind && HEADS[kind];
  const head = rows.slice(0, depth ?? 0).filter((row) => isName(row) && !isAddressed(row));
  const [first] = head;
  if (!first) return undefined;
  const largest = head.reduce((best, row) => (row.height > best.height * 1.2 ? row : best), first);
  return toSuggestion(extractName(largest), 0.6, [largest]);
}

const isName = ({ plain, text }: Row): boolean =>
  (text.match(/\p{L}/gu)?.length ?? 0) >= 3 &&
  !/\d{3}/.test(plain) &&
  !STREET.test(plain) &&
  !TOWN.test(plain) &&
  !NO_NAME.test(plain);

/**
 * Returns the name of a row. "Muster GmbH · Weg 1 · 12345 Stadt" is a sender line: the name is its
 * beginning.
 */
const extractName = ({ text }: Row): string =>
  getFirst(text.split(/\s*[·•|]\s*|\s{2,}|,\s/)).trim();

const RECIPIENT =
  /^(rechnung an|rechnungsempfanger|rechnungsanschrift|lieferadresse|an|to|bill(ed)? to|invoice to|ship to|sold to|kunde|customer|empfanger|recipient)\s*:?\s*$|^(an|to|bill(ed)? to|invoice to|kunde|customer|empfanger|recipient|rechnung an|rechnungsempfanger)\s*:\s*\S/;
const SALUTATION = /^(?:sehr geehrte[rn]?|liebe[r]?|dear)\s+(.+?)[,!]?$/;
const TITLE_ALONE = /^(herrn?|frau|firma|familie|mr\.?|mrs\.?|ms\.?)$/;
const TITLED = /^(herrn?|frau|firma|familie|mr\.?|mrs\.?|ms\.?)\s+\p{L}/u;
const NOBODY = /damen und herren|sir or madam|sir\/madam|customer|kund|alle\b/;

/** Returns the recipient: after a label, in the address window, or in the salutation. */
export function suggestRecipient(rows: readonly Row[]): Suggestion | undefined {
  const labelled = findLabelledValue(rows, RECIPIENT);
  if (labelled && isPerson(labelled.value)) return labelled;
  const candidates = rows.flatMap((row, index): Suggestion[] => {
    const [below, second] = [rows[index + 1], rows[index + 2]];
    if (TITLE_ALONE.test(row.plain) && below) {
      return [toSuggestion(extractName(below), 0.85, [below])];
    }
    const isAddress =
      below !== undefined &&
      second !== undefined &&
      STREET.test(below.plain) &&
      TOWN.test(second.plain);
    if (isAddress && TITLED.test(row.plain)) return [toSuggestion(removeTitle(row), 0.85, [row])];
    if (isAddress && index > 0 && isName(row) && !COMPANY.test(row.plain)) {
      return [toSuggestion(extractName(row), 0.7, [row])];
    }
    const [, greeted] = SALUTATION.exec(row.plain) ?? [];
    if (greeted === undefined || NOBODY.test(row.plain)) return [];
    const name = row.text.slice(
      row.text.length - greeted.length - (/[,!]$/.test(row.text) ? 1 : 0),
    );
    return [toSuggestion(name.replace(/[,!]$/, '').trim(), 0.55, [row])];
  });
  return mostConfident(candidates);
}

const isPerson = (value: string): boolean => /\p{L}{2}/u.test(value);
const removeTitle = (row: Row): string =>
  extractName(row).replace(/^(Herrn?|Frau|Firma|Familie|Mr\.?|Mrs\.?|Ms\.?)\s+/i, '');

/** Returns the value after a label: in the same row, else in the row below. */
export function findLabelledValue(rows: readonly Row[], label: RegExp): Suggestion | undefined {
  for (const [index, row] of rows.entries()) {
    const at = row.parts.findIndex(({ text }) => label.test(foldPart(row, text)));
    const isLabel = at >= 0 || label.test(row.plain);
    if (!isLabel) continue;
    const own = row.text.includes(':') ? row.text.slice(row.text.indexOf(':') + 1).trim() : '';
    const beside = row.parts[at + 1]?.text.trim();
    const below = rows[index + 1];
    if (own !== '') return toSuggestion(getFirst(own.split(/\s{2,}/)), 0.85, [row]);
    if (at >= 0 && beside) return toSuggestion(beside, 0.85, [row]);
    if (below) return toSuggestion(extractName(below), 0.8, [row, below]);
  }
  return undefined;
}

/** Returns the folded part of a row. */
const foldPart = (row: Row, text: string): string =>
  row.parts.length === 1 ? row.plain : fold(text);
