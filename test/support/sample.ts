import { createSeededRandom, effort } from './effort.ts';

/**
 * Returns so many neighbours of a list in a quick run, those that the seed of the run chooses, and all of them in a
 * full one: for kinds that are equals. `name` tells apart what is chosen for one test and another.
 */
export function sample<T>(name: string, list: readonly T[], quick: number): T[] {
  const from = createSeededRandom(name).below(list.length);
  const count = effort({ quick: Math.min(quick, list.length), full: list.length });
  return Array.from({ length: count }, (_, at) => list[(from + at) % list.length]!);
}
