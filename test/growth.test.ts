import { expect, test } from 'bun:test';
import { getAmounts, measureReads } from './bench/growth.ts';

// Smaller libraries tell nothing: PostgreSQL reads them by other plans.
const ASSETS = 160_000;

/** The most blocks of 8 KiB that a read may take: an index entry of each item takes more. */
const MOST = 300;

/** The same of a page of 100 items, each of which takes up to ten blocks by its id. */
const MOST_OF_SEARCH = 1_400;

type Exception = { readonly most: number; readonly reason: string };

/** Reads that may take more, in the order of their bounds: a third above what they take. */
const EXCEPTIONS: Readonly<Record<string, Exception>> = {
  map: { most: 150_000, reason: 'all items with a place: 15 MB' },
  stacks: { most: 26_000, reason: 'all stacks with their items: 2 MB' },
  'favourites on the map': { most: 24_000, reason: 'all favourites with a place' },
  cities: { most: 5_500, reason: 'a photo of each city, by its id' },
  'names of what is not there': { most: 4_500, reason: 'texts of each model' },
  'search by make and favourite': { most: 3_300, reason: 'the metadata of each favourite' },
  'search by album': { most: 2_600, reason: 'members of the month that the page ends in' },
  'random of a make': { most: 2_600, reason: 'the metadata of items until 50 are of the make' },
  'search by city and favourite': { most: 2_400, reason: 'the metadata of each favourite' },
  'large files': { most: 2_000, reason: 'the file of each of 100 items' },
  'search by tag': { most: 1_800, reason: 'all items of the month that the page ends in' },
  explore: { most: 1_300, reason: 'the counts of each month, and covers' },
  'a question of what is not there': { most: 1_000, reason: 'texts of each of three subjects' },
  'a question of a city': { most: 900, reason: 'texts of a subject and a city' },
  facets: { most: 850, reason: 'the values of each month' },
  'months of a tag': { most: 800, reason: 'an index entry of each item' },
  'clusters of the map': {
    most: 750,
    reason: 'the precomputed counts of each cluster, at times twice',
  },
  'months of a person': { most: 700, reason: 'an index entry of each face' },
  documents: { most: 700, reason: '50 items by their ids' },
  trash: { most: 700, reason: '100 items by their ids' },
  random: { most: 600, reason: '50 items by their ids' },
  tags: { most: 450, reason: 'the counts of each tag' },
};

const getMost = (name: string): number =>
  EXCEPTIONS[name]?.most ?? (name.startsWith('search by ') ? MOST_OF_SEARCH : MOST);

/** Returns the reads that take more blocks than they may, and the exceptions whose reads take less than a third. */
function findFaults(blocks: ReadonlyMap<string, number>) {
  return {
    tooMany: [...blocks].filter(([name, count]) => count > getMost(name)),
    tooWide: Object.keys(EXCEPTIONS).filter((name) => (blocks.get(name) ?? 0) < getMost(name) / 3),
  };
}

test('no read takes more blocks than it may in a library of 160,000 assets', async () => {
  const reads = [...(await measureReads(ASSETS, getAmounts(ASSETS / 8)))];
  expect(reads.length).toBeGreaterThan(40);
  const blocks = new Map(reads.map(([name, { first, again }]) => [name, Math.max(first, again)]));
  expect(findFaults(blocks)).toEqual({ tooMany: [], tooWide: [] });
});

test('finds a read that takes more than it may, and a bound that is too wide', () => {
  const blocks = new Map(Object.entries(EXCEPTIONS).map(([name, { most }]) => [name, most]));
  blocks.set('map', 40_000).set('months', 301).set('search by days', 1_401);
  expect(findFaults(blocks)).toEqual({
    tooMany: [
      ['months', 301],
      ['search by days', 1_401],
    ],
    tooWide: ['map'],
  });
});
