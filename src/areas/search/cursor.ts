import { invalidField } from '../../core/errors.ts';

/** Where a page starts: the first item of it, in the order of the listing. */
export type Position = {
  /** As PostgreSQL writes it, to the last digit. */
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
 * Clients that turn pages by number get the cost of a cursor: where the next pages start is
 * remembered for the listings read last. A page that is not remembered is counted from the nearest
 * one before it.
 */
export function createPageMemory() {
  const listings = new Map<string, Map<number, Position>>();
  return {
    /** The start of `page`, or of the nearest remembered page before it. */
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
