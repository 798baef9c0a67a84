import { HEADER_BYTES, MAX_PATCHES, PATCH_BYTES } from '../common-part.ts';

/** Longest side of the picture in which patches are looked for, in pixels. */
export const PATCHES_SIDE = 192;
/** Ratio of a level to the one before. */
const SHRINK = 1 / 1.2;
const LEVELS = 6;
/** Distance of a patch from the edge of its level, and of the compared points from its middle. */
const RADIUS = 9;
/** Corners less clear than this are noise. */
const MIN_CORNER = 40;
/** Patches are spread over so many cells by side. */
const CELLS = 6;
const BITS = 128;

type Grey = { readonly width: number; readonly height: number; readonly light: Float32Array };
type Corner = {
  readonly x: number;
  readonly y: number;
  /** Between the pixels. */
  readonly exactX: number;
  readonly exactY: number;
  readonly strength: number;
};

/**
 * Returns the shape of a picture and the patches around its clearest corners, at several sizes. Of each, in PATCH_BYTES: its middle (x
 * and y in 65,535 parts of the longest side), its brightness, the length of its pixels (in 32 parts of one of the
 * picture), and which of two points near it is brighter, for BITS pairs of points (BRIEF, Calonder et al. 2010).
 */
export function describePatches(picture: Grey): Uint8Array {
  const longest = Math.max(picture.width, picture.height);
  const found: { corner: Corner; level: Grey; unit: number }[] = [];
  let level = smooth(picture);
  for (let at = 0; at < LEVELS; at++) {
    const unit = Math.max(level.width, level.height) / longest;
    for (const corner of findCorners(level)) found.push({ corner, level, unit });
    level = smooth(shrink(level));
  }
  const chosen = spread(found, ({ corner, unit }) => ({
    cell:
      Math.floor((corner.x / unit / picture.width) * CELLS) +
      CELLS * Math.floor((corner.y / unit / picture.height) * CELLS),
    strength: corner.strength,
  }));
  const bytes = new Uint8Array(HEADER_BYTES + chosen.length * PATCH_BYTES);
  bytes[0] = Math.round((picture.width / longest) * 255);
  bytes[1] = Math.round((picture.height / longest) * 255);
  const view = new DataView(bytes.buffer);
  for (const [at, { corner, level, unit }] of chosen.entries()) {
    const to = HEADER_BYTES + at * PATCH_BYTES;
    const toUnits = (at: number) => Math.round(((at + 0.5) / unit / longest) * 0xffff);
    view.setUint16(to, toUnits(corner.exactX), true);
    view.setUint16(to + 2, toUnits(corner.exactY), true);
    bytes[to + 4] = Math.round(describe(level, corner, bytes.subarray(to + 6, to + PATCH_BYTES)));
    bytes[to + 5] = Math.round(32 / unit);
  }
  return bytes;
}

/** Returns the strongest of each cell in turn. */
function spread<T>(
  all: readonly T[],
  rank: (one: T) => { readonly cell: number; readonly strength: number },
): T[] {
  const ranked = all.map((one) => ({ one, ...rank(one) }));
  const cells = [...Map.groupBy(ranked, ({ cell }) => cell).values()].map((cell) =>
    cell.toSorted((a, b) => b.strength - a.strength),
  );
  const chosen: T[] = [];
  for (let round = 0; chosen.length < MAX_PATCHES; round++) {
    const next = cells.flatMap((cell) => cell[round] ?? []);
    if (next.length === 0) break;
    next.sort((a, b) => b.strength - a.strength);
    chosen.push(...next.slice(0, MAX_PATCHES - chosen.length).map(({ one }) => one));
  }
  return chosen;
}

/** Mixes each pixel with its neighbours, 1 : 2 : 1 in both directions. */
function smooth({ width, height, light }: Grey): Grey {
  const rows = new Float32Array(width * height);
  const result = new Float32Array(width * height);
  for (let y = 0, at = 0; y < height; y++) {
    for (let x = 0; x < width; x++, at++) {
      const before = light[x > 0 ? at - 1 : at]!;
      const after = light[x + 1 < width ? at + 1 : at]!;
      rows[at] = (before + 2 * light[at]! + after) / 4;
    }
  }
  for (let at = 0; at < rows.length; at++) {
    const above = rows[at >= width ? at - width : at]!;
    const below = rows[at + width < rows.length ? at + width : at]!;
    result[at] = (above + 2 * rows[at]! + below) / 4;
  }
  return { width, height, light: result };
}

