import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createRandom } from '../support/random.ts';
import { type Change, KINDS, listChanges } from './changes.ts';

/** Returns the folder with the tests of a file. Journeys judge pages (`*.tsx`, `use-*`) and files beside all folders. */
export const getArea = (file: string): string | undefined =>
  /^src\/(?:(?:areas|web)\/[^/]+|(?!areas\/|web\/)[^/]+)(?=\/)/.exec(file)?.[0];

const isProduct = (file: string): boolean =>
  getArea(file) !== undefined && !/\.(?:test|d)\.ts$|\/(?:locales\/|use-)/.test(file);

/**
 * Returns so many changes of the product in `root`: the same for the same seed and sources, whatever the tests are. An
 * area is drawn by the square root of its lines, so that small ones occur, then a line, and a place in the file of that
 * line; the kinds take turns.
 */
export function drawChanges(root: string, seed: number, count: number): Change[] {
  const random = createRandom(seed);
  const lines = globSync('src/**/*.ts', { cwd: root })
    .filter(isProduct)
    .toSorted()
    .flatMap((file) => {
      const text = readFileSync(join(root, file), 'utf8');
      return text.split('\n').map(() => ({ file, text }));
    });
  const areas = [...Map.groupBy(lines, ({ file }) => getArea(file)).values()];
  const weighted = areas.flatMap((area) =>
    Array<typeof area>(Math.round(Math.sqrt(area.length))).fill(area),
  );
  const drawn = new Map<string, Change>();
  while (drawn.size < count) {
    const { file, text } = random.pick(random.pick(weighted));
    const kind = KINDS[drawn.size % KINDS.length];
    const places = listChanges(file, text).filter((change) => change.kind === kind);
    const change = random.pick(places);
    if (places.length > 0) drawn.set(`${file}:${change.start}`, change);
  }
  return [...drawn.values()];
}
