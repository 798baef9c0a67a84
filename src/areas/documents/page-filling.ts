import type { DocumentFieldRow, LineQuad } from '../../db/tables/documents.ts';
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

/** Returns the area of a quadrilateral (shoelace formula). */
function computeArea([x1, y1, x2, y2, x3, y3, x4, y4]: LineQuad): number {
  const twice = x1 * y2 - x2 * y1 + (x2 * y3 - x3 * y2) + (x3 * y4 - x4 * y3) + (x4 * y1 - x1 * y4);
  return Math.abs(twice) / 2;
}
