import type { DocumentFieldRow } from '../../db/tables/documents.ts';
import { getText, omitDismissed } from './line-text.ts';
import type { LineRow } from './store.ts';
import { suggestKind } from './suggest/kind.ts';
import { groupRows } from './suggest/rows.ts';

const MIN_LINES = 4;
const MIN_WORDS = 25;
/** Share of the picture that the lines cover. */
const MIN_AREA = 0.08;

type Decision = Pick<DocumentFieldRow, 'field' | 'action'>;

/**
 * Returns whether a photo with these lines is a document: its text fills the picture, reads like a receipt or
 * another known kind, or the owner has confirmed or corrected a field. A photo with a sign is none.
 */
export function isDocument(lines: readonly LineRow[], decisions: readonly Decision[]): boolean {
  if (decisions.some(({ action }) => action !== 'dismiss')) return true;
  const shown = omitDismissed(lines).map((line) => ({ ...line, text: getText(line) }));
  if (shown.length >= MIN_LINES) return true;
  if (sum(shown.map(({ text }) => countWords(text))) >= MIN_WORDS) return true;
  if (sum(shown.map(({ quad }) => computeArea(quad))) >= MIN_AREA) return true;
  const isNoKind = decisions.some(({ field }) => field === 'document-type');
  return !isNoKind && suggestKind(groupRows(shown)) !== undefined;
}

const sum = (values: readonly number[]): number =>
  values.reduce((total, value) => total + value, 0);

const segmenter = new Intl.Segmenter(undefined, { granularity: 'word' });
/** Counts words also where no spaces part them, as in Chinese. */
const countWords = (text: string): number =>
  [...segmenter.segment(text)].filter(({ isWordLike }) => isWordLike).length;

/** Returns the area of a quadrilateral x1, y1 … x4, y4 (shoelace formula). */
function computeArea(quad: readonly number[]): number {
  let twice = 0;
  for (let at = 0; at < quad.length; at += 2) {
    const next = (at + 2) % quad.length;
    twice += quad[at]! * quad[next + 1]! - quad[next]! * quad[at + 1]!;
  }
  return Math.abs(twice) / 2;
}
