import { get, patch, post } from '../../base/api.ts';
import { mutate } from '../../base/query-client.ts';
import { keys } from '../query-keys.ts';
import type { AssetFace, FaceCorrection, FaceSource } from '../../../areas/faces/schemas.ts';

export type { AssetFace, FaceSource };
/** Parts of the picture's width and height, from its upper left corner. */
export type Place = { x: number; y: number; width: number; height: number };

export const fetchFaces = (id: string): Promise<AssetFace[]> =>
  get('/faces', { id, withHidden: true });
export const fetchSource = (id: string): Promise<FaceSource> => get('/faces/source', { id });

export const getPlace = (face: AssetFace): Place => ({
  x: face.boundingBoxX1 / face.imageWidth,
  y: face.boundingBoxY1 / face.imageHeight,
  width: (face.boundingBoxX2 - face.boundingBoxX1) / face.imageWidth,
  height: (face.boundingBoxY2 - face.boundingBoxY1) / face.imageHeight,
});

function toPixels(place: Place, { imageWidth, imageHeight }: FaceSource) {
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

const FACES = { invalidates: [keys.faces, keys.people, keys.results] };

export const drawFace = (source: FaceSource, place: Place, personId: string): Promise<AssetFace> =>
  mutate(
    () =>
      post('/faces', {
        assetId: source.assetId,
        personId,
        expectedSourceRevision: source.revision,
        ...toPixels(place, source),
      }),
    FACES,
  );

type Change = Pick<FaceCorrection, 'personId' | 'isHidden'>;

/** Rejects with status 409 if the face has changed since it was read. */
export const changeFace = (face: AssetFace, change: Change): Promise<AssetFace> =>
  mutate(() => patch(`/faces/${face.id}`, { expectedRevision: face.revision, ...change }), FACES);
/** Rejects with status 409 if the face or its picture has changed since it was read. */
export const moveFace = (face: AssetFace, source: FaceSource, place: Place): Promise<AssetFace> =>
  mutate(
    () =>
      patch(`/faces/${face.id}`, {
        expectedRevision: face.revision,
        expectedSourceRevision: source.revision,
        box: toPixels(place, source),
      }),
    FACES,
  );

const SMALLEST = 0.01;
const clamp = (value: number, low: number, high: number) => Math.max(low, Math.min(high, value));

/** Returns the place moved by parts of the picture's size, clamped to the picture. */
export const movePlace = (place: Place, dx: number, dy: number): Place => ({
  ...place,
  x: clamp(place.x + dx, 0, 1 - place.width),
  y: clamp(place.y + dy, 0, 1 - place.height),
});

/** Returns the place with its lower right corner moved, clamped to the picture. */
export const resizePlace = (place: Place, dx: number, dy: number): Place => ({
  ...place,
  width: clamp(place.width + dx, SMALLEST, 1 - place.x),
  height: clamp(place.height + dy, SMALLEST, 1 - place.y),
});

export const getPlaceBetween = (
  a: { x: number; y: number },
  b: { x: number; y: number },
): Place => ({
  x: clamp(Math.min(a.x, b.x), 0, 1),
  y: clamp(Math.min(a.y, b.y), 0, 1),
  width: Math.abs(clamp(a.x, 0, 1) - clamp(b.x, 0, 1)),
  height: Math.abs(clamp(a.y, 0, 1) - clamp(b.y, 0, 1)),
});
