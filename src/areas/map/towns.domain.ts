import { invalidField } from '../../core/errors.ts';
import { loadPlaces } from '../../media/places.ts';
import type { PlaceTable } from '../../media/place-table.ts';
import type { Town } from './clusters.schemas.ts';
import { cornersOf } from './cells.ts';

const TOWNS_PER_TILE = 24;
/** Up to here tiles are large, and few: what they show is kept. */
const KEPT_LEVEL = 4;
const kept = new Map<string, Town[]>();

/** The largest towns of a tile of the map, the largest first. Without a network. */
export async function townsOf(tile: { level: number; x: number; y: number }): Promise<Town[]> {
  const cells = 2 ** tile.level;
  if (tile.x >= cells || tile.y >= cells) throw invalidField('x', 'No tile of this level');
  const key = `${tile.level}/${tile.x}/${tile.y}`;
  const known = kept.get(key);
  if (known) return known;
  const towns = largestIn(await loadPlaces(), cornersOf(tile));
  if (tile.level <= KEPT_LEVEL) kept.set(key, towns);
  return towns;
}

function largestIn(table: PlaceTable, box: ReturnType<typeof cornersOf>): Town[] {
  const { west, east, south, north } = box;
  const middle = { latitude: (south + north) / 2, longitude: (west + east) / 2 };
  const { latitudes, longitudes, populations } = table;
  // Once each: around the whole world the first column comes again.
  const found = new Set<number>();
  for (const [from, to] of table.cells(
    middle.latitude,
    middle.longitude,
    (north - south) / 2,
    (east - west) / 2,
  )) {
    for (let index = from; index < to; index++) {
      const [latitude, longitude] = [latitudes[index]! / 1e5, longitudes[index]! / 1e5];
      if (latitude > south && latitude <= north && longitude >= west && longitude < east) {
        found.add(index);
      }
    }
  }
  return [...found]
    .sort((a, b) => populations[b]! - populations[a]!)
    .slice(0, TOWNS_PER_TILE)
    .map((index) => ({
      name: table.name(index),
      lat: latitudes[index]! / 1e5,
      lon: longitudes[index]! / 1e5,
      population: populations[index]!,
    }));
}
