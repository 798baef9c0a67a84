import type { Size } from './sizes.ts';

export type Box = {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
};

/** One edit of a picture; crops are in pixels of the upright picture. */
export type Edit =
  | { readonly action: 'crop'; readonly parameters: Box }
  /** Clockwise, in degrees: 0, 90, 180 or 270. */
  | { readonly action: 'rotate'; readonly parameters: { readonly angle: number } }
  /** 'horizontal' swaps left and right. */
  | {
      readonly action: 'mirror';
      readonly parameters: { readonly axis: 'horizontal' | 'vertical' };
    };

/** All edits combined: crop, then mirror, then rotate. */
export type Transform = {
  readonly crop: Box | undefined;
  readonly mirrored: boolean;
  /** Clockwise. */
  readonly degrees: 0 | 90 | 180 | 270;
};

/**
 * Combines edits. A crop comes first; any sequence of rotations and mirrors equals one mirror and
 * one rotation.
 */
export function computeTransform(edits: readonly Edit[]): Transform {
  let crop: Box | undefined;
  let mirrored = false;
  let degrees = 0;
  for (const edit of edits) {
    if (edit.action === 'crop') crop = edit.parameters;
    else if (edit.action === 'rotate') degrees += edit.parameters.angle;
    else {
      // A mirror after a turn is the turn the other way after the mirror.
      mirrored = !mirrored;
      degrees = (edit.parameters.axis === 'vertical' ? 180 : 0) - degrees;
    }
  }
  const turn = (((degrees % 360) + 360) % 360) as Transform['degrees'];
  return { crop, mirrored, degrees: turn };
}

/** Returns the size of the edited picture. */
export function computeEditedSize(source: Size, edits: readonly Edit[]): Size {
  const { crop, degrees } = computeTransform(edits);
  const { width, height } = crop ?? source;
  return degrees % 180 === 0 ? { width, height } : { width: height, height: width };
}

/** Scales a box to another size of the picture; at least a pixel, and inside. */
export function scaleBox(box: Box, from: Size, to: Size): Box {
  const along = (start: number, length: number, of: number, by: number) => {
    const first = Math.min(by - 1, Math.round((start / of) * by));
    const end = Math.min(by, Math.max(first + 1, Math.round(((start + length) / of) * by)));
    return [first, end - first] as const;
  };
  const [x, width] = along(box.x, box.width, from.width, to.width);
  const [y, height] = along(box.y, box.height, from.height, to.height);
  return { x, y, width, height };
}

export type Point = { readonly x: number; readonly y: number };

/**
 * Maps a point between two edited versions of a photo, as fractions. Cropped points lie outside of
 * 0 to 1 and can be mapped back.
 */
export function transformPoint(
  point: Point,
  { source, from, to }: { source: Size; from: readonly Edit[]; to: readonly Edit[] },
): Point {
  return editedPoint(
    uneditedPoint(point, source, computeTransform(from)),
    source,
    computeTransform(to),
  );
}

function uneditedPoint({ x, y }: Point, source: Size, transform: Transform): Point {
  const turnedBack = { 0: [x, y], 90: [y, 1 - x], 180: [1 - x, 1 - y], 270: [1 - y, x] } as const;
  const [across, v] = turnedBack[transform.degrees];
  const u = transform.mirrored ? 1 - across : across;
  const { crop } = transform;
  if (!crop) return { x: u, y: v };
  return {
    x: (crop.x + u * crop.width) / source.width,
    y: (crop.y + v * crop.height) / source.height,
  };
}

function editedPoint({ x, y }: Point, source: Size, { crop, mirrored, degrees }: Transform): Point {
  const across = crop ? (x * source.width - crop.x) / crop.width : x;
  const v = crop ? (y * source.height - crop.y) / crop.height : y;
  const u = mirrored ? 1 - across : across;
  const [turnedX, turnedY] = (
    { 0: [u, v], 90: [1 - v, u], 180: [1 - u, 1 - v], 270: [v, 1 - u] } as const
  )[degrees];
  return { x: turnedX, y: turnedY };
}
