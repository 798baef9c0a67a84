import { toName } from '../../core/fold-text.ts';
import type { ImmichAsset } from '../imports/index.ts';

/** A face with a name, by its edges from 0 to 1 of the displayed picture. */
export type NamedFace = {
  readonly assetId: string;
  readonly name: string;
  readonly x1: number;
  readonly y1: number;
  readonly x2: number;
  readonly y2: number;
  /** Somebody has drawn it by hand: no model may find it. */
  readonly isDrawn: boolean;
  /** Birth date of the person, as 1990-05-17. */
  readonly birthDate: string | null;
};

/** Characters of a name, and faces of a photo, that are kept: the other server may send anything. */
const NAME_LENGTH = 200;
const MOST_FACES = 200;
/** Characters of 1990-05-17. */
const DAY_LENGTH = 10;

/** Returns the faces with names that the other server has found in an asset, which is `assetId` here. */
export function listNamedFaces(assetId: string, { people }: ImmichAsset): NamedFace[] {
  const found = (people ?? []).flatMap(({ name: text, birthDate, isHidden, faces }) => {
    const name = toName(text.replaceAll('\0', '')).slice(0, NAME_LENGTH);
    return (name === '' || isHidden ? [] : (faces ?? [])).map((face) => ({
      assetId,
      name,
      x1: face.boundingBoxX1 / face.imageWidth,
      y1: face.boundingBoxY1 / face.imageHeight,
      x2: face.boundingBoxX2 / face.imageWidth,
      y2: face.boundingBoxY2 / face.imageHeight,
      isDrawn: face.sourceType === 'manual',
      birthDate: toDay(birthDate),
    }));
  });
  return found.filter(isBox).slice(0, MOST_FACES);
}

/** Returns a day that the calendar has; the other server may send anything. */
function toDay(text: string | null | undefined): string | null {
  const day = text?.slice(0, DAY_LENGTH) ?? '';
  const date = new Date(`${day}T00:00:00Z`);
  const isDay = /^\d{4}-\d\d-\d\d$/.test(day) && !Number.isNaN(date.getTime());
  return isDay && date <= new Date() && date.toISOString().startsWith(day) ? day : null;
}

const isBox = ({ x1, y1, x2, y2 }: NamedFace): boolean =>
  [x1, y1, x2, y2].every(Number.isFinite) && x1 < x2 && y1 < y2;
