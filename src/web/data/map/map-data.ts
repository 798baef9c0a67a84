import { get } from '../../base/api.ts';
import type { CellAssets, Clusters, Town } from '../../../areas/map/clusters.schemas.ts';
import { createResults } from '../search/results.ts';
import type { Timeline } from '../timeline/timeline-data.ts';
import { type Size, TILE, toWorld, type View, worldSize, wrap } from './projection.ts';

export type Cluster = Clusters['clusters'][number];
export type { Town };

/** Which photos the map shows; the parameters of the API's own query. */
export type MapFilter = {
  /** Only the photos of an album, whoever owns them. */
  readonly albumId?: string;
  readonly isFavorite?: boolean;
  readonly isArchived?: boolean;
  readonly withPartners?: boolean;
  readonly withSharedAlbums?: boolean;
  readonly fileCreatedAfter?: string;
  readonly fileCreatedBefore?: string;
};

/** The filter as the dialog and the address of the page have it. */
export type Chosen = {
  /** The id of the album whose photos are shown, '' for the library. */
  readonly album: string;
  readonly favorites: boolean;
  readonly archived: boolean;
  readonly partners: boolean;
  readonly albums: boolean;
  /** Days, '' for no bound. */
  readonly from: string;
  readonly to: string;
};

const DAY = /^\d{4}-\d\d-\d\d$/;
const parseDay = (text: string | null) => (text && DAY.test(text) ? text : '');

export const readChosen = (params: URLSearchParams): Chosen => ({
  album: params.get('album') ?? '',
  favorites: params.has('favorites'),
  archived: params.has('archived'),
  partners: !params.has('mine'),
  albums: params.has('albums'),
  from: parseDay(params.get('from')),
  to: parseDay(params.get('to')),
});

export function writeChosen(params: URLSearchParams, chosen: Chosen): void {
  const flags = {
    favorites: chosen.favorites,
    archived: chosen.archived,
    mine: !chosen.partners,
    albums: chosen.albums,
  };
  for (const [name, isOn] of Object.entries(flags)) {
    if (isOn) params.set(name, '1');
    else params.delete(name);
  }
  for (const name of ['album', 'from', 'to'] as const) {
    if (chosen[name]) params.set(name, chosen[name]);
    else params.delete(name);
  }
}

/** Counts the filters; in an album, only those that apply to it. */
export const countChosen = (chosen: Chosen): number => {
  const { album, favorites, archived, partners, albums, from, to } = chosen;
  const ofLibrary = album ? [] : [archived, !partners, albums];
  return [favorites, ...ofLibrary, from || to].filter(Boolean).length;
};

export const toFilter = ({
  album,
  favorites,
  archived,
  partners,
  albums,
  from,
  to,
}: Chosen): MapFilter => ({
  ...(favorites && { isFavorite: true }),
  ...(album
    ? { albumId: album }
    : {
        ...(archived && { isArchived: true }),
        ...(partners && { withPartners: true }),
        ...(albums && { withSharedAlbums: true }),
      }),
  ...(from && { fileCreatedAfter: new Date(`${from}T00:00:00`).toISOString() }),
  ...(to && { fileCreatedBefore: new Date(`${to}T23:59:59.999`).toISOString() }),
});

/** Cells are then 90 to 180 px wide: room for one picture each. */
export const zoomFor = (view: View): number => Math.max(0, Math.round(view.zoom) - 1);

export const fetchClusters = (
  bbox: string,
  zoom: number,
  filter: MapFilter,
  signal?: AbortSignal,
): Promise<Clusters> => get('/map/clusters', { ...filter, bbox, zoom }, signal);

export const createCellResults = (cell: string, filter: MapFilter): Timeline =>
  createResults(['map', cell, filter], async (cursor, size) => {
    const page = await get<CellAssets>('/map/assets', {
      ...filter,
      cell,
      size,
      ...(cursor && { cursor }),
    });
    return { items: page.items, next: page.nextCursor ?? undefined };
  });

export const fetchTowns = (tile: string): Promise<Town[]> => get(`/map/towns/${tile}`);

/** A tile on the screen is about so many pixels wide. */
const TOWN_TILE = 400;

/** Returns the names, 'level/x/y', of the tiles of towns that a view shows. */
export function listTownTiles(view: View, size: Size): string[] {
  const level = Math.max(0, Math.min(14, Math.round(view.zoom - Math.log2(TOWN_TILE / TILE))));
  const count = 2 ** level;
  const scale = worldSize(view.zoom);
  const [across, down] = [size.width / 2 / scale, size.height / 2 / scale];
  const toRow = (y: number) => Math.max(0, Math.min(count - 1, Math.floor(y * count)));
  const [top, bottom] = [toRow(view.y - down), toRow(view.y + down)];
  const columns = new Set<number>();
  for (
    let column = Math.floor((view.x - across) * count);
    column <= Math.floor((view.x + across) * count);
    column++
  ) {
    columns.add(Math.floor(wrap(column / count) * count));
  }
  const tiles: string[] = [];
  for (const x of columns) {
    for (let y = top; y <= bottom; y++) tiles.push(`${level}/${x}/${y}`);
  }
  return tiles;
}

const HALF_MARKER = 33;

/** Returns where the marker of a cluster is: at its picture, but inside its cell, so none covers another. */
export function getMarkerPosition(cluster: Cluster, view: View): { x: number; y: number } {
  const [level = 0, column = 0, row = 0] = cluster.cell.split('/').map(Number);
  const cells = 2 ** level;
  const edge = Math.min(0.5 / cells, HALF_MARKER / worldSize(view.zoom));
  const inside = (at: number, index: number) =>
    Math.max(index / cells + edge, Math.min((index + 1) / cells - edge, at));
  const exact = toWorld(cluster);
  return { x: inside(exact.x, column), y: inside(exact.y, row) };
}
