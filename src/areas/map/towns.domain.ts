import { invalidField } from '../../core/errors.ts';
import { loadPlaces } from '../../media/places.ts';
import type { PlaceTable } from '../../media/place-table.ts';
import type { Town } from './clusters.schemas.ts';
import { getCellBounds } from './cells.ts';

const TOWNS_PER_TILE = 24;
/** Tiles up to this level are few, and their towns are cached. */
const MAX_CACHED_LEVEL = 4;
const cachedTowns = new Map<string, Town[]>();

/**
 * Returns the largest towns of a map tile, largest first, from the bundled gazetteer. Throws 400 for a
 * tile outside the level.
 */
export async function listTowns(tile: { level: number; x: number; y: number }): Promise<Town[]> {
  const cells = 2 ** tile.level;
  if (tile.x >= cells || tile.y >= cells) throw invalidField('x', 'Must be a tile of this level');
  const key = `${tile.level}/${tile.x}/${tile.y}`;
  const known = cachedTowns.get(key);
  if (known) return known;
  const towns = selectLargest(await loadPlaces(), getCellBounds(tile));
  if (tile.level <= MAX_CACHED_LEVEL) cachedTowns.set(key, towns);
  return towns;
}

function selectLargest(table: PlaceTable, box: ReturnType<typeof getCellBounds>): Town[] {
  const { west, east, south, north } = box;
  const middle = { latitude: (south + north) / 2, longitude: (west + east) / 2 };
  // A set, because the first column repeats around the whole world.
  const found = new Set<number>();
  for (const [from, to] of table.cells(
    middle.latitude,
    middle.longitude,
    (north - south) / 2,
    (east - west) / 2,
  )) {
    for (let index = from; index < to; index++) {
      const [latitude, longitude] = [table.latitude(index), table.longitude(index)];
      if (latitude > south && latitude <= north && longitude >= west && longitude < east) {
        found.add(index);
      }
    }
  }
  return [...found]
    .sort((a, b) => table.population(b) - table.population(a))
    .slice(0, TOWNS_PER_TILE)
    .map((index) => ({
      name: table.name(index),
      lat: table.latitude(index),
      lon: table.longitude(index),
      population: table.population(index),
    }));
}
