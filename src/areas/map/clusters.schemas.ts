import { t } from 'elysia';
import { BoundingBox, Uuid } from '../../http/schemas.ts';
import { AssetResponseDto } from '../assets/index.ts';
import { MARKER_FILTER } from './schemas.ts';

const CLUSTER_FILTER = {
  ...MARKER_FILTER,
  /** Leaves the items that this album shows, archived ones included, whoever owns them. */
  albumId: t.Optional(Uuid),
};

const Zoom = t.Integer({ minimum: 0, maximum: 20 });

export const ClustersQuery = t.Object({
  ...CLUSTER_FILTER,
  /** A west greater than east crosses the date line. */
  bbox: BoundingBox,
  /** The zoom of a map that is 256 px wide at 0 and doubles with each. */
  zoom: t.Integer({ minimum: 0, maximum: 20 }),
});
export type ClustersFilter = typeof ClustersQuery.static;

const MapClusterDto = t.Object(
  {
    /** level/x/y, the cell's id for listing its assets. */
    cell: t.String(),
    count: t.Integer({ minimum: 1 }),
    /** A picture that stands for all, and where it was taken; null when it has just gone. */
    id: t.Nullable(Uuid),
    lat: t.Number(),
    lon: t.Number(),
    thumbhash: t.Nullable(t.String()),
  },
  { title: 'MapClusterDto' },
);
export const MapClustersResponseDto = t.Object(
  { level: Zoom, clusters: t.Array(MapClusterDto) },
  { title: 'MapClustersResponseDto' },
);
export type Clusters = typeof MapClustersResponseDto.static;

export const CellQuery = t.Object({
  ...CLUSTER_FILTER,
  cell: t.String({ pattern: '^\\d{1,2}/\\d{1,7}/\\d{1,7}$' }),
  cursor: t.Optional(t.String({ maxLength: 200 })),
  size: t.Optional(t.Integer({ minimum: 1, maximum: 1000 })),
});
export type CellFilter = typeof CellQuery.static;

export const MapAssetsResponseDto = t.Object(
  { items: t.Array(AssetResponseDto), nextCursor: t.Nullable(t.String()) },
  { title: 'MapAssetsResponseDto' },
);
export type CellAssets = typeof MapAssetsResponseDto.static;

const Place = t.Integer({ minimum: 0 });
export const TileParams = t.Object({
  level: t.Integer({ minimum: 0, maximum: 20 }),
  x: Place,
  y: Place,
});

export const MapTownDto = t.Object(
  {
    name: t.String(),
    lat: t.Number(),
    lon: t.Number(),
    population: t.Integer({ minimum: 0 }),
  },
  { title: 'MapTownDto' },
);
export type Town = typeof MapTownDto.static;
