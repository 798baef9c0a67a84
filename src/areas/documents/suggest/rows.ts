import type { LineQuad } from '../../../db/tables/documents.ts';
import { fold } from '../../../core/fold-text.ts';

export type ReadLine = {
  readonly line: number;
  readonly text: string;
  /** 0 to 1. */
  readonly score: number;
  readonly quad: LineQuad;
};

/** Lines beside each other, from left to right. */
export type Row = {
  readonly text: string;
  /** Folded text, which the patterns are written for. */
  readonly plain: string;
  readonly parts: readonly ReadLine[];
  readonly lines: readonly number[];
  readonly score: number;
  /** Letter height as a fraction of the picture. */
  readonly height: number;
};

/** Groups lines into rows from top to bottom, corrected for a skewed page. */
export function groupRows(lines: readonly ReadLine[]): Row[] {
  const slope = computeMedian(lines.flatMap(({ quad }) => computeSlope(quad)));
  const placed = lines
    .map((line) => {
      const [x, y] = computeCentre(line.quad);
      return { line, x, y: y - slope * x, height: computeHeight(line.quad) };
    })
    .toSorted((a, b) => a.y - b.y);
  const groups: (typeof placed)[] = [];
  for (const item of placed) {
    const group = groups.at(-1);
    const first = group?.[0];
    const isBeside =
      first !== undefined && Math.abs(item.y - first.y) < Math.min(item.height, first.height) / 2;
    if (group && isBeside) group.push(item);
    else groups.push([item]);
  }
  return groups.map((group) => toRow(group.toSorted((a, b) => a.x - b.x).map(({ line }) => line)));
}

/** Longest row that is matched: longer ones are neither labels nor values. */
const MAX_ROW_CHARS = 400;

function toRow(parts: readonly ReadLine[]): Row {
  const text = parts
    .map((part, index) => `${spaceBefore(part, parts[index - 1])}${part.text}`)
    .join('')
    .slice(0, MAX_ROW_CHARS);
  return {
    text,
    plain: fold(text),
    parts,
    lines: parts.map(({ line }) => line),
    score: parts.reduce((sum, { score }) => sum + score, 0) / parts.length,
    height: Math.max(...parts.map(({ quad }) => computeHeight(quad))),
  };
}

/** Two spaces separate columns; touching boxes are words of one text. */
function spaceBefore({ quad }: ReadLine, before: ReadLine | undefined): string {
  if (!before) return '';
  const isTouching = Math.min(quad[0], quad[6]) <= Math.max(before.quad[2], before.quad[4]);
  return isTouching ? ' ' : '  ';
}

const computeCentre = ([x1, y1, x2, y2, x3, y3, x4, y4]: LineQuad): [number, number] => [
  (x1 + x2 + x3 + x4) / 4,
  (y1 + y2 + y3 + y4) / 4,
];
const computeHeight = ([, y1, , y2, , y3, , y4]: LineQuad): number =>
  (Math.abs(y4 - y1) + Math.abs(y3 - y2)) / 2;

/** Returns the slope of lines wide enough to measure it. */
function computeSlope([x1, y1, x2, y2]: LineQuad): number[] {
  const width = x2 - x1;
  return width > 0.1 ? [(y2 - y1) / width] : [];
}

/** Returns the middle value, the upper one of two; 0 without any. */
export function computeMedian(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

export type Suggestion = {
  readonly value: string;
  /** 0 to 1. */
  readonly confidence: number;
  readonly lines: readonly number[];
};

export const toSuggestion = (
  value: string,
  strength: number,
  rows: readonly Row[],
): Suggestion => ({
  value: value.slice(0, MAX_VALUE_CHARS),
  confidence: Math.round(strength * Math.min(1, ...rows.map(({ score }) => score)) * 100) / 100,
  lines: rows.flatMap(({ lines }) => lines),
});
const MAX_VALUE_CHARS = 500;

/** Returns the suggestion with the highest confidence, the first of equal ones. */
export const mostConfident = (candidates: readonly Suggestion[]): Suggestion | undefined =>
  candidates.reduce<Suggestion | undefined>(
    (best, one) => (best === undefined || one.confidence > best.confidence ? one : best),
    undefined,
  );
