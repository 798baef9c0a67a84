import type { StoredBox } from '../../db/tables/people.ts';
import type { BoundingBox } from './schemas.ts';

export { type PersonView, toPerson } from '../assets/index.ts';

/** Returns the box in pixels of its picture, clipped to what edits have left of it. */
export function toBox({ x1, y1, x2, y2, imageWidth, imageHeight }: StoredBox): BoundingBox {
  const within = (part: number, pixels: number) =>
    Math.round(Math.min(1, Math.max(0, part)) * pixels);
  const left = Math.min(within(x1, imageWidth), imageWidth - 1);
  const top = Math.min(within(y1, imageHeight), imageHeight - 1);
  return {
    x: left,
    y: top,
    width: Math.max(1, within(x2, imageWidth) - left),
    height: Math.max(1, within(y2, imageHeight) - top),
    imageWidth,
    imageHeight,
  };
}

/** Returns the box as fractions; undefined when it does not lie inside the picture. */
export function fromBox(box: BoundingBox): StoredBox | undefined {
  const { x, y, width, height, imageWidth, imageHeight } = box;
  if (x < 0 || y < 0 || width < 1 || height < 1) return undefined;
  if (x + width > imageWidth || y + height > imageHeight) return undefined;
  return {
    x1: x / imageWidth,
    y1: y / imageHeight,
    x2: (x + width) / imageWidth,
    y2: (y + height) / imageHeight,
    imageWidth,
    imageHeight,
  };
}

/** Returns only the box members, in a fixed order, so that boxes can be compared as JSON. */
export const pickBox = ({ x1, y1, x2, y2, imageWidth, imageHeight }: StoredBox): StoredBox => ({
  x1,
  y1,
  x2,
  y2,
  imageWidth,
  imageHeight,
});

export const isSameBox = (one: StoredBox, other: StoredBox): boolean =>
  JSON.stringify(pickBox(one)) === JSON.stringify(pickBox(other));
