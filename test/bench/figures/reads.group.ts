import type { Group, Step } from './groups.ts';
import { type MeasuredLibrary, openLibraries } from './library.ts';
import { createMoveSteps } from './moves.ts';
import { createReadMeasure, getTable } from './read-measure.ts';
import { listReads } from './reads.ts';

/** Reads of a library of that many assets, then moves of many of them. */
export const createReadsGroup = (assets: number): Group => ({
  name: 'reads',
  rounds: 3,
  async open(targets) {
    const libraries = await openLibraries(targets, assets);
    return Promise.all(
      libraries.map(async (library) => {
        const measure = await createReadMeasure(library);
        const reads = (await listReads(library)).map((read) => ({
          name: `${read.name} of ${assets}`,
          run: () => measure(read),
        }));
        const steps = [describeSeed(library), ...reads, ...(await createMoveSteps(library))];
        return { steps, close: library.close };
      }),
    );
  },
});

/** Reads of what is not there say little. */
const describeSeed = (library: MeasuredLibrary): Step => ({
  name: 'seed',
  run: async () =>
    library.unseeded.map((what) => ({
      table: getTable(library),
      name: `rows of ${what}`,
      values: {},
      note: 'none',
    })),
});
