import { requireValue } from '../../core/required.ts';
import type { DetectedFace, Landmarks, Pixels, Point } from '../types.ts';
import { clipBox, suppressOverlaps } from './boxes.ts';
import type { FaceDetector } from './faces.ts';
import { toChannelsLast } from './channels.ts';
import { letterbox, type Letterboxed } from './picture.ts';
import { feed, floats, toFloats, type Session } from './session.ts';

const SIDE = 256;
const LEAST_SCORE = 0.5;
const MOST_OVERLAP = 0.3;
const NUMBERS_PER_BOX = 16;
/** Two boxes per cell of the finer grid, six of the coarser one. */
const GRIDS = [
  { cells: 16, perCell: 2 },
  { cells: 8, perCell: 6 },
] as const;
/** Half the mouth's width as a share of the eyes' distance: the model gives the middle only. */
const HALF_MOUTH = 0.414;

const NORMAL = { mean: [127.5, 127.5, 127.5], std: [127.5, 127.5, 127.5] };

/** A face with a side of so large a share of the picture is seen without its surroundings. */
const FILLS = 0.4;
/** Share of the square that a picture takes, so that such a face gets surroundings. */
const SMALLER = 0.5;

/**
 * MediaPipe's detector for the camera at the back of a phone. It knows faces with something around them: it
 * looks at portraits, and at pictures where it finds nobody, once more with a black border.
 */
export function blazeDetector(session: Session): FaceDetector {
  const look = createLook(session);
  const fills = ({ box }: DetectedFace) => Math.max(box.x2 - box.x1, box.y2 - box.y1) >= FILLS;
  return async (picture) => {
    const found = await look(picture, 1);
    if (found.length > 0 && !found.some(fills)) return found;
    const large = (await look(picture, SMALLER)).filter(fills);
    if (large.length === 0) return found;
    return suppressOverlaps([...large, ...found.filter((face) => !fills(face))], MOST_OVERLAP);
  };
}

/** Returns a function that finds faces in a picture that takes `share` of the model's square. */
function createLook(session: Session) {
  return async (picture: Pixels, share: number): Promise<DetectedFace[]> => {
    const input = await letterbox(picture, SIDE, share);
    const found = await feed(session, floats(toChannelsLast(input, NORMAL), [1, SIDE, SIDE, 3]));
    const outputs = Object.values(found);
    const faces = GRIDS.flatMap((grid) => {
      const count = grid.cells * grid.cells * grid.perCell;
      const of = (numbers: number) =>
        toFloats(outputs.find(({ dims }) => dims[1] === count && dims[2] === numbers));
      return decode(grid, of(1), of(NUMBERS_PER_BOX), input);
    });
    return suppressOverlaps(faces, MOST_OVERLAP);
  };
}

function decode(
  { cells, perCell }: (typeof GRIDS)[number],
  scores: Float32Array,
  boxes: Float32Array,
  { fillX, fillY, left, top }: Letterboxed,
): DetectedFace[] {
  const faces: DetectedFace[] = [];
  for (const [index, logit] of scores.entries()) {
    const score = 1 / (1 + Math.exp(-logit));
    if (score < LEAST_SCORE) continue;
    const cell = Math.floor(index / perCell);
    const [centreX, centreY] = [
      ((cell % cells) + 0.5) / cells,
      (Math.floor(cell / cells) + 0.5) / cells,
    ];
    const own = boxes.subarray(index * NUMBERS_PER_BOX, (index + 1) * NUMBERS_PER_BOX);
    const number = (at: number) => requireValue(own[at], 'number of a box') / SIDE;
    const point = (at: number): Point => ({
      x: (centreX + number(at) - left) / fillX,
      y: (centreY + number(at + 1) - top) / fillY,
    });
    const [middle, width, height] = [point(0), number(2) / fillX, number(3) / fillY];
    const box = clipBox({
      x1: middle.x - width / 2,
      y1: middle.y - height / 2,
      x2: middle.x + width / 2,
      y2: middle.y + height / 2,
    });
    if (box.x2 <= box.x1 || box.y2 <= box.y1) continue;
    faces.push({ box, score, landmarks: toLandmarks(point(4), point(6), point(8), point(10)) });
  }
  return faces;
}

function toLandmarks(left: Point, right: Point, nose: Point, mouth: Point): Landmarks {
  const [dx, dy] = [(right.x - left.x) * HALF_MOUTH, (right.y - left.y) * HALF_MOUTH];
  const corner = (side: number): Point => ({ x: mouth.x + side * dx, y: mouth.y + side * dy });
  return [left, right, nose, corner(-1), corner(1)];
}
