import { get, patch, post } from '../api.ts';
import type { AssetFace, FaceCorrection, FaceSource } from '../../areas/faces/schemas.ts';

export type { AssetFace, FaceSource };
/** Parts of the picture's width and height, from its upper left corner. */
export type Place = { x: number; y: number; width: number; height: number };

export const fetchFaces = (id: string): Promise<AssetFace[]> =>
  get('/faces', { id, withHidden: true });
export const fetchSource = (id: string): Promise<FaceSource> => get('/faces/source', { id });

export const placeOf = (face: AssetFace): Place => ({
  x: face.boundingBoxX1 / face.imageWidth,
  y: face.boundingBoxY1 / face.imageHeight,
  width: (face.boundingBoxX2 - face.boundingBoxX1) / face.imageWidth,
  height: (face.boundingBoxY2 - face.boundingBoxY1) / face.imageHeight,
});

function boxOf(place: Place, { imageWidth, imageHeight }: FaceSource) {
  const [x, y] = [Math.round(place.x * imageWidth), Math.round(place.y * imageHeight)];
  return {
    x,
    y,
    imageWidth,
    imageHeight,
    width: Math.max(1, Math.min(imageWidth - x, Math.round(place.width * imageWidth))),
    height: Math.max(1, Math.min(imageHeight - y, Math.round(place.height * imageHeight))),
  };
}

export const drawFace = (source: FaceSource, place: Place, personId: string): Promise<AssetFace> =>
  post('/faces', {
    assetId: source.assetId,
    personId,
    expectedSourceRevision: source.revision,
    ...boxOf(place, source),
  });

type Change = Pick<FaceCorrection, 'personId' | 'isHidden'>;

/** Refused if somebody else changed the face or the picture meanwhile. */
export const changeFace = (face: AssetFace, change: Change): Promise<AssetFace> =>
  patch(`/faces/${face.id}`, { expectedRevision: face.revision, ...change });
export const moveFace = (face: AssetFace, source: FaceSource, place: Place): Promise<AssetFace> =>
  patch(`/faces/${face.id}`, {
    expectedRevision: face.revision,
    expectedSourceRevision: source.revision,
    box: boxOf(place, source),
  });

const SMALLEST = 0.01;
const within = (value: number, low: number, high: number) => Math.max(low, Math.min(high, value));

/** Moved as a whole, as far as the picture goes. */
export const shifted = (place: Place, dx: number, dy: number): Place => ({
  ...place,
  x: within(place.x + dx, 0, 1 - place.width),
  y: within(place.y + dy, 0, 1 - place.height),
});

/** With another lower right corner. */
export const resized = (place: Place, dx: number, dy: number): Place => ({
  ...place,
  width: within(place.width + dx, SMALLEST, 1 - place.x),
  height: within(place.height + dy, SMALLEST, 1 - place.y),
});

export const between = (a: { x: number; y: number }, b: { x: number; y: number }): Place => ({
  x: within(Math.min(a.x, b.x), 0, 1),
  y: within(Math.min(a.y, b.y), 0, 1),
  width: Math.abs(within(a.x, 0, 1) - within(b.x, 0, 1)),
  height: Math.abs(within(a.y, 0, 1) - within(b.y, 0, 1)),
});
