import coarseUrl from 'world-atlas/countries-50m.json' with { type: 'file' };
import fineUrl from 'world-atlas/countries-10m.json' with { type: 'file' };
import { toWorld } from './projection.ts';

/** A line or an area of the map in coordinates of the world, and where it lies. */
export type Shape = {
  readonly path: Path2D;
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
};
export type Country = {
  readonly name: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
};
export type World = {
  readonly land: readonly Shape[];
  /** Between two countries, and between land and sea. */
  readonly borders: readonly Shape[];
  readonly coasts: readonly Shape[];
  readonly countries: readonly Country[];
};

/** TopoJSON: every line once, as differences of whole numbers; countries are rings of lines. */
type Ring = readonly number[];
type Geometry = { readonly properties: { readonly name: string } } & (
  | { readonly type: 'Polygon'; readonly arcs: readonly Ring[] }
  | { readonly type: 'MultiPolygon'; readonly arcs: readonly (readonly Ring[])[] }
);
type Topology = {
  readonly transform: {
    readonly scale: readonly [number, number];
    readonly translate: readonly [number, number];
  };
  readonly arcs: readonly (readonly (readonly [number, number])[])[];
  readonly objects: { readonly countries: { readonly geometries: readonly Geometry[] } };
};

export type Detail = 'coarse' | 'fine';
const URLS: Record<Detail, string> = { coarse: coarseUrl, fine: fineUrl };
const loading = new Map<Detail, Promise<World>>();

/** The outlines of the world, out of the server itself: from Natural Earth, in the public domain. */
export function loadWorld(detail: Detail): Promise<World> {
  const known = loading.get(detail);
  if (known) return known;
  const world = fetch(URLS[detail])
    .then((response) => response.json() as Promise<Topology>)
    .then(toShapes);
  world.catch(() => loading.delete(detail));
  loading.set(detail, world);
  return world;
}

/** x and y in turns. */
type Line = Float64Array;

export function toShapes(topology: Topology): World {
  const lines = toLines(topology);
  const uses = new Uint8Array(lines.length);
  const land: Shape[] = [];
  const countries: Country[] = [];
  for (const geometry of topology.objects.countries.geometries) {
    const polygons = geometry.type === 'Polygon' ? [geometry.arcs] : geometry.arcs;
    let widest: Shape | undefined;
    for (const rings of polygons) {
      for (const arc of rings.flat()) uses[arc < 0 ? ~arc : arc]! += 1;
      const shape = toShape(rings.map((ring) => toRing(lines, ring)));
      land.push(shape);
      if (!widest || computeArea(shape) > computeArea(widest)) widest = shape;
    }
    if (widest) countries.push(toCountry(geometry.properties.name, widest));
  }
  const named = (count: (times: number) => boolean) =>
    lines.filter((_, index) => count(uses[index]!)).map((line) => toShape([unrolled(line)]));
  return {
    land,
    borders: named((times) => times > 1),
    coasts: named((times) => times === 1),
    countries: countries.toSorted((a, b) => b.width - a.width),
  };
}

const computeArea = ({ left, right, top, bottom }: Shape) => (right - left) * (bottom - top);

const toCountry = (name: string, { left, right, top, bottom }: Shape): Country => ({
  name,
  x: (left + right) / 2,
  y: (top + bottom) / 2,
  width: right - left,
});

function toLines({ arcs, transform }: Topology): Line[] {
  const { scale, translate } = transform;
  return arcs.map((arc) => {
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
  });
}

/** Joins the lines; ~index is a line that is walked backwards. Joints are there once. */
function toRing(lines: readonly Line[], ring: Ring): Line {
  const parts = ring.map((arc) => (arc < 0 ? backwards(lines[~arc]!) : lines[arc]!));
  const all = new Float64Array(parts.reduce((sum, { length }) => sum + length - 2, 2));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length - 2;
  }
  return closed(unrolled(all));
}

/** Over the date line it goes on beyond the edge of the world, not all the way back. */
function unrolled(line: Line): Line {
  const next = Float64Array.from(line);
  for (let at = 2; at < next.length; at += 2) {
    next[at] = next[at]! - Math.round(next[at]! - next[at - 2]!);
  }
  return next;
}

/** A ring once around the world is the coast of Antarctica: below it all is land. */
function closed(ring: Line): Line {
  const [start, end] = [ring[0]!, ring[ring.length - 2]!];
  if (Math.abs(end - start) < 0.5) return ring;
  return Float64Array.of(...ring, end, 1, start, 1);
}

function backwards(line: Line): Line {
  const turned = new Float64Array(line.length);
  for (let at = 0; at < line.length; at += 2) {
    turned[at] = line[line.length - 2 - at]!;
    turned[at + 1] = line[line.length - 1 - at]!;
  }
  return turned;
}

function toShape(lines: readonly Line[]): Shape {
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
