import type { LineQuad } from '../../db/tables/documents.ts';
import { type Box, computeIou } from '../../inference/index.ts';
import { fold } from '../../core/fold-text.ts';

export type PlacedText = { readonly text: string; readonly quad: LineQuad };

const MIN_OVERLAP = 0.3;
const MIN_SAME_PLACE_OVERLAP = 0.5;
/** Shorter texts do not identify a line. */
const MIN_DISTINCTIVE_CHARS = 4;

/**
 * Matches recognized lines to known ones: same text at about the same place, else same place, else
 * same text anywhere (the picture may have been rotated). Returns the known line by index of the
 * found one; no line is used twice.
 */
export function matchLines<Known extends PlacedText>(
  known: readonly Known[],
  found: readonly PlacedText[],
): Map<number, Known> {
  const matches = new Map<number, Known>();
  const lines = found.map((line, index) => ({ index, ...measure(line) }));
  const free = new Set(known.map((old) => ({ old, ...measure(old) })));
  type Line = (typeof lines)[number];
  const take = (fits: (line: Line, text: string, overlap: number) => boolean) => {
    const pairs = lines.flatMap((line) =>
      matches.has(line.index)
        ? []
        : [...free].flatMap((known) => {
            const overlap = computeIou(line.box, known.box);
            return fits(line, known.text, overlap) ? [{ index: line.index, known, overlap }] : [];
          }),
    );
    for (const { index, known } of pairs.toSorted((a, b) => b.overlap - a.overlap)) {
      if (matches.has(index) || !free.has(known)) continue;
      matches.set(index, known.old);
      free.delete(known);
    }
  };
  take((line, text, overlap) => overlap >= MIN_OVERLAP && line.text === text);
  take((_line, _text, overlap) => overlap >= MIN_SAME_PLACE_OVERLAP);
  take((line, text) => text.length >= MIN_DISTINCTIVE_CHARS && line.text === text);
  return matches;
}

const measure = ({ text, quad }: PlacedText) => ({
  text: fold(text).replaceAll(/\s+/g, ''),
  box: toBox(quad),
});

function toBox(quad: LineQuad): Box {
  const xs = quad.filter((_value, index) => index % 2 === 0);
  const ys = quad.filter((_value, index) => index % 2 === 1);
  return { x1: Math.min(...xs), x2: Math.max(...xs), y1: Math.min(...ys), y2: Math.max(...ys) };
}
