import { expect, test } from 'bun:test';
import { type Growth, measureGrowth, toGrowth } from './bench/growth.ts';

// Smaller libraries tell nothing: PostgreSQL reads them by other plans.
const [SMALL, LARGE] = [20_000, 160_000];

/** A read may take so many times as many blocks, beyond what its answer is longer: those of the catalogue do not count. */
const MOST = 1.75;
/** A read that takes fewer needs no exception: its ratio differs a little from run to run. */
const SURELY_LESS = 1.2;

type Exception = { readonly most: number; readonly reason: string };

/** The reason why an item takes a third more blocks by its id. */
const DEEPER = 'indexes of two levels have become some of three';

/** Reads that may take more, each with its bound. One that is not needed any more fails, too. */
const EXCEPTIONS: Readonly<Record<string, Exception>> = {
  'search by name': { most: 1.8, reason: 'of ten times as many matches, 500 blocks' },
  'search by tag': { most: 2, reason: 'all items of the month that the page ends in' },
  'search by make and favourite': {
    most: 3.3,
    reason: 'the metadata of each favorite, 2,400 blocks',
  },
  'search by album': {
    most: 3,
    reason: 'members of the month that the page ends in, 1,800 blocks',
  },
  cities: { most: 1.8, reason: DEEPER },
  stacks: { most: 2.1, reason: DEEPER },
  'names of what is not there': {
    most: 2.6,
    reason: 'texts of what one photo in 250 shows, a hot dog: 640 of each model',
  },
  facets: { most: 2.3, reason: 'months have more values, of which the most frequent are shown' },
  'months of a person': { most: 3.8, reason: 'an index entry for each face, 400 blocks' },
  'months of a tag': { most: 3.6, reason: 'an index entry for each item, 400 blocks' },
};

/** Returns the reads that take more than they may, and the exceptions that are not needed. */
function findFaults(growth: readonly Growth[], exceptions = EXCEPTIONS) {
  const ratios = new Map(growth.map(({ name, ratio }) => [name, ratio]));
  return {
    tooMany: growth.filter(({ name, ratio }) => ratio > (exceptions[name]?.most ?? MOST)),
    unneeded: Object.keys(exceptions).filter((name) => (ratios.get(name) ?? 0) < SURELY_LESS),
  };
}

test('no read takes many more blocks when a library has eight times as many assets', async () => {
  const growth = await measureGrowth(SMALL, LARGE);
  expect(growth.length).toBeGreaterThan(40);
  expect(findFaults(growth)).toEqual({ tooMany: [], unneeded: [] });
});

test('finds a read that grows, and an exception that is not needed', () => {
  const few = { bytes: 1_000, first: 940, again: 40 };
  const counting = toGrowth('counting', few, { bytes: 1_000, first: 940, again: 340 });
  const listing = toGrowth('listing', few, { bytes: 8_000, first: 7_940, again: 40 });
  expect(findFaults([counting, listing], {})).toEqual({ tooMany: [counting], unneeded: [] });
  const exceptions = {
    counting: { most: 5, reason: '' },
    listing: { most: 2, reason: '' },
    gone: { most: 2, reason: '' },
  };
  expect(findFaults([counting, listing], exceptions)).toEqual({
    tooMany: [],
    unneeded: ['listing', 'gone'],
  });
});
