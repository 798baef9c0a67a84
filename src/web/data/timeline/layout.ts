/** Where the tiles of one month go. Everything in CSS pixels from the month's own top. */
export type Rows = {
  /** Row r holds the items first[r] … first[r + 1] - 1; one more entry than there are rows. */
  first: Uint32Array;
  top: Float64Array;
  height: Float64Array;
  /** The left edge of every item. */
  left: Float64Array;
  width: Float64Array;
  /** The headings of the groups, in their order; none where rows are not grouped. */
  heads: readonly Head[];
  /** The height of the whole block, without a gap below. */
  total: number;
};

/** A heading stands above the first row of its group. */
export type Head = { left: number; top: number; width: number };

export type Shape = {
  /** The target height in px; rows are stretched or shrunk to fill the width. */
  rowHeight: number;
  gap: number;
};

export const HEAD_HEIGHT = 44;
/** Between groups that stand beside each other. */
export const GROUP_GAP = 20;
/** Between the rows of one group and the headings below. */
export const BAND_GAP = 6;
/** A heading needs so much room, also above a single narrow picture. */
export const HEAD_WIDTH = 164;

/** Returns the estimated height in px of a month whose pictures are not loaded. */
export function estimateHeight(
  count: number,
  width: number,
  shape: Shape,
  hasHeads = false,
): number {
  if (count === 0) return 0;
  const perRow = Math.max(1, (width + shape.gap) / (shape.rowHeight * TYPICAL_RATIO + shape.gap));
  if (!hasHeads) return Math.ceil(count / perRow) * (shape.rowHeight + shape.gap) - shape.gap;
  const days = Math.min(MOST_DAYS, Math.ceil(count / TYPICAL_DAY));
  // Days of less than a row share rows; others leave their last row unfilled.
  const bands = Math.min(days, Math.ceil(count / perRow));
  const rows = bands < days ? bands : Math.ceil(count / perRow + days / 6);
  const height = rows * shape.rowHeight + (rows - bands) * shape.gap;
  return height + bands * (HEAD_HEIGHT + BAND_GAP) - BAND_GAP;
}

/** Returns the estimated width in px of a month whose pictures are not loaded: all of it where they fill a row. */
export function estimateWidth(
  count: number,
  width: number,
  { rowHeight, gap }: Shape,
  hasHeads = false,
): number {
  const tiles = count * (rowHeight * TYPICAL_RATIO + gap) - gap;
  const days = Math.min(MOST_DAYS, Math.ceil(count / TYPICAL_DAY));
  const heads = hasHeads ? days * (HEAD_WIDTH + GROUP_GAP) - GROUP_GAP : 0;
  return Math.min(width, Math.max(tiles, heads));
}
/** Most months have quieter days than a day for each date would make them. */
const MOST_DAYS = 26;
const TYPICAL_RATIO = 1.2;
const TYPICAL_DAY = 4;

/** How pictures are grouped: the larger the group, the smaller the pictures. */
export const GROUPINGS = ['day', 'month', 'year'] as const;
export type Grouping = (typeof GROUPINGS)[number];

/** Pictures beside each other on a phone, roughly. */
const ON_PHONE = { day: 3.4, month: 5, year: 8 } as const;
/** Height in px, for a tablet and for a desktop. */
const ELSEWHERE = { day: [180, 220], month: [120, 140], year: [64, 72] } as const;

/**
 * Row height and gap for a window. Browsers stop at some 33 million pixels of height, so a huge
 * library gets smaller rows instead of an end that cannot be reached.
 */
export function chooseShape(width: number, items: number, grouping: Grouping = 'day'): Shape {
  const gap = width < 600 || grouping === 'year' ? 2 : 4;
  const smallest = Math.round(312 / ON_PHONE[grouping]);
  const phone = Math.max(smallest, Math.round(width / ON_PHONE[grouping]));
  let rowHeight = width < 600 ? phone : ELSEWHERE[grouping][width < 1100 ? 0 : 1];
  while (rowHeight > 60 && estimateHeight(items, width, { rowHeight, gap }) > TALLEST) {
    rowHeight = Math.round(rowHeight * 0.9);
  }
  return { rowHeight, gap };
}
const TALLEST = 24_000_000;

/** The rows that touch the span from `from` to `to`: the first one, and the one after the last. */
export function findRowsBetween(rows: Rows, from: number, to: number): [number, number] {
  const count = rows.top.length;
  let start = findLastAtOrBefore(rows.top, from);
  if (start < 0) start = 0;
  else if (rows.top[start]! + rows.height[start]! < from) start++;
  const end = findLastAtOrBefore(rows.top, to) + 1;
  return [Math.min(start, count), Math.max(Math.min(start, count), end)];
}

/** Index of the last value that is not above `value` in a rising list; -1 when all are above. */
export function findLastAtOrBefore(sorted: ArrayLike<number>, value: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle]! <= value) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** The row that holds an item. */
export const findRow = (rows: Rows, item: number): number =>
  Math.min(findLastAtOrBefore(rows.first, item), rows.top.length - 1);

/** Returns where an item is. */
export function getPlacement(rows: Rows, item: number) {
  const row = findRow(rows, item);
  const [left, width] = [rows.left[item]!, rows.width[item]!];
  return { left, width, top: rows.top[row]!, height: rows.height[row]! };
}

/** The item of a row that lies nearest to a horizontal position. */
export function nearestInRow(rows: Rows, row: number, x: number): number {
  let [best, distance] = [rows.first[row]!, Infinity];
  for (let item = rows.first[row]!; item < rows.first[row + 1]!; item++) {
    const centre = rows.left[item]! + rows.width[item]! / 2;
    if (Math.abs(centre - x) < distance) [best, distance] = [item, Math.abs(centre - x)];
  }
  return best;
}
