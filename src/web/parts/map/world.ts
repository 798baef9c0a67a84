import coarseUrl from 'world-atlas/countries-50m.json' with { type: 'file' };
import fineUrl from 'world-atlas/countries-10m.json' with { type: 'file' };
import {
  type Arc,
  type Ring,
  type Shape,
  type Transform,
  toLine,
  toRing,
  toShape,
  unroll,
} from './shapes.ts';

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

/** TopoJSON: every line once; countries are rings of lines. */
type Geometry = { readonly properties: { readonly name: string } } & (
  | { readonly type: 'Polygon'; readonly arcs: readonly Ring[] }
  | { readonly type: 'MultiPolygon'; readonly arcs: readonly (readonly Ring[])[] }
);
type Topology = {
  readonly transform: Transform;
  readonly arcs: readonly Arc[];
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

function toShapes(topology: Topology): World {
  const lines = topology.arcs.map((arc) => toLine(arc, topology.transform));
  const uses = new Map<number, number>();
  const land: Shape[] = [];
  const countries: Country[] = [];
  for (const geometry of topology.objects.countries.geometries) {
    const polygons = geometry.type === 'Polygon' ? [geometry.arcs] : geometry.arcs;
    let widest: Shape | undefined;
    for (const rings of polygons) {
      for (const arc of rings.flat()) {
        const index = arc < 0 ? ~arc : arc;
        uses.set(index, (uses.get(index) ?? 0) + 1);
      }
      const shape = toShape(rings.map((ring) => toRing(lines, ring)));
      land.push(shape);
      if (!widest || computeArea(shape) > computeArea(widest)) widest = shape;
    }
    if (widest) countries.push(toCountry(geometry.properties.name, widest));
  }
  const named = (count: (times: number) => boolean) =>
    lines.filter((_, index) => count(uses.get(index) ?? 0)).map((line) => toShape([unroll(line)]));
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
