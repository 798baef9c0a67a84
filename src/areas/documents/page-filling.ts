import type { DocumentFieldRow, LineQuad } from '../../db/tables/documents.ts';
import { getText, omitDismissed } from './line-text.ts';
import type { LineRow } from './store.ts';
import { suggestKind } from './suggest/kind.ts';
import { computeMedian, groupRows } from './suggest/rows.ts';

/** Fewer lines are a sign or a print on a shirt. */
const MIN_LINES = 3;
const MIN_WORDS = 25;
/** Share of the picture that the lines lie in. */
const MIN_EXTENT = 0.1;
/** Share of that which the lines cover: the numbers of a chart lie far apart. */
const MIN_DENSITY = 0.1;
/** Letters of a page are small: height of a line as a share of the picture's. */
const MAX_HEIGHT = 0.1;
/** Share of the lines that are parallel, and of those with another one right above or below. */
const MIN_PARALLEL = 0.8;
const MIN_SET_TOGETHER = 0.5;
const MAX_ANGLE = (8 / 180) * Math.PI;
/** Colours of paper in the light of a room; other colours are walls, bottles and shirts. */
const PAPER: ReadonlySet<string> = new Set([
  'beige',
  'black and white',
  'gray',
  'orange',
  'white',
  'yellow',
]);

type Decision = Pick<DocumentFieldRow, 'field' | 'action'>;

/**
 * Returns whether a photo with these lines is a document: its text is set like a page and fills the picture, reads like
 * a receipt or another known kind, or the owner has confirmed or corrected a field. A photo with signs is none.
 * `colours`: those of the picture; empty while they are unknown.
 */
export function isDocument(
  lines: readonly LineRow[],
  decisions: readonly Decision[],
  colours: readonly string[] = [],
): boolean {
  if (decisions.some(({ action }) => action !== 'dismiss')) return true;
  const shown = omitDismissed(lines).map((line) => ({ ...line, text: getText(line) }));
  const isPaper = colours.length === 0 || colours.some((colour) => PAPER.has(colour));
  if (isPaper && isPage(shown)) return true;
  const isNoKind = decisions.some(({ field }) => field === 'document-type');
  return !isNoKind && suggestKind(groupRows(shown)) !== undefined;
}

type PlacedText = Pick<LineRow, 'text' | 'quad'>;

/** Returns whether lines are small, parallel, and lie below each other in a good part of the picture. */
function isPage(all: readonly PlacedText[]): boolean {
  // A recogniser takes stripes and faces for single letters of any size.
  const lines = all.filter(({ text }) => countWords(text) > 0 && text.length > 1).map(measure);
  if (sum(lines.map(({ words }) => words)) >= MIN_WORDS) return true;
  if (lines.length < MIN_LINES) return false;
  const angle = computeMedian(lines.map((line) => line.angle));
  const isParallel = (line: Line) => Math.abs(line.angle - angle) <= MAX_ANGLE;
  const extent =
    (Math.max(...lines.map(({ right }) => right)) - Math.min(...lines.map(({ left }) => left))) *
    (Math.max(...lines.map(({ bottom }) => bottom)) - Math.min(...lines.map(({ top }) => top)));
  return (
    extent >= MIN_EXTENT &&
    sum(lines.map(({ area }) => area)) >= MIN_DENSITY * extent &&
    computeMedian(lines.map(({ height }) => height)) <= MAX_HEIGHT &&
    lines.filter(isParallel).length >= MIN_PARALLEL * lines.length &&
    lines.filter((line) => lines.some((other) => areSetTogether(line, other))).length >=
      MIN_SET_TOGETHER * lines.length
  );
}

type Line = ReturnType<typeof measure>;

function measure({ text, quad }: PlacedText) {
  const [x1, y1, x2, y2, x3, y3, x4, y4] = quad;
  return {
    words: countWords(text),
    left: Math.min(x1, x4),
    right: Math.max(x2, x3),
    top: Math.min(y1, y2),
    bottom: Math.max(y3, y4),
    height: Math.hypot(x4 - x1, y4 - y1),
    angle: Math.atan2(y2 - y1, x2 - x1),
    area: computeArea(quad),
  };
}

/** Returns whether two lines of one size lie right below each other and begin or end at one edge. */
function areSetTogether(one: Line, other: Line): boolean {
  const height = Math.max(one.height, other.height);
  const distance = Math.abs(one.top + one.bottom - other.top - other.bottom) / 2;
  return (
    one !== other &&
    height < 1.5 * Math.min(one.height, other.height) &&
    distance > height / 2 &&
    distance < 2.6 * height &&
    (Math.abs(one.left - other.left) < height || Math.abs(one.right - other.right) < height)
  );
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
