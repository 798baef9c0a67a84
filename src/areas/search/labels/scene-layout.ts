import { type Layout, type LayoutCell, LAYOUT_SIDE } from '../../../inference/index.ts';

// Where the colours of a picture are: the sky above, sand or grass below, a glow at the horizon.

export type Tone =
  'dark' | 'grey' | 'white' | 'glow' | 'sand' | 'brown' | 'green' | 'blue' | 'purple';

/** Rows of a layout. */
export type Band = readonly [from: number, to: number];
export const ALL: Band = [0, LAYOUT_SIDE];
const SKY: Band = [0, 2];
export const TOP: Band = [0, 3];
export const MIDDLE: Band = [2, 6];
export const BOTTOM: Band = [5, LAYOUT_SIDE];
/** Ground below a horizon that is above the middle. */
export const GROUND: Band = [3, LAYOUT_SIDE];

const DARK = 0.2;
const GREY_SATURATION = 0.13;
const WHITE = 0.8;
const GLOW = { saturation: 0.45, value: 0.55 };
/** Below this value a warm colour is brown. */
const BROWN = 0.4;
/** Ends of hues in degrees. */
const [SAND_END, GREEN_END, BLUE_END, PURPLE_END] = [65, 165, 258, 345];

/** Hue in degrees; saturation and value 0 to 1. */
function toHsv([red, green, blue]: LayoutCell) {
  const most = Math.max(red, green, blue);
  const range = most - Math.min(red, green, blue);
  const sixth =
    range === 0
      ? 0
      : most === red
        ? (green - blue) / range
        : most === green
          ? (blue - red) / range + 2
          : (red - green) / range + 4;
  const saturation = most === 0 ? 0 : range / most;
  return { hue: (sixth * 60 + 360) % 360, saturation, value: most / 255 };
}

const getValue = ([red, green, blue]: LayoutCell) => Math.max(red, green, blue) / 255;

export function getTone(cell: LayoutCell): Tone {
  const { hue, saturation, value } = toHsv(cell);
  if (value < DARK) return 'dark';
  if (saturation < GREY_SATURATION) return value > WHITE ? 'white' : 'grey';
  if (hue >= SAND_END && hue < GREEN_END) return 'green';
  if (hue >= GREEN_END && hue < BLUE_END) return 'blue';
  if (hue >= BLUE_END && hue < PURPLE_END) return 'purple';
  if (value < BROWN) return 'brown';
  return saturation > GLOW.saturation && value > GLOW.value ? 'glow' : 'sand';
}

const cut = (layout: Layout, [from, to]: Band) =>
  layout.slice(from * LAYOUT_SIDE, to * LAYOUT_SIDE);

const computeShare = (cells: Layout, is: (cell: LayoutCell) => boolean) =>
  cells.length === 0 ? 0 : cells.filter(is).length / cells.length;

/** Returns the share of cells of a band that have one of the tones, 0 to 1; 0 without a layout. */
export const getShare = (layout: Layout, band: Band, ...tones: readonly Tone[]): number =>
  computeShare(cut(layout, band), (cell) => tones.includes(getTone(cell)));

/** Returns the share of cells of a band that are darker than this value, 0 to 1. */
export const getDarkShare = (layout: Layout, band: Band, value: number): number =>
  computeShare(cut(layout, band), (cell) => getValue(cell) < value);

/** Value of a light, or of what it shines on. */
const LIT = 0.5;

/** Returns the share of cells that are light or have lights in them, 0 to 1. */
export const getLitShare = (layout: Layout): number =>
  computeShare(layout, (cell) => getValue(cell) + (2 * cell[3]) / 255 >= LIT);

/** Contrast within a cell of sky, still water or a wall at most. */
const SMOOTH = 25;

/** Returns the share of cells of the upper rows that may be sky, 0 to 1. */
export const getSkyShare = (layout: Layout): number =>
  computeShare(
    cut(layout, TOP),
    (cell) => cell[3] <= SMOOTH && ['blue', 'white', 'grey'].includes(getTone(cell)),
  );

const WATER_BELOW_SKY = 0.04;

/** Returns the share of cells of the ground that are blue and darker than a blue sky, 0 to 1. */
export function getWaterShare(layout: Layout): number {
  const isBlue = (cell: LayoutCell) => getTone(cell) === 'blue';
  const sky = cut(layout, SKY).filter(isBlue);
  const lightest = sky.length === 0 ? 1 : getMean(sky) - WATER_BELOW_SKY;
  return computeShare(cut(layout, GROUND), (cell) => isBlue(cell) && getValue(cell) < lightest);
}

const DARK_SKY = 0.42;

/** Returns the share of cells of the upper rows that are smooth and dark, 0 to 1. */
export const getDarkSkyShare = (layout: Layout): number =>
  computeShare(cut(layout, TOP), (cell) => cell[3] <= SMOOTH && getValue(cell) < DARK_SKY);

const getMean = (cells: Layout): number =>
  cells.reduce((sum, cell) => sum + getValue(cell), 0) / Math.max(1, cells.length);

/** Returns how much a warm light above the ground outshines the sky over it, 0 to 1. */
export function getHorizonGlow(layout: Layout): number {
  const around = cut(layout, MIDDLE);
  const warm = around.filter((cell) => ['glow', 'sand', 'purple'].includes(getTone(cell)));
  const bright = warm.filter((cell) => getValue(cell) > BRIGHT);
  const difference = getMean(bright) - getMean(cut(layout, SKY));
  const share = bright.length / Math.max(1, around.length);
  return Math.min(1, Math.max(0, share / MIN_GLOW)) * (difference > -TOLERANCE ? 1 : 0);
}
const BRIGHT = 0.5;
const MIN_GLOW = 0.15;
const TOLERANCE = 0.05;
