import type { DetectedFace, Landmarks, Point } from '../types.ts';
import { clipBox, suppressOverlaps } from './boxes.ts';
import type { FaceDetector } from './faces.ts';
import { toChannelsFirst } from './channels.ts';
import { letterbox } from './picture.ts';
import { feed, floats, toFloats, type Session } from './session.ts';

const SIDE = 640;
const STRIDES = [8, 16, 32] as const;
const PER_CELL = 2;
const LEAST_SCORE = 0.5;
const MOST_OVERLAP = 0.4;
const NORMAL = { mean: [127.5, 127.5, 127.5], std: [128, 128, 128] };

/** InsightFace's detector, as in buffalo_l: scores, boxes and points of each grid, by its length. */
export function scrfdDetector(session: Session): FaceDetector {
  return async (picture) => {
    const input = await letterbox(picture, SIDE);
    const found = await feed(session, floats(toChannelsFirst(input, NORMAL), [1, 3, SIDE, SIDE]));
    const outputs = Object.values(found);
    const faces = STRIDES.flatMap((stride) => {
      const count = (SIDE / stride) ** 2 * PER_CELL;
      const of = (numbers: number) =>
        toFloats(outputs.find(({ dims }) => dims.at(-2) === count && dims.at(-1) === numbers));
      return decode(stride, { scores: of(1), boxes: of(4), points: of(10) }, input);
    });
    return suppressOverlaps(faces, MOST_OVERLAP);
  };
}

type Grid = {
  readonly scores: Float32Array;
  readonly boxes: Float32Array;
  readonly points: Float32Array;
};

/** Distances from the anchor of the cell, in strides. */
function decode(
  stride: number,
  { scores, boxes, points }: Grid,
  { fillX, fillY }: { readonly fillX: number; readonly fillY: number },
): DetectedFace[] {
  const cells = SIDE / stride;
  const faces: DetectedFace[] = [];
  for (const [index, score] of scores.entries()) {
    if (score < LEAST_SCORE) continue;
    const cell = Math.floor(index / PER_CELL);
    const [anchorX, anchorY] = [cell % cells, Math.floor(cell / cells)];
    const x = (distance: number) => ((anchorX + distance) * stride) / SIDE / fillX;
    const y = (distance: number) => ((anchorY + distance) * stride) / SIDE / fillY;
    const box = boxes.subarray(index * 4, index * 4 + 4);
    const point = (at: number): Point => ({
      x: x(points[index * 10 + 2 * at]!),
      y: y(points[index * 10 + 2 * at + 1]!),
    });
    const landmarks: Landmarks = [point(0), point(1), point(2), point(3), point(4)];
    faces.push({
      box: clipBox({ x1: x(-box[0]!), y1: y(-box[1]!), x2: x(box[2]!), y2: y(box[3]!) }),
      score,
      landmarks,
    });
  }
  return faces;
}
