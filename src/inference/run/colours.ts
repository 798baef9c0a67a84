import type { DetectedObject, Label, Pixels } from '../types.ts';

// The colours of a picture, by the names that people give them.

/** Points that are looked at, along each side. */
const POINTS = 64;
/** Share of the points from which on a picture has a colour. Shades of grey are often no more than the ground. */
const MIN_SHARE = 0.1;
const MIN_GREY_SHARE = 0.3;
/** Share that makes a colour certain. */
const CERTAIN_SHARE = 0.5;
const GREYS: ReadonlySet<string> = new Set(['black', 'white', 'gray']);
/** Name of pictures that have no colours. */
const MONOCHROME = 'black and white';
/** Share of coloured points that these have at most: borders that a coder has left. */
const MAX_COLOURED_SHARE = 0.005;

/** Returns the colours of a picture with their certainty, 0 to 1. The middle counts twice. */
export function findColours({ width, height, data }: Pixels): Label[] {
  const weights = new Map<string, number>();
  let all = 0;
  let coloured = 0;
  for (let row = 0; row < POINTS; row++) {
    for (let column = 0; column < POINTS; column++) {
      const x = Math.floor(((column + 0.5) * width) / POINTS);
      const y = Math.floor(((row + 0.5) * height) / POINTS);
      const at = (y * width + x) * 3;
      const { name, saturation } = nameColour(data[at]!, data[at + 1]!, data[at + 2]!);
      const weight = isMiddle(row) && isMiddle(column) ? 2 : 1;
      weights.set(name, (weights.get(name) ?? 0) + weight);
      all += weight;
      if (saturation > MIN_SATURATION) coloured += weight;
    }
  }
  const labels = [...weights].flatMap(([label, weight]) => {
    const share = weight / all;
    const isPresent = share >= (GREYS.has(label) ? MIN_GREY_SHARE : MIN_SHARE);
    return isPresent ? [{ label, score: Math.min(1, share / CERTAIN_SHARE) }] : [];
  });
  return coloured / all <= MAX_COLOURED_SHARE
    ? [{ label: MONOCHROME, score: 1 }, ...labels]
    : labels;
}

/** Points of a thing along each side of the middle of its box, which shows less of what is around it. */
const THING_POINTS = 24;
const MARGIN = 0.2;
/** Share of these points from which on a thing has a colour. */
const MIN_THING_SHARE = 0.25;

/** Returns the colours of things, as 'red car', with their certainty, 0 to 1. Boxes are in pixels. */
export function findThingColours(
  { width, height, data }: Pixels,
  objects: readonly DetectedObject[],
): Label[] {
  const scores = new Map<string, number>();
  for (const { label, box } of objects) {
    const shares = new Map<string, number>();
    const place = (from: number, to: number, at: number, end: number) => {
      const part = MARGIN + (1 - 2 * MARGIN) * ((at + 0.5) / THING_POINTS);
      return Math.min(end - 1, Math.max(0, Math.floor(from + (to - from) * part)));
    };
    for (let row = 0; row < THING_POINTS; row++)
      for (let column = 0; column < THING_POINTS; column++) {
        const x = place(box.x1, box.x2, column, width);
        const at = (place(box.y1, box.y2, row, height) * width + x) * 3;
        const { name } = nameColour(data[at]!, data[at + 1]!, data[at + 2]!);
        shares.set(name, (shares.get(name) ?? 0) + 1 / THING_POINTS ** 2);
      }
    for (const [colour, share] of shares) {
      const name = `${colour} ${label}`;
      const score = Math.min(1, share / CERTAIN_SHARE);
      if (share >= MIN_THING_SHARE) scores.set(name, Math.max(score, scores.get(name) ?? 0));
    }
  }
  return [...scores].map(([label, score]) => ({ label, score }));
}

const isMiddle = (place: number) => place >= POINTS / 4 && place < (POINTS * 3) / 4;

const MIN_SATURATION = 0.15;
/** Value of black at most, and of white at least. */
const BLACK = 0.2;
const WHITE = 0.85;
/** Orange hues below this value, and red ones below the other, are brown. */
const BROWN = 0.65;
const DARK_RED_BROWN = 0.35;
/** Ends of hues in degrees. */
const HUES = [
  [15, 'red'],
  [42, 'orange'],
  [68, 'yellow'],
  [165, 'green'],
  [255, 'blue'],
  [295, 'purple'],
  [342, 'pink'],
  [360, 'red'],
] as const;
/** Reds of less saturation than this are pink. */
const PINK = 0.5;

function nameColour(red: number, green: number, blue: number) {
  const value = Math.max(red, green, blue) / 255;
  const range = value - Math.min(red, green, blue) / 255;
  const saturation = value === 0 ? 0 : range / value;
  if (value < BLACK) return { name: 'black', saturation: 0 };
  if (saturation < MIN_SATURATION) return { name: value > WHITE ? 'white' : 'gray', saturation };
  const hue = getHue(red, green, blue, range * 255);
  const name = HUES.find(([end]) => hue <= end)?.[1] ?? 'red';
  if (name === 'orange' && value < BROWN) return { name: 'brown', saturation };
  if (name === 'red' && value < DARK_RED_BROWN) return { name: 'brown', saturation };
  if (name === 'red' && saturation < PINK && value > BROWN) return { name: 'pink', saturation };
  return { name, saturation };
}

/** In degrees from red, 0 to 360. */
function getHue(red: number, green: number, blue: number, range: number): number {
  const most = Math.max(red, green, blue);
  const sixth =
    most === red
      ? (green - blue) / range
      : most === green
        ? (blue - red) / range + 2
        : (red - green) / range + 4;
  return (sixth * 60 + 360) % 360;
}
