import { invalidField } from '../../core/errors.ts';

/** Degrees. A west greater than east crosses the date line. */
export type Box = {
  readonly west: number;
  readonly south: number;
  readonly east: number;
  readonly north: number;
};
/** One of 2^level × 2^level cells of the Web Mercator map: x grows to the east, y to the south. */
export type Cell = { readonly level: number; readonly x: number; readonly y: number };
/** Inclusive ranges; two ranges of x when the date line lies between them. */
export type CellRange = {
  readonly level: number;
  readonly xs: readonly (readonly [number, number])[];
  readonly ys: readonly [number, number];
};

/** Levels with precomputed counts. */
const COUNTED_LEVELS = [8, 14, 20] as const;
const MAX_LEVEL = 20;
/** Cells are two levels deeper than the zoom: 64 px wide at 256 px per tile. */
const CELLS_PER_TILE = 2;
const MAX_CELLS = 4096;

export const toCountedLevel = (level: number): number =>
  COUNTED_LEVELS.find((counted) => counted >= level) ?? MAX_LEVEL;

export function parseBox(text: string): Box {
  const [west = 0, south = 0, east = 0, north = 0] = text.split(',').map(Number);
  const isOnEarth =
    Math.max(Math.abs(west), Math.abs(east)) <= 180 &&
    Math.max(Math.abs(south), Math.abs(north)) <= 90;
  if (!isOnEarth || south > north)
    throw invalidField('bbox', 'Must be west,south,east,north in degrees');
  return { west, south, east, north };
}

export function parseCell(text: string): Cell {
  const [level = 0, x = 0, y = 0] = text.split('/').map(Number);
  const cells = 2 ** level;
  if (level > MAX_LEVEL || x >= cells || y >= cells)
    throw invalidField('cell', 'Must be level/x/y of an existing cell');
  return { level, x, y };
}

export const formatCell = ({ level, x, y }: Cell): string => `${level}/${x}/${y}`;

/** Returns the cells of the box at a zoom, or larger ones when there would be more than MAX_CELLS. */
export function toCellRange(box: Box, zoom: number): CellRange {
  for (let level = Math.min(MAX_LEVEL, zoom + CELLS_PER_TILE); ; level--) {
    const range = rangeAt(box, level);
    const width = range.xs.reduce((sum, [from, to]) => sum + to - from + 1, 0);
    if (level === 0 || width * (range.ys[1] - range.ys[0] + 1) <= MAX_CELLS) return range;
  }
}

function rangeAt({ west, south, east, north }: Box, level: number): CellRange {
  const last = 2 ** level - 1;
  const column = (longitude: number) =>
    Math.min(last, Math.floor(((longitude + 180) / 360) * 2 ** level));
  const [from, to] = [column(west), column(east)];
  return {
    level,
    xs:
      west <= east
        ? [[from, to]]
        : [
            [from, last],
            [0, to],
          ],
    ys: [toRow(north, level), toRow(south, level)],
  };
}

function toRow(latitude: number, level: number): number {
  const radians = (Math.max(-89.9, Math.min(89.9, latitude)) * Math.PI) / 180;
  const y = (1 - Math.asinh(Math.tan(radians)) / Math.PI) / 2;
  return Math.max(0, Math.min(2 ** level - 1, Math.floor(y * 2 ** level)));
}

export function getCellBounds({ level, x, y }: Cell): Box {
  const cells = 2 ** level;
  const longitude = (column: number) => (column / cells) * 360 - 180;
  const latitude = (row: number) =>
    (Math.atan(Math.sinh(Math.PI * (1 - (2 * row) / cells))) * 180) / Math.PI;
  return {
    west: longitude(x),
    east: longitude(x + 1),
    north: latitude(y),
    south: latitude(y + 1),
  };
}

type Block = {
  readonly level: number;
  readonly x: readonly [number, number];
  readonly y: readonly [number, number];
};

/**
 * Returns the bounds of a block of cells, which include west and north. Outermost bounds extend beyond
 * ±180° and -90°.
 */
export function getBlockBounds({ level, x, y }: Block): Box {
  const last = 2 ** level - 1;
  const { west, north } = getCellBounds({ level, x: x[0], y: y[0] });
  const { east, south } = getCellBounds({ level, x: x[1], y: y[1] });
  return {
    west,
    east: x[1] === last ? 181 : east,
    north: y[0] === 0 ? 90 : north,
    south: y[1] === last ? -91 : south,
  };
}

export function getCellCenter(cell: Cell): { lat: number; lon: number } {
  const { west, east, south, north } = getCellBounds(cell);
  return { lat: (south + north) / 2, lon: (west + east) / 2 };
}
