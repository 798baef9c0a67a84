/**
 * Marks of where the pages of a listing begin, valid while nothing changes: page 1,000 starts at a
 * known key instead of an offset. `listing` is everything that decides what is listed; `version`
 * changes with every change of the rows.
 */
export type Pages = {
  /** Returns the nearest mark at or before `offset`. */
  findMark(offset: number): Mark | undefined;
  addMark(mark: Mark): void;
  /** Cached number of rows. */
  total: number | undefined;
};

/** A row by sort key and id; the row after it is at `offset`. */
export type Mark = { readonly offset: number; readonly key: string; readonly id: string };

const MAX_LISTINGS = 200;
const MAX_MARKS = 2000;

type PageBookEntry = { readonly version: string; readonly pages: Pages };

export function createPageBook() {
  const listings = new Map<string, PageBookEntry>();
  return (listing: string, version: string): Pages => {
    const found = listings.get(listing);
    const pages = found?.version === version ? found.pages : createPages();
    // Least recently used first.
    listings.delete(listing);
    listings.set(listing, { version, pages });
    if (listings.size > MAX_LISTINGS) listings.delete(listings.keys().next().value!);
    return pages;
  };
}

export function createPages(): Pages {
  // Sorted by offset.
  let marks: Mark[] = [];
  const findInsertIndex = (offset: number): number => {
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
    findMark: (offset) => marks[findInsertIndex(offset) - 1],
    addMark(mark) {
      const place = findInsertIndex(mark.offset);
      if (marks[place - 1]?.offset === mark.offset) return;
      marks.splice(place, 0, mark);
      if (marks.length > MAX_MARKS) marks = marks.filter((_, index) => index % 2 === 0);
    },
  };
}
