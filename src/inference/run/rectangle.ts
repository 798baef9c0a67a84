/** In pixels. */
export type Place = readonly [x: number, y: number];

/** A rectangle that may be turned: from `from` to `to` along the unit vector, and across it. */
export type Rectangle = {
  readonly along: Place;
  readonly from: number;
  readonly to: number;
  readonly near: number;
  readonly far: number;
};

/** The smallest rectangle around points, at any angle; undefined for points on a line. */
export function smallestRectangle(points: readonly Place[]): Rectangle | undefined {
  const hull = computeHull(points);
  const [first] = hull;
  if (!first) return undefined;
  let best: Rectangle | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const [index, start] of hull.entries()) {
    const end = hull[index + 1] ?? first;
    const length = Math.hypot(end[0] - start[0], end[1] - start[1]);
    if (length === 0) continue;
    const found = fitAround(hull, [(end[0] - start[0]) / length, (end[1] - start[1]) / length]);
    const area = (found.to - found.from) * (found.far - found.near);
    if (area >= least) continue;
    least = area;
    best = found;
  }
  return best;
}

function fitAround(hull: readonly Place[], along: Place): Rectangle {
  const [ux, uy] = along;
  const lengths = hull.map(([x, y]) => x * ux + y * uy);
  const depths = hull.map(([x, y]) => y * ux - x * uy);
  return {
    along,
    from: Math.min(...lengths),
    to: Math.max(...lengths),
    near: Math.min(...depths),
    far: Math.max(...depths),
  };
}

/** Grown by so much on each side. */
export const grow = (box: Rectangle, by: number): Rectangle => ({
  ...box,
  from: box.from - by,
  to: box.to + by,
  near: box.near - by,
  far: box.far + by,
});

export const getSides = ({ from, to, near, far }: Rectangle) =>
  ({ length: to - from, depth: far - near }) as const;

/** Top left, top right, bottom right, bottom left, as seen in the picture. */
export function toCorners({ along: [ux, uy], from, to, near, far }: Rectangle) {
  const at = (length: number, depth: number): Place => [
    length * ux - depth * uy,
    length * uy + depth * ux,
  ];
  const all = [at(from, near), at(to, near), at(to, far), at(from, far)];
  const [a, b, c, d] = all.toSorted((p, q) => p[0] - q[0]) as [Place, Place, Place, Place];
  const [topLeft, bottomLeft] = a[1] <= b[1] ? [a, b] : [b, a];
  const [topRight, bottomRight] = c[1] <= d[1] ? [c, d] : [d, c];
  return [topLeft, topRight, bottomRight, bottomLeft] as const;
}

/** The corners of the convex hull, around it (Andrew's monotone chain). */
function computeHull(points: readonly Place[]): Place[] {
  const sorted = points.toSorted((a, b) => a[0] - b[0] || a[1] - b[1]);
  const half = (list: readonly Place[]) => {
    const chain: Place[] = [];
    for (const point of list) {
      while (!turnsLeft(chain, point)) chain.pop();
      chain.push(point);
    }
    return chain.slice(0, -1);
  };
  return [...half(sorted), ...half(sorted.toReversed())];
}

/** Returns whether the chain is still convex with the point at its end. */
function turnsLeft(chain: readonly Place[], point: Place): boolean {
  const [before, last] = [chain.at(-2), chain.at(-1)];
  return !before || !last || crossProduct(before, last, point) > 0;
}

/** Above 0: from a over b to c is a turn to the left. */
const crossProduct = (a: Place, b: Place, c: Place) =>
  (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
