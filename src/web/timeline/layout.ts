/** Where the tiles of one month go. Everything in CSS pixels from the month's own top. */
export type Rows = {
  /** Row r holds the items first[r] … first[r + 1] - 1; one more entry than there are rows. */
  first: Uint32Array;
  top: Float64Array;
  height: Float64Array;
  /** The left edge of every item. */
  left: Float64Array;
  width: Float64Array;
  /** The height of the whole block, without a gap below. */
  total: number;
};

export type Shape = {
  /** The target height in px; rows are stretched or shrunk to fill the width. */
  rowHeight: number;
  gap: number;
};

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
  const count = ratios.length;
  const [first, top, height]: number[][] = [[], [], []];
  const left = new Float64Array(count);
  const widths = new Float64Array(count);
  let y = 0;
  for (let start = 0; start < count;) {
    const row = fillRow(ratios, start, width, shape);
    first!.push(start);
    top!.push(y);
    height!.push(row.height);
    placeRow(ratios, start, row, width, shape.gap, left, widths);
    y += row.height + shape.gap;
    start = row.end;
  }
  first!.push(count);
  return {
    first: Uint32Array.from(first!),
    top: Float64Array.from(top!),
    height: Float64Array.from(height!),
    left,
    width: widths,
    total: Math.max(0, y - shape.gap),
  };
}

type Row = { end: number; height: number; isFull: boolean };

function fillRow(ratios: ArrayLike<number>, start: number, width: number, shape: Shape): Row {
  const { rowHeight, gap } = shape;
  let sum = 0;
  for (let end = start; end < ratios.length; end++) {
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
  const items = ratios.length - start;
  const natural = sum * rowHeight + gap * (items - 1);
  const isFull = natural >= width * NEARLY_FULL;
  const height = isFull ? computeRowHeight(sum, items, width, gap) : rowHeight;
  return { end: ratios.length, height: Math.round(height), isFull };
}

const computeRowHeight = (ratioSum: number, items: number, width: number, gap: number): number =>
  (width - gap * (items - 1)) / ratioSum;

function placeRow(
  ratios: ArrayLike<number>,
  start: number,
  row: Row,
  width: number,
  gap: number,
  left: Float64Array,
  widths: Float64Array,
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
    left[item] = from + gap * (item - start);
    widths[item] = Math.round(exact) - from;
  }
}

/** Returns the estimated height in px of a month whose pictures are not loaded. */
export function estimateHeight(count: number, width: number, shape: Shape): number {
  if (count === 0) return 0;
  const perRow = Math.max(1, (width + shape.gap) / (shape.rowHeight * TYPICAL_RATIO + shape.gap));
  const rows = Math.ceil(count / perRow);
  return rows * (shape.rowHeight + shape.gap) - shape.gap;
}
const TYPICAL_RATIO = 1.2;

/**
 * Row height and gap for a window. Browsers stop at some 33 million pixels of height, so a huge
 * library gets smaller rows instead of an end that cannot be reached.
 */
export function chooseShape(width: number, items: number): Shape {
  const gap = width < 600 ? 2 : 4;
  let rowHeight = width < 600 ? Math.max(92, Math.round(width / 3.4)) : width < 1100 ? 180 : 220;
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

/** The item of a row that lies nearest to a horizontal position. */
export function nearestInRow(rows: Rows, row: number, x: number): number {
  let [best, distance] = [rows.first[row]!, Infinity];
  for (let item = rows.first[row]!; item < rows.first[row + 1]!; item++) {
    const centre = rows.left[item]! + rows.width[item]! / 2;
    if (Math.abs(centre - x) < distance) [best, distance] = [item, Math.abs(centre - x)];
  }
  return best;
}
