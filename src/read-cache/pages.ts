import { defineKind, type MemoryOwner } from './memory.ts';

/** Known positions of one listing in one version, by the number of rows before them. */
export type KnownPages<Position> = {
  /** Returns the nearest known position at or before `offset`. */
  findNearest(offset: number): KnownPage<Position> | undefined;
  remember(page: KnownPage<Position>): void;
  /** The number of rows of the listing, for listings where counting is expensive. */
  total: number | undefined;
};

export type KnownPage<Position> = { readonly offset: number; readonly position: Position };

const MAX_POSITIONS = 500;

type Entry = { readonly version: string; readonly pages: KnownPages<unknown> };

/** The bytes that a listing takes whose pages were read to the end. */
const LISTING_BYTES = MAX_POSITIONS * 100;

const listings = defineKind<Entry>('page positions', () => LISTING_BYTES);

/**
 * Remembers where the pages of recently read listings begin, so that clients which page by number pay
 * what a cursor costs. `listing` is everything that decides what is listed; a new `version` forgets
 * the positions of the old one.
 */
export function findKnownPages<Position>(
  owner: MemoryOwner,
  listing: string,
  version = '',
): KnownPages<Position> {
  const known = listings.find(owner, listing);
  // Safe: the listing decides of which type its positions are.
  if (known?.version === version) return known.pages as KnownPages<Position>;
  const pages = createKnownPages<Position>();
  listings.keep(owner, listing, { version, pages: pages as KnownPages<unknown> });
  return pages;
}

export function createKnownPages<Position>(): KnownPages<Position> {
  /** In ascending order of offset. */
  let known: KnownPage<Position>[] = [];
  /** Returns the index of the first page behind `offset`. */
  const findIndex = (offset: number): number => {
    let [low, high] = [0, known.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      const page = known[middle];
      if (page && page.offset <= offset) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  return {
    total: undefined,
    findNearest: (offset) => known[findIndex(offset) - 1],
    remember(page) {
      const index = findIndex(page.offset);
      const isKnown = known[index - 1]?.offset === page.offset;
      known.splice(isKnown ? index - 1 : index, isKnown ? 1 : 0, page);
      // Every other one goes: the rest still bounds the distance to any page.
      if (known.length > MAX_POSITIONS) known = known.filter((_, at) => at % 2 === 0);
    },
  };
}