function shrink({ width: from, height: fromHeight, light }: Grey): Grey {
  const width = Math.round(from * SHRINK);
  const height = Math.round(fromHeight * SHRINK);
  const result = new Float32Array(width * height);
  const [ratioX, ratioY] = [from / width, fromHeight / height];
  for (let y = 0; y < height; y++) {
    const fromY = (y + 0.5) * ratioY - 0.5;
    const atY = Math.min(Math.floor(fromY), fromHeight - 2);
    const restY = fromY - atY;
    for (let x = 0; x < width; x++) {
      const fromX = (x + 0.5) * ratioX - 0.5;
      const atX = Math.min(Math.floor(fromX), from - 2);
      const restX = fromX - atX;
      const at = atY * from + atX;
      const upper = light[at]! * (1 - restX) + light[at + 1]! * restX;
      const lower = light[at + from]! * (1 - restX) + light[at + from + 1]! * restX;
      result[y * width + x] = upper * (1 - restY) + lower * restY;
    }
  }
  return { width, height, light: result };
}

/** Returns local maxima of the smaller eigenvalue of the structure tensor (Shi and Tomasi 1994). */
function findCorners({ width, height, light }: Grey): Corner[] {
  const strength = measureCorners(light, width, height);
  const corners: Corner[] = [];
  for (let y = RADIUS; y < height - RADIUS; y++) {
    for (let x = RADIUS; x < width - RADIUS; x++) {
      const at = y * width + x;
      const own = strength[at]!;
      if (own < MIN_CORNER) continue;
      if (own < strength[at - 1]! || own <= strength[at + 1]!) continue;
      if (own < strength[at - width]! || own <= strength[at + width]!) continue;
      if (own < strength[at - width - 1]! || own < strength[at - width + 1]!) continue;
      if (own <= strength[at + width - 1]! || own <= strength[at + width + 1]!) continue;
      const exactX = x + findPeak(strength[at - 1]!, own, strength[at + 1]!);
      const exactY = y + findPeak(strength[at - width]!, own, strength[at + width]!);
      corners.push({ x, y, exactX, exactY, strength: own });
    }
  }
  return corners;
}

/** Returns where the parabola through three values at -1, 0 and 1 has its peak. */
function findPeak(before: number, own: number, after: number): number {
  const bend = before - 2 * own + after;
  return bend < 0 ? Math.max(-0.5, Math.min(0.5, (before - after) / bend / 2)) : 0;
}

function measureCorners(light: Float32Array, width: number, height: number): Float32Array {
  const [xx, yy, xy] = [0, 1, 2].map(() => new Float32Array(width * height)) as [
    Float32Array,
    Float32Array,
    Float32Array,
  ];
  for (let y = 1; y < height - 1; y++) {
    for (let x = 1, at = y * width + 1; x < width - 1; x++, at++) {
      const right = light[at + 1]! - light[at - 1]!;
      const down = light[at + width]! - light[at - width]!;
      xx[at] = right * right;
      yy[at] = down * down;
      xy[at] = right * down;
    }
  }
  for (const sums of [xx, yy, xy]) sumAround(sums, width);
  const strength = new Float32Array(width * height);
  for (let at = 0; at < strength.length; at++) {
    const half = (xx[at]! - yy[at]!) / 2;
    const root = Math.sqrt(half * half + xy[at]! * xy[at]!);
    strength[at] = ((xx[at]! + yy[at]!) / 2 - root) / 9;
  }
  return strength;
}

/** Replaces each value by the sum of the 3 × 3 values around it. */
function sumAround(values: Float32Array, width: number): void {
  let before = values[0]!;
  for (let at = 1; at < values.length - 1; at++) {
    const own = values[at]!;
    values[at] = before + own + values[at + 1]!;
    before = own;
  }
  const above = values.slice(0, width);
  for (let at = width; at < values.length - width; at++) {
    const own = values[at]!;
    values[at] = above[at % width]! + own + values[at + width]!;
    above[at % width] = own;
  }
}

/** Offsets of the pairs of points: fixed, of a normal distribution about the middle. */
const PAIRS: readonly number[] = Array.from({ length: 4 * BITS }, drawOffset(20_240_501));

function drawOffset(seed: number): () => number {
  let state = seed;
  const random = () => (state = (state * 16_807) % 2_147_483_647) / 2_147_483_647;
  return () => {
    const sum = random() + random() + random() - 1.5;
    return Math.max(-RADIUS, Math.min(RADIUS, Math.round((sum * 2 * RADIUS) / 1.8)));
  };
}

/** Writes the bits and returns the mean brightness of the points. */
function describe({ width, light }: Grey, { x, y }: Corner, bytes: Uint8Array): number {
  const middle = y * width + x;
  let sum = 0;
  for (let bit = 0; bit < BITS; bit++) {
    const at = 4 * bit;
    const one = light[middle + PAIRS[at]! + PAIRS[at + 1]! * width]!;
    const other = light[middle + PAIRS[at + 2]! + PAIRS[at + 3]! * width]!;
    if (one < other) bytes[bit >> 3]! |= 1 << (bit & 7);
    sum += one + other;
  }
  return sum / BITS / 2;
}
