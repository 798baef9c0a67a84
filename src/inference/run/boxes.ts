import type { Box } from '../types.ts';

/** Returns intersection over union, 0 to 1. */
export function computeIou(a: Box, b: Box): number {
  const width = Math.min(a.x2, b.x2) - Math.max(a.x1, b.x1);
  const height = Math.min(a.y2, b.y2) - Math.max(a.y1, b.y1);
  if (width <= 0 || height <= 0) return 0;
  const shared = width * height;
  return shared / (computeArea(a) + computeArea(b) - shared);
}

const computeArea = ({ x1, y1, x2, y2 }: Box) => (x2 - x1) * (y2 - y1);

/**
 * Non-maximum suppression: best score first, without boxes that overlap a better one of the same
 * kind by more than `most`.
 */
export function suppressOverlaps<T extends { readonly box: Box; readonly score: number }>(
  found: readonly T[],
  most: number,
  isSameKind: (a: T, b: T) => boolean = () => true,
): T[] {
  const kept: T[] = [];
  for (const one of found.toSorted((a, b) => b.score - a.score)) {
    if (!kept.some((other) => isSameKind(one, other) && computeIou(one.box, other.box) > most)) {
      kept.push(one);
    }
  }
  return kept;
}

const clampToUnit = (value: number) => Math.max(0, Math.min(1, value));

/** Returns the box clipped to the picture. */
export const clipBox = ({ x1, y1, x2, y2 }: Box): Box => ({
  x1: clampToUnit(x1),
  y1: clampToUnit(y1),
  x2: clampToUnit(x2),
  y2: clampToUnit(y2),
});
