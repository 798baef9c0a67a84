import { getFirst } from '../../core/required.ts';
import type { FacePlace } from '../messages.ts';
import type { FaceModel } from '../models/installed.ts';
import type { Box, DetectedFace, Landmarks, Pixels, Point } from '../types.ts';
import { computeIou } from './boxes.ts';
import { alignFace, guessLandmarks } from './alignment.ts';
import { blazeDetector } from './blazeface.ts';
import { toChannelsFirst } from './channels.ts';
import { scrfdDetector } from './scrfd.ts';
import { feed, floats, toFloats, type Session, type Sessions } from './session.ts';
import { normalize } from '../vectors/arithmetic.ts';

/** Returns the faces of a picture; places are fractions of it. */
export type FaceDetector = (picture: Pixels) => Promise<DetectedFace[]>;

export type Faces = {
  readonly detect: FaceDetector;
  readonly embed: (picture: Pixels, face: FacePlace) => Promise<Float32Array>;
};

/** Side length of the aligned faces that recognition models were trained on. */
const CROP = 112;

/** The recognition model is loaded with the first face. */
export async function openFaces(sessions: Sessions, model: FaceModel): Promise<Faces> {
  const detection = await sessions.open('faces', model.detection);
  const detect = selectDetector(detection);
  return {
    detect,
    async embed(picture, { box, landmarks }) {
      const recognition = await sessions.open('faces', model.recognition);
      const points =
        (await findLandmarks(picture, box, detect)) ?? landmarks ?? guessLandmarks(box);
      const crop = alignFace(picture, points, CROP);
      const input = toChannelsFirst(crop, {
        mean: repeatThree(model.mean),
        std: repeatThree(model.std),
      });
      const found = await feed(recognition, floats(input, [1, 3, CROP, CROP]));
      return normalize(toFloats(found[getFirst(recognition.outputs)]));
    },
  };
}

const repeatThree = (value: number) => [value, value, value];

/** Selects the detector by its outputs: BlazeFace has four, SCRFD (InsightFace) nine. */
const selectDetector = (session: Session): FaceDetector =>
  session.outputs.length === 9 ? scrfdDetector(session) : blazeDetector(session);

/** Margin around a drawn box, per side, as a fraction of it. */
const MARGIN = 0.5;

/** Overlap (intersection over union) of a face with the box that it is looked for in. */
const MIN_OVERLAP = 0.2;

/** Returns the landmarks that the detector finds in a box: nearer than in the picture, where it is coarse. */
async function findLandmarks(
  picture: Pixels,
  box: Box,
  detect: FaceDetector,
): Promise<Landmarks | undefined> {
  const part = crop(picture, widen(box));
  const toPicture = ({ x, y }: Point): Point => ({
    x: part.x + x * part.width,
    y: part.y + y * part.height,
  });
  const computeOverlap = ({ x1, y1, x2, y2 }: Box): number => {
    const [from, to] = [toPicture({ x: x1, y: y1 }), toPicture({ x: x2, y: y2 })];
    return computeIou(box, { x1: from.x, y1: from.y, x2: to.x, y2: to.y });
  };
  // A neighbour's face may be in the margin.
  const [best] = (await detect(part.pixels))
    .map((face) => ({ ...face, overlap: computeOverlap(face.box) }))
    .filter(({ overlap }) => overlap >= MIN_OVERLAP)
    .toSorted((a, b) => b.overlap - a.overlap);
  if (!best) return undefined;
  const [a, b, c, d, e] = best.landmarks;
  return [toPicture(a), toPicture(b), toPicture(c), toPicture(d), toPicture(e)];
}

function widen({ x1, y1, x2, y2 }: Box): Box {
  const [dx, dy] = [(x2 - x1) * MARGIN, (y2 - y1) * MARGIN];
  return { x1: x1 - dx, y1: y1 - dy, x2: x2 + dx, y2: y2 + dy };
}

/** Returns a part of the picture and its place as fractions. */
function crop(picture: Pixels, box: Box) {
  const left = Math.max(0, Math.floor(box.x1 * picture.width));
  const top = Math.max(0, Math.floor(box.y1 * picture.height));
  const right = Math.min(picture.width, Math.max(left + 1, Math.ceil(box.x2 * picture.width)));
  const bottom = Math.min(picture.height, Math.max(top + 1, Math.ceil(box.y2 * picture.height)));
  const [width, height] = [right - left, bottom - top];
  const data = new Uint8Array(width * height * 3);
  for (let row = 0; row < height; row++) {
    const from = ((top + row) * picture.width + left) * 3;
    data.set(picture.data.subarray(from, from + width * 3), row * width * 3);
  }
  return {
    pixels: { width, height, data },
    x: left / picture.width,
    y: top / picture.height,
    width: width / picture.width,
    height: height / picture.height,
  };
}
