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
  const free = new Set(known);
  const sameText = (a: Placed, b: Placed) => plain(a.text) === plain(b.text);
  const take = (fits: (line: Placed, old: Placed, overlap: number) => boolean) => {
    const pairs = found.flatMap((line, index) =>
      matches.has(index)
        ? []
        : [...free].flatMap((old) => {
            const overlap = overlapOf(line.quad, old.quad);
            return fits(line, old, overlap) ? [{ index, old, overlap }] : [];
          }),
    );
    for (const { index, old } of pairs.toSorted((a, b) => b.overlap - a.overlap)) {
      if (matches.has(index) || !free.has(old)) continue;
      matches.set(index, old);
      free.delete(old);
    }
  };
  take((line, old, overlap) => overlap >= OVERLAPS && sameText(line, old));
  take((_line, _old, overlap) => overlap >= SAME_PLACE);
  take((line, old) => plain(line.text).length >= TELLING && sameText(line, old));
  return matches;
}

const plain = (text: string): string => fold(text).replaceAll(/\s+/g, '');

/** Shared area by common area, of the upright boxes around both. */
function overlapOf(a: Corners, b: Corners): number {
  const [p, q] = [boxOf(a), boxOf(b)];
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

const areaOf = ({ left, right, top, bottom }: ReturnType<typeof boxOf>) =>
  (right - left) * (bottom - top);
