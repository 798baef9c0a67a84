import type { ImmichAsset } from '../imports/index.ts';

/** A face with a name, by its edges from 0 to 1 of the displayed picture. */
export type NamedFace = {
  readonly assetId: string;
  readonly name: string;
  readonly x1: number;
  readonly y1: number;
  readonly x2: number;
  readonly y2: number;
};

/** Characters of a name, and faces of a photo, that are kept: the other server may send anything. */
const NAME_LENGTH = 200;
const MOST_FACES = 200;

/** Returns the faces with names that the other server has found in an asset, which is `assetId` here. */
export function listNamedFaces(assetId: string, { people }: ImmichAsset): NamedFace[] {
  const found = (people ?? []).flatMap(({ name: text, isHidden, faces }) => {
    const name = text.replaceAll('\0', '').trim().slice(0, NAME_LENGTH);
    return (name === '' || isHidden ? [] : (faces ?? [])).map((face) => ({
      assetId,
      name,
      x1: face.boundingBoxX1 / face.imageWidth,
      y1: face.boundingBoxY1 / face.imageHeight,
      x2: face.boundingBoxX2 / face.imageWidth,
      y2: face.boundingBoxY2 / face.imageHeight,
    }));
  });
  return found.filter(isBox).slice(0, MOST_FACES);
}

const isBox = ({ x1, y1, x2, y2 }: NamedFace): boolean =>
  [x1, y1, x2, y2].every(Number.isFinite) && x1 < x2 && y1 < y2;
