import { callImageChild } from './image-children.ts';

/** The side of an outline, in places. */
export const OUTLINE_SIDE = 16;
const SIDE = OUTLINE_SIDE;
/** Below this, the edges are the noise of a plain wall or an empty page. */
const LEAST_EDGES = 2;

/** By which pictures are compared. */
export type PictureLooks = {
  /** Luminance in a grid of 16 × 16, row by row. */
  readonly light: Uint8Array;
  /** Small parts, to find a picture in another: see `readPatches`. */
  readonly patches: Uint8Array;
};

/** Returns the outline and the patches of a picture. Throws if it is unreadable. */
export const computeLooks = (path: string): Promise<PictureLooks> =>
  callImageChild({ op: 'looks', path });

/**
 * Returns the overlap of the edges of two pictures: 1 for a copy in another size, format,
 * quality or brightness. Two of the same kind of thing, whose vectors are near to each other, differ in
 * that: two pages of text, two portraits. Null where one has no edges to speak of.
 */
export function compareOutlines(one: Uint8Array, other: Uint8Array): number | null {
  const [a, b] = [computeEdges(one), computeEdges(other)];
  const [strengthA, strengthB] = [computeStrength(a), computeStrength(b)];
  if (Math.min(strengthA, strengthB) < LEAST_EDGES) return null;
  let sum = 0;
  for (let at = 0; at < a.length; at++) sum += a[at]! * b[at]!;
  return Math.min(1, sum / a.length / strengthA / strengthB);
}

/** From each place to the next one, to the right and down. */
function computeEdges(light: Uint8Array): Int16Array {
  const edges = new Int16Array(2 * SIDE * (SIDE - 1));
  let to = 0;
  for (let y = 0; y < SIDE; y++) {
    for (let x = 0; x < SIDE; x++) {
      const at = y * SIDE + x;
      if (x + 1 < SIDE) edges[to++] = light[at + 1]! - light[at]!;
      if (y + 1 < SIDE) edges[to++] = light[at + SIDE]! - light[at]!;
    }
  }
  return edges;
}

const computeStrength = (edges: Int16Array): number =>
  Math.sqrt(edges.reduce((sum, edge) => sum + edge * edge, 0) / edges.length);
