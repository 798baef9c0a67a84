import { fold } from '../search/index.ts';

/** x1, y1 … x4, y4, as fractions of the picture. */
export type Corners = readonly number[];
export type Placed = { readonly text: string; readonly quad: Corners };

const OVERLAPS = 0.3;
const SAME_PLACE = 0.5;
/** A shorter text alone says too little about which line it is. */
const TELLING = 4;

/**
 * Which of the lines that are known every found one is: the same text at about the same place, else
 * the same place, else the same text anywhere, for the picture may have been turned. By the index of
 * the found line; no line is taken twice.
 */
export function rematch<Known extends Placed>(
  known: readonly Known[],
  found: readonly Placed[],
): Map<number, Known> {
  const matches = new Map<number, Known>();
  const lines = found.map((line, index) => ({ index, ...measured(line) }));
  const free = new Set(known.map((old) => ({ old, ...measured(old) })));
  type Line = (typeof lines)[number];
  const take = (fits: (line: Line, text: string, overlap: number) => boolean) => {
    const pairs = lines.flatMap((line) =>
      matches.has(line.index)
        ? []
        : [...free].flatMap((known) => {
            const overlap = overlapOf(line.box, known.box);
            return fits(line, known.text, overlap) ? [{ index: line.index, known, overlap }] : [];
          }),
    );
    for (const { index, known } of pairs.toSorted((a, b) => b.overlap - a.overlap)) {
      if (matches.has(index) || !free.has(known)) continue;
      matches.set(index, known.old);
      free.delete(known);
    }
  };
  take((line, text, overlap) => overlap >= OVERLAPS && line.text === text);
  take((_line, _text, overlap) => overlap >= SAME_PLACE);
  take((line, text) => text.length >= TELLING && line.text === text);
  return matches;
}

const measured = ({ text, quad }: Placed) => ({
  text: fold(text).replaceAll(/\s+/g, ''),
  box: boxOf(quad),
});

/** Shared area by common area, of the upright boxes around both. */
function overlapOf(p: Box, q: Box): number {
  const width = Math.min(p.right, q.right) - Math.max(p.left, q.left);
  const height = Math.min(p.bottom, q.bottom) - Math.max(p.top, q.top);
  if (width <= 0 || height <= 0) return 0;
  const shared = width * height;
  return shared / (areaOf(p) + areaOf(q) - shared);
}

function boxOf(quad: Corners) {
  const xs = quad.filter((_value, index) => index % 2 === 0);
  const ys = quad.filter((_value, index) => index % 2 === 1);
  return {
    left: Math.min(...xs),
    right: Math.max(...xs),
    top: Math.min(...ys),
    bottom: Math.max(...ys),
  };
}

type Box = ReturnType<typeof boxOf>;

const areaOf = ({ left, right, top, bottom }: Box) => (right - left) * (bottom - top);
