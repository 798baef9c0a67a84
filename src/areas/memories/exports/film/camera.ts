import type { Size } from '../../../../media/sizes.ts';
import type { Box } from './film.store.ts';

// The camera moves over a canvas that holds the whole picture.

/** Pictures of nearly the shape of the canvas fill it; others lie on a blurred ground. */
const COVERED = { from: 0.9, to: 1.125 };
const MAX_ZOOM = 1.35;
const GENTLE_ZOOM = 1.12;
/** Faces take up to this share of the height. */
const FACE_SHARE = 0.45;

export type View = { readonly zoom: number; readonly x: number; readonly y: number };
const WHOLE: View = { zoom: 1, x: 0.5, y: 0.5 };

export type CameraMove = { readonly from: View; readonly to: View };

/**
 * Returns the move over a still: from the whole picture to its faces; without faces a little nearer, or
 * from there back.
 */
export function planMove(
  { picture, canvas }: Shapes,
  faces: readonly Box[],
  isBackwards: boolean,
): CameraMove {
  const group = joinLargest(faces);
  if (!group) {
    const near = { ...WHOLE, zoom: GENTLE_ZOOM };
    return isBackwards ? { from: near, to: WHOLE } : { from: WHOLE, to: near };
  }
  const shown = toCanvas({ picture, canvas }, group);
  const zoom = Math.min(MAX_ZOOM, Math.max(1.05, FACE_SHARE / (shown.y2 - shown.y1)));
  return { from: WHOLE, to: { zoom, x: (shown.x1 + shown.x2) / 2, y: (shown.y1 + shown.y2) / 2 } };
}

/** Returns the box around the faces that are at least half as high as the largest. */
function joinLargest(faces: readonly Box[]): Box | undefined {
  const height = Math.max(0, ...faces.map(({ y1, y2 }) => y2 - y1));
  const large = faces.filter(({ y1, y2 }) => y2 - y1 >= height / 2);
  if (large.length === 0) return undefined;
  return {
    x1: Math.min(...large.map(({ x1 }) => x1)),
    y1: Math.min(...large.map(({ y1 }) => y1)),
    x2: Math.max(...large.map(({ x2 }) => x2)),
    y2: Math.max(...large.map(({ y2 }) => y2)),
  };
}

/** A picture and the canvas of the film. */
export type Shapes = { readonly picture: Size; readonly canvas: Size };

/** Returns how much wider a picture is than the canvas, at the same height. */
export const compareShapes = ({ picture, canvas }: Shapes): number =>
  (picture.width * canvas.height) / (picture.height * canvas.width);

/** Whether the picture fills the canvas. */
export function isCovered(shapes: Shapes): boolean {
  const shape = compareShapes(shapes);
  return shape >= COVERED.from && shape <= COVERED.to;
}

/** Places a box of the picture on the canvas. */
function toCanvas(shapes: Shapes, { x1, y1, x2, y2 }: Box): Box {
  const shape = compareShapes(shapes);
  const fills = isCovered(shapes);
  // Share of the canvas that the picture takes, over 1 where it is cropped.
  const width = fills ? Math.max(1, shape) : Math.min(1, shape);
  const height = fills ? Math.max(1, 1 / shape) : Math.min(1, 1 / shape);
  const place = (at: number, share: number) => 0.5 + (at - 0.5) * share;
  return {
    x1: place(x1, width),
    y1: place(y1, height),
    x2: place(x2, width),
    y2: place(y2, height),
  };
}
