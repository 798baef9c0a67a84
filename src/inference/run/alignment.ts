import { requireValue } from '../../core/required.ts';
import type { Box, Landmarks, Pixels, Point } from '../types.ts';
import { type Warp, warp } from './warp.ts';

/** Where eyes, nose and corners of the mouth belong in a square of 112 pixels (ArcFace's template). */
const TEMPLATE: readonly (readonly [x: number, y: number])[] = [
  [38.2946, 51.6963],
  [73.5318, 51.5014],
  [56.0252, 71.7366],
  [41.5493, 92.3655],
  [70.7299, 92.2041],
];
const TEMPLATE_SIDE = 112;
const MOST_SAMPLES = 6;

/** Returns the face rotated and scaled to the template. */
export function alignFace(picture: Pixels, landmarks: Landmarks, side: number): Pixels {
  const from = landmarks.map(({ x, y }) => [x * picture.width, y * picture.height] as const);
  const to = TEMPLATE.map(
    ([x, y]) => [(x * side) / TEMPLATE_SIDE, (y * side) / TEMPLATE_SIDE] as const,
  );
  const { a, b, x, y } = similarity(from, to);
  const scale = a * a + b * b;
  const samples = Math.max(1, Math.min(MOST_SAMPLES, Math.round(1 / Math.sqrt(scale))));
  const toPicture: Warp = (toX, toY) => {
    const [dx, dy] = [toX - x, toY - y];
    return [(a * dx + b * dy) / scale, (a * dy - b * dx) / scale];
  };
  // Recognition models are trained with black outside of the photo; a drawn-out edge looks like a face.
  return warp(picture, { width: side, height: side }, samples, toPicture, 'black');
}

type Pair = readonly [number, number];

/** Least-squares similarity transform between the points: (ax - by + x, bx + ay + y). */
function similarity(from: readonly Pair[], to: readonly Pair[]) {
  const mean = (points: readonly Pair[], axis: 0 | 1) =>
    points.reduce((sum, point) => sum + point[axis], 0) / points.length;
  const [fromX, fromY, toX, toY] = [mean(from, 0), mean(from, 1), mean(to, 0), mean(to, 1)];
  let [a, b, spread] = [0, 0, 0];
  for (const [index, point] of from.entries()) {
    const [x, y] = [point[0] - fromX, point[1] - fromY];
    const target = requireValue(to[index], 'point to align with');
    const [u, v] = [target[0] - toX, target[1] - toY];
    a += x * u + y * v;
    b += x * v - y * u;
    spread += x * x + y * y;
  }
  const by = spread || 1;
  [a, b] = [a / by, b / by];
  return { a, b, x: toX - a * fromX + b * fromY, y: toY - b * fromX - a * fromY };
}

/** Returns typical landmarks of a face that fills the box. */
export function guessLandmarks({ x1, y1, x2, y2 }: Box): Landmarks {
  const at = (x: number, y: number): Point => ({ x: x1 + (x2 - x1) * x, y: y1 + (y2 - y1) * y });
  return [at(0.3, 0.38), at(0.7, 0.38), at(0.5, 0.58), at(0.34, 0.78), at(0.66, 0.78)];
}
