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
const BAND_GAP = 6;
/** A heading needs so much room, also above a single narrow picture. */
const HEAD_WIDTH = 164;

/** Beyond these a picture is cropped in the grid: a panorama must not make a row of three pixels. */
const NARROWEST = 0.5;
const WIDEST = 3;
/** A last row that is nearly full is stretched; a shorter one keeps its height. */
const NEARLY_FULL = 0.85;
const MOST_STRETCH = 1.5;

const clampRatio = (ratio: number): number =>
  ratio > 0 ? Math.min(WIDEST, Math.max(NARROWEST, ratio)) : 1;

/** Fills rows of equal height from edge to edge, keeping the order of the pictures. */
export function justifyRows(ratios: ArrayLike<number>, width: number, shape: Shape): Rows {
  const grid = createGrid(ratios.length);
  const bottom = fillRows(grid, { ratios, width, shape }, 0, ratios.length, 0);
  return finishGrid(grid, [], bottom);
}

/**
 * Lays out groups of pictures below their headings. Groups of less than a row share one, side by side.
 * Group g holds the items starts[g] … starts[g + 1] - 1; no group is empty.
 */
export function groupRows(
  ratios: ArrayLike<number>,
  starts: ArrayLike<number>,
  width: number,
  shape: Shape,
): Rows {
  const grid = createGrid(ratios.length);
  const source = { ratios, width, shape };
  const heads: Head[] = [];
  let [bandTop, bottom, edge] = [0, -BAND_GAP, Infinity];
  for (let group = 0; group + 1 < starts.length; group++) {
    const [start, end] = [starts[group]!, starts[group + 1]!];
    const row = fillRow(source, start, end);
    const isShort = row.end === end && !row.isFull;
    const room = isShort ? computeGroupWidth(source, start, row) : width;
    if (edge + room <= width) {
      placeRow(grid, source, start, row, edge);
    } else {
      [bandTop, edge] = [bottom + BAND_GAP, 0];
      bottom = fillRows(grid, source, start, end, bandTop + HEAD_HEIGHT);
    }
    heads.push({ left: edge, top: bandTop, width: room });
    edge += room + GROUP_GAP;
  }
  return finishGrid(grid, heads, bottom);
}

type Source = { ratios: ArrayLike<number>; width: number; shape: Shape };

function computeGroupWidth({ ratios, width, shape }: Source, start: number, row: Row): number {
  let sum = 0;
  for (let item = start; item < row.end; item++) sum += clampRatio(ratios[item]!);
  const tiles = Math.round(sum * row.height) + shape.gap * (row.end - start - 1);
  return Math.min(width, Math.max(tiles, HEAD_WIDTH));
}

type Grid = {
  first: number[];
  top: number[];
  height: number[];
  left: Float64Array;
  width: Float64Array;
};

const createGrid = (count: number): Grid => ({
  first: [],
  top: [],
  height: [],
  left: new Float64Array(count),
  width: new Float64Array(count),
});

const finishGrid = (grid: Grid, heads: readonly Head[], bottom: number): Rows => ({
  first: Uint32Array.from([...grid.first, grid.left.length]),
  top: Float64Array.from(grid.top),
  height: Float64Array.from(grid.height),
  left: grid.left,
  width: grid.width,
  heads,
  total: Math.max(0, bottom),
});

/** Adds rows for some of the pictures. Returns where the last row ends. */
function fillRows(grid: Grid, source: Source, from: number, end: number, top: number): number {
  let y = top;
  for (let start = from; start < end;) {
    const row = fillRow(source, start, end);
    grid.first.push(start);
    grid.top.push(y);
    grid.height.push(row.height);
    placeRow(grid, source, start, row, 0);
    y += row.height + source.shape.gap;
    start = row.end;
  }
  return y - source.shape.gap;
}

type Row = { end: number; height: number; isFull: boolean };

function fillRow({ ratios, width, shape }: Source, start: number, stop: number): Row {
  const { rowHeight, gap } = shape;
  let sum = 0;
  for (let end = start; end < stop; end++) {
    const before = sum;
    sum += clampRatio(ratios[end]!);
    const items = end - start + 1;
    const height = computeRowHeight(sum, items, width, gap);
    if (height > rowHeight) continue;
    // One picture more or one less, whichever comes closer to the wanted height.
    const without = items > 1 ? computeRowHeight(before, items - 1, width, gap) : Infinity;
    const isCloser = without / rowHeight < rowHeight / height && without < rowHeight * MOST_STRETCH;
    return isCloser
      ? { end, height: Math.round(without), isFull: true }
      : { end: end + 1, height: Math.round(height), isFull: true };
  }
  const items = stop - start;
  const natural = sum * rowHeight + gap * (items - 1);
  const isFull = natural >= width * NEARLY_FULL;
  const height = isFull ? computeRowHeight(sum, items, width, gap) : rowHeight;
  return { end: stop, height: Math.round(height), isFull };
}

const computeRowHeight = (ratioSum: number, items: number, width: number, gap: number): number =>
  (width - gap * (items - 1)) / ratioSum;

function placeRow(
  { left, width: widths }: Grid,
  { ratios, width, shape: { gap } }: Source,
  start: number,
  row: Row,
  edge: number,
): void {
  let sum = 0;
  for (let item = start; item < row.end; item++) sum += clampRatio(ratios[item]!);
  const free = width - gap * (row.end - start - 1);
  const scale = row.isFull ? free / sum : row.height;
  let exact = 0;
  for (let item = start; item < row.end; item++) {
    // Whole pixels, and the rounding never adds up: no gap differs from another.
    const from = Math.round(exact);
    exact += clampRatio(ratios[item]!) * scale;
    left[item] = edge + from + gap * (item - start);
    widths[item] = Math.round(exact) - from;
  }
}

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
  const rows = bands < days ? bands : Math.ceil(count / perRow + days / 4);
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
