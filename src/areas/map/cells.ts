import { invalidField } from '../../core/errors.ts';

/** Degrees. West over east crosses the date line. */
export type Box = {
  readonly west: number;
  readonly south: number;
  readonly east: number;
  readonly north: number;
};
/** One of 2^level by 2^level cells of the world, as tiles of a map: x to the east, y to the south. */
export type Cell = { readonly level: number; readonly x: number; readonly y: number };
/** Both ends included; two ranges of x where the date line lies between them. */
export type CellRange = {
  readonly level: number;
  readonly xs: readonly (readonly [number, number])[];
  readonly ys: readonly [number, number];
};

/** Levels for which cells are counted as pictures come and go. */
export const COUNTED_LEVELS = [8, 14, 20] as const;
const DEEPEST = 20;
/** On a map of 256 px at zoom 0, a cell is 64 px wide. */
const CELLS_PER_TILE = 2;
const MOST_CELLS = 4096;

export const countedLevelOf = (level: number): number =>
  COUNTED_LEVELS.find((counted) => counted >= level) ?? DEEPEST;

export function readBox(text: string): Box {
  const [west = 0, south = 0, east = 0, north = 0] = text.split(',').map(Number);
  const isOnEarth =
    Math.max(Math.abs(west), Math.abs(east)) <= 180 &&
    Math.max(Math.abs(south), Math.abs(north)) <= 90;
  if (!isOnEarth || south > north) throw invalidField('bbox', 'Not west,south,east,north');
  return { west, south, east, north };
}

export function readCell(text: string): Cell {
  const [level = 0, x = 0, y = 0] = text.split('/').map(Number);
  const cells = 2 ** level;
  if (level > DEEPEST || x >= cells || y >= cells) throw invalidField('cell', 'Not level/x/y');
  return { level, x, y };
}

export const writeCell = ({ level, x, y }: Cell): string => `${level}/${x}/${y}`;

/** The cells of the box at a zoom; larger ones where there would be too many. */
export function cellsIn(box: Box, zoom: number): CellRange {
  for (let level = Math.min(DEEPEST, zoom + CELLS_PER_TILE); ; level--) {
    const range = rangeAt(box, level);
    const width = range.xs.reduce((sum, [from, to]) => sum + to - from + 1, 0);
    if (level === 0 || width * (range.ys[1] - range.ys[0] + 1) <= MOST_CELLS) return range;
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
    ys: [rowOf(north, level), rowOf(south, level)],
  };
}

function rowOf(latitude: number, level: number): number {
  const radians = (Math.max(-89.9, Math.min(89.9, latitude)) * Math.PI) / 180;
  const y = (1 - Math.asinh(Math.tan(radians)) / Math.PI) / 2;
  return Math.max(0, Math.min(2 ** level - 1, Math.floor(y * 2 ** level)));
}

export function cornersOf({ level, x, y }: Cell): Box {
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

/** Of a block of cells: west and north belong to it. The outermost ones reach beyond the Earth. */
export function edgesOf({ level, x, y }: Block): Box {
  const last = 2 ** level - 1;
  const { west, north } = cornersOf({ level, x: x[0], y: y[0] });
  const { east, south } = cornersOf({ level, x: x[1], y: y[1] });
  return {
    west,
    east: x[1] === last ? 181 : east,
    north: y[0] === 0 ? 90 : north,
    south: y[1] === last ? -91 : south,
  };
}

export function centerOf(cell: Cell): { lat: number; lon: number } {
  const { west, east, south, north } = cornersOf(cell);
  return { lat: (south + north) / 2, lon: (west + east) / 2 };
}
