import type { Point } from './edits.ts';
import type { Size } from './sizes.ts';

// A picture is straightened by a turn around its middle, of which the largest upright part with the ratio of the
// picture is kept. Angles are degrees, clockwise.

/** Returns how much of width and height is kept, from 0.4 to 1. */
export function computeStraightenScale({ width, height }: Size, degrees: number): number {
  const angle = (Math.abs(degrees) * Math.PI) / 180;
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  return Math.min(width / (width * cos + height * sin), height / (width * sin + height * cos));
}

/** Returns the size in whole pixels of a straightened picture. */
export function computeStraightenedSize(size: Size, degrees: number): Size {
  if (degrees === 0) return size;
  const scale = computeStraightenScale(size, degrees);
  return {
    width: Math.max(1, Math.round(size.width * scale)),
    height: Math.max(1, Math.round(size.height * scale)),
  };
}

/** Maps a point of a picture of `size`, as fractions, into the straightened one. May lie outside of 0 to 1. */
export function straightenPoint(point: Point, size: Size, degrees: number): Point {
  if (degrees === 0) return point;
  const turned = turnAround(
    { x: (point.x - 0.5) * size.width, y: (point.y - 0.5) * size.height },
    degrees,
  );
  const { width, height } = computeStraightenedSize(size, degrees);
  return { x: turned.x / width + 0.5, y: turned.y / height + 0.5 };
}

/** The reverse of `straightenPoint`: `size` is that of the picture before it is straightened. */
export function unstraightenPoint(point: Point, size: Size, degrees: number): Point {
  if (degrees === 0) return point;
  const { width, height } = computeStraightenedSize(size, degrees);
  const turned = turnAround({ x: (point.x - 0.5) * width, y: (point.y - 0.5) * height }, -degrees);
  return { x: turned.x / size.width + 0.5, y: turned.y / size.height + 0.5 };
}

function turnAround({ x, y }: Point, degrees: number): Point {
  const angle = (degrees * Math.PI) / 180;
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  return { x: x * cos - y * sin, y: x * sin + y * cos };
}
