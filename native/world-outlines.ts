import countries from 'world-atlas/countries-50m.json' with { type: 'json' };
import { requireValue } from '../src/core/required.ts';

// Natural Earth, in the public domain, as maps of other clients read it: GeoJSON.

type Position = [longitude: number, latitude: number];
type Ring = readonly number[];
type Topology = {
  readonly transform: { readonly scale: Position; readonly translate: Position };
  /** Lines as differences of whole numbers, each used by all countries along it. */
  readonly arcs: readonly (readonly Position[])[];
  readonly objects: {
    readonly countries: {
      readonly geometries: readonly {
        readonly properties: { readonly name: string };
        readonly type: 'Polygon' | 'MultiPolygon';
        readonly arcs: readonly Ring[] | readonly (readonly Ring[])[];
      }[];
    };
  };
};

/** A feature collection with one feature per country; to about a kilometre. */
export function worldOutlines(): string {
  const { transform, arcs, objects } = countries as unknown as Topology;
  const lines = arcs.map((arc) => toLine(arc, transform));
  const toRing = (ring: Ring) =>
    ring.flatMap((index, at) => {
      const line = requireValue(lines[index < 0 ? ~index : index], 'line of a country');
      const positions = index < 0 ? line.toReversed() : line;
      // Lines meet in a point that both have.
      return at === 0 ? positions : positions.slice(1);
    });
  const features = objects.countries.geometries.map(({ type, properties, arcs: rings }) => ({
    type: 'Feature',
    properties: { name: properties.name },
    geometry: {
      type,
      coordinates:
        type === 'Polygon'
          ? (rings as readonly Ring[]).map(toRing)
          : (rings as readonly (readonly Ring[])[]).map((polygon) => polygon.map(toRing)),
    },
  }));
  return JSON.stringify({ type: 'FeatureCollection', features });
}

function toLine(arc: readonly Position[], { scale, translate }: Topology['transform']): Position[] {
  let [x, y] = [0, 0];
  return arc.map(([dx, dy]) => {
    x += dx;
    y += dy;
    return [rounded(x * scale[0] + translate[0]), rounded(y * scale[1] + translate[1])];
  });
}

const rounded = (degrees: number): number => Math.round(degrees * 100) / 100;
