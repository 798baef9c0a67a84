import { invalidField } from '../../core/errors.ts';

/** The first item of a page, in the order of the listing. */
export type Position = {
  /** Sort value as PostgreSQL prints it, in full precision. */
  readonly value: string;
  readonly id: string;
};

export const writeCursor = ({ value, id }: Position): string =>
  Buffer.from(`${id}${value}`).toString('base64url');

export function readCursor(text: string): Position {
  const plain = Buffer.from(text, 'base64url').toString();
  const [, id, value] =
    /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})([\d :.+-]{1,40})$/.exec(plain) ?? [];
  if (id === undefined || value === undefined) throw invalidField('cursor', 'Not a cursor');
  return { value, id };
}

const MAX_LISTINGS = 256;
const MAX_PAGES = 32;

/**
 * Remembers where the next pages of recently read listings start, so that clients which page by
 * number pay what a cursor costs. An unknown page is counted from the nearest known one before it.
 */
export function createPageMemory() {
  const listings = new Map<string, Map<number, Position>>();
  return {
    /** Returns the start of `page`, or of the nearest known page before it. */
    find(listing: string, page: number): { page: number; start: Position | undefined } {
      const pages = listings.get(listing);
      if (!pages || page === 1) return { page: 1, start: undefined };
      let best = 1;
      for (const known of pages.keys()) if (known <= page && known > best) best = known;
      return { page: best, start: pages.get(best) };
    },
    remember(listing: string, page: number, start: Position): void {
      const pages = listings.get(listing) ?? new Map<number, Position>();
      listings.delete(listing);
      listings.set(listing, pages);
      pages.delete(page);
      pages.set(page, start);
      forgetOldest(pages, MAX_PAGES);
      forgetOldest(listings, MAX_LISTINGS);
    },
  };
}

function forgetOldest<K>(map: Map<K, unknown>, max: number): void {
  for (const key of map.keys()) {
    if (map.size <= max) return;
    map.delete(key);
  }
}
