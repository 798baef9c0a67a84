import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { keys } from '../query-keys.ts';
import { queryClient } from '../../base/query-client.ts';
import { fetchClusters, fetchTowns, listTownTiles, type MapFilter, type Town } from './map-data.ts';
import type { Size, View } from './projection.ts';

/** Panning leaves many views behind. */
const UNUSED_MS = 30_000;
/** Towns do not move. */
const UNUSED_TOWNS_MS = 10 * 60_000;

/** The clusters of a box of degrees, 'west,south,east,north', at a zoom level. */
export const clustersQuery = (bbox: string, zoom: number, filter: MapFilter) =>
  queryOptions({
    queryKey: [...keys.map, { bbox, zoom, filter }],
    queryFn: ({ signal }) => fetchClusters(bbox, zoom, filter, signal),
    gcTime: UNUSED_MS,
    // The clusters of the last view stay until those of this one are here.
    placeholderData: keepPreviousData,
  });

/** The towns of one tile, 'level/x/y'. */
const townsQuery = (tile: string) =>
  queryOptions({
    queryKey: [...keys.towns, tile],
    queryFn: () => fetchTowns(tile),
    staleTime: Infinity,
    gcTime: UNUSED_TOWNS_MS,
  });

/** Loads the towns that a view shows, the largest first. */
export async function loadTowns(view: View, size: Size): Promise<Town[]> {
  const tiles = listTownTiles(view, size);
  const towns = await Promise.all(tiles.map((tile) => queryClient.fetchQuery(townsQuery(tile))));
  return towns.flat().toSorted((a, b) => b.population - a.population);
}
