import { toWorld } from '../../data/map/projection.ts';

/** A line or an area of the map in coordinates of the world, and where it lies. */
export type Shape = {
  readonly path: Path2D;
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
};
/** x and y in turns. */
export type Line = Float64Array;

/** A line of TopoJSON: its first point and the differences from one to the next, in whole numbers. */
export type Arc = readonly (readonly [number, number])[];
export type Transform = {
  readonly scale: readonly [number, number];
  readonly translate: readonly [number, number];
};
/** Numbers of lines that follow each other; ~index is a line that is walked backwards. */
export type Ring = readonly number[];

export function toLine(arc: Arc, { scale, translate }: Transform): Line {
  const line = new Float64Array(arc.length * 2);
  let [across, up] = [0, 0];
  for (const [at, step] of arc.entries()) {
    across += step[0];
    up += step[1];
    const point = toWorld({
      lon: across * scale[0] + translate[0],
      lat: up * scale[1] + translate[1],
    });
    line[at * 2] = point.x;
    line[at * 2 + 1] = point.y;
  }
  return line;
}

/** Joins the lines. Joints are there once. */
export function toRing(lines: readonly Line[], ring: Ring): Line {
  const parts = ring.map((arc) => (arc < 0 ? reverse(lines[~arc]!) : lines[arc]!));
  const all = new Float64Array(parts.reduce((sum, { length }) => sum + length - 2, 2));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length - 2;
  }
  return close(unroll(all));
}

/** Over the date line it goes on beyond the edge of the world, not all the way back. */
export function unroll(line: Line): Line {
  const next = Float64Array.from(line);
  for (let at = 2; at < next.length; at += 2) {
    next[at] = next[at]! - Math.round(next[at]! - next[at - 2]!);
  }
  return next;
}

/** A ring once around the world is the coast of Antarctica: below it all is land. */
function close(ring: Line): Line {
  const [start, end] = [ring[0]!, ring[ring.length - 2]!];
  if (Math.abs(end - start) < 0.5) return ring;
  return Float64Array.of(...ring, end, 1, start, 1);
}

function reverse(line: Line): Line {
  const turned = new Float64Array(line.length);
  for (let at = 0; at < line.length; at += 2) {
    turned[at] = line[line.length - 2 - at]!;
    turned[at + 1] = line[line.length - 1 - at]!;
  }
  return turned;
}

export function toShape(lines: readonly Line[]): Shape {
  const path = new Path2D();
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const line of lines) {
    for (let at = 0; at < line.length; at += 2) {
      const [x, y] = [line[at]!, line[at + 1]!];
      if (at === 0) path.moveTo(x, y);
      else path.lineTo(x, y);
      left = Math.min(left, x);
      right = Math.max(right, x);
      top = Math.min(top, y);
      bottom = Math.max(bottom, y);
    }
  }
  return { path, left, top, right, bottom };
}
