/**
 * Where pages begin, kept while nothing changes: page 1,000 starts at a row that is known instead of
 * being counted up to. A listing is known by everything that decides what is on it; `version`
 * changes with every change of the rows.
 */
export type Pages = {
  /** The nearest known row before which at most `offset` rows come. */
  before(offset: number): Mark | undefined;
  learn(mark: Mark): void;
  /** Of what takes a count of rows. */
  total: number | undefined;
};

/** A row by what the listing is sorted by, and its id; `offset` rows come before the next one. */
export type Mark = { readonly offset: number; readonly key: string; readonly id: string };

const MAX_LISTINGS = 200;
const MAX_MARKS = 2000;

type Kept = { readonly version: string; readonly pages: Pages };

export function createPageBook() {
  const listings = new Map<string, Kept>();
  return (listing: string, version: string): Pages => {
    const found = listings.get(listing);
    const pages = found?.version === version ? found.pages : createPages();
    // The one used last goes last.
    listings.delete(listing);
    listings.set(listing, { version, pages });
    if (listings.size > MAX_LISTINGS) listings.delete(listings.keys().next().value!);
    return pages;
  };
}

export function createPages(): Pages {
  // In the order of their offsets.
  let marks: Mark[] = [];
  const placeOf = (offset: number): number => {
    let [low, high] = [0, marks.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (marks[middle]!.offset <= offset) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  return {
    total: undefined,
    before: (offset) => marks[placeOf(offset) - 1],
    learn(mark) {
      const place = placeOf(mark.offset);
      if (marks[place - 1]?.offset === mark.offset) return;
      marks.splice(place, 0, mark);
      if (marks.length > MAX_MARKS) marks = marks.filter((_, index) => index % 2 === 0);
    },
  };
}
