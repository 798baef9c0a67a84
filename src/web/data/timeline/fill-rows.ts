import type { Head, Rows, Shape } from './layout.ts';

/** Beyond these a picture is cropped in the grid: a panorama must not make a row of three pixels. */
const NARROWEST = 0.5;
const WIDEST = 3;
/** A last row that is nearly full is stretched; a shorter one keeps its height. */
const NEARLY_FULL = 0.85;
const MOST_STRETCH = 1.5;

const clampRatio = (ratio: number): number =>
  ratio > 0 ? Math.min(WIDEST, Math.max(NARROWEST, ratio)) : 1;

export type Source = { ratios: ArrayLike<number>; width: number; shape: Shape };

/** Fills rows of equal height from edge to edge, keeping the order of the pictures. */
export function justifyRows(ratios: ArrayLike<number>, width: number, shape: Shape): Rows {
  const grid = createGrid(ratios.length);
  const bottom = fillRows(grid, { ratios, width, shape }, 0, ratios.length, 0);
  return finishGrid(grid, [], bottom);
}

export type Grid = {
  first: number[];
  top: number[];
  height: number[];
  left: Float64Array;
  width: Float64Array;
};

export const createGrid = (count: number): Grid => ({
  first: [],
  top: [],
  height: [],
  left: new Float64Array(count),
  width: new Float64Array(count),
});

export const finishGrid = (grid: Grid, heads: readonly Head[], bottom: number): Rows => ({
  first: Uint32Array.from([...grid.first, grid.left.length]),
  top: Float64Array.from(grid.top),
  height: Float64Array.from(grid.height),
  left: grid.left,
  width: grid.width,
  heads,
  total: Math.max(0, bottom),
});

export function addRow(grid: Grid, start: number, top: number, height: number): void {
  grid.first.push(start);
  grid.top.push(top);
  grid.height.push(height);
}

/** Adds rows for some of the pictures. Returns where the last row ends. */
export function fillRows(
  grid: Grid,
  source: Source,
  from: number,
  end: number,
  top: number,
): number {
  let y = top;
  for (let start = from; start < end;) {
    const row = fillRow(source, start, end);
    addRow(grid, start, y, row.height);
    const free = source.width - source.shape.gap * (row.end - start - 1);
    const scale = row.isFull ? free / sumRatios(source.ratios, start, row.end) : row.height;
    placeItems(grid, source, { start, end: row.end }, 0, scale);
    y += row.height + source.shape.gap;
    start = row.end;
  }
  return y - source.shape.gap;
}

type Row = { end: number; height: number; isFull: boolean };

export function fillRow({ ratios, width, shape }: Source, start: number, stop: number): Row {
  const { rowHeight, gap } = shape;
  let sum = 0;
  for (let end = start; end < stop; end++) {
    const before = sum;
    sum += clampRatio(ratios[end]!);
    const items = end - start + 1;
    const height = computeRowHeight(sum, items, width, gap);
    if (height > rowHeight) continue;
    // Keep or leave out the last picture, whichever brings the row closer to the wanted height.
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

/** Sets the places of the items from `start` to `end`, each as wide as its ratio times the scale. */
export function placeItems(
  { left, width: widths }: Grid,
  { ratios, shape: { gap } }: Source,
  { start, end }: { start: number; end: number },
  edge: number,
  scale: number,
): void {
  let exact = 0;
  for (let item = start; item < end; item++) {
    // Whole pixels, and the rounding never adds up: no gap differs from another.
    const from = Math.round(exact);
    exact += clampRatio(ratios[item]!) * scale;
    left[item] = edge + from + gap * (item - start);
    widths[item] = Math.round(exact) - from;
  }
}

export function sumRatios(ratios: ArrayLike<number>, start: number, end: number): number {
  let sum = 0;
  for (let item = start; item < end; item++) sum += clampRatio(ratios[item]!);
  return sum;
}
