// Scene detection from small frames at equal intervals.

/** Size of the samples: RGB, three bytes per pixel. */
export const SAMPLE = { width: 128, height: 72 } as const;
const PIXELS = SAMPLE.width * SAMPLE.height;
export const SAMPLE_BYTES = PIXELS * 3;

export type Sample = {
  readonly atMs: number;
  /** Sharpness and exposure together, 0 to 1. */
  readonly quality: number;
  /** Histogram of 64 colours; the sum is 1. */
  readonly colours: Float32Array;
};

export type Scene = {
  readonly startMs: number;
  readonly endMs: number;
  /** Where its best picture is. */
  readonly atMs: number;
  /** 1 = says most about the video. */
  readonly rank: number;
  /** 0 to 1, falling with the rank. */
  readonly score: number;
};

export const MAX_SCENES = 24;

export function toSample(rgb: Uint8Array, atMs: number): Sample {
  const light = new Float32Array(PIXELS);
  const colours = new Float32Array(64);
  for (let at = 0; at < PIXELS; at++) {
    const [red, green, blue] = [rgb[at * 3]!, rgb[at * 3 + 1]!, rgb[at * 3 + 2]!];
    light[at] = 0.299 * red + 0.587 * green + 0.114 * blue;
    const bin = ((red >> 6) << 4) | ((green >> 6) << 2) | (blue >> 6);
    colours[bin]! += 1 / PIXELS;
  }
  return { atMs, quality: computeSharpness(light) * computeExposure(light), colours };
}

/** The variance of the Laplacian; so much makes half of the mark. */
const HALF_SHARP = 150;

function computeSharpness(light: Float32Array): number {
  const { width, height } = SAMPLE;
  let [sum, squares, count] = [0, 0, 0];
  for (let y = 1; y < height - 1; y++) {
    for (let x = 1; x < width - 1; x++) {
      const at = y * width + x;
      const edge =
        4 * light[at]! - light[at - 1]! - light[at + 1]! - light[at - width]! - light[at + width]!;
      sum += edge;
      squares += edge * edge;
      count += 1;
    }
  }
  const variance = squares / count - (sum / count) ** 2;
  return variance / (variance + HALF_SHARP);
}

/** Neither black nor white, nor all of one light. */
function computeExposure(light: Float32Array): number {
  let [sum, clipped] = [0, 0];
  for (const value of light) {
    sum += value;
    if (value < 8 || value > 247) clipped += 1;
  }
  const mean = sum / PIXELS;
  const middle = Math.min(1, Math.max(0, mean - 10) / 50, Math.max(0, 250 - mean) / 40);
  return middle * (1 - clipped / PIXELS) ** 0.5;
}

/** 0: the same colours; 1: none in common. */
export function computeDistance(a: Sample, b: Sample): number {
  let sum = 0;
  for (let bin = 0; bin < 64; bin++) sum += Math.abs(a.colours[bin]! - b.colours[bin]!);
  return sum / 2;
}

/** A cut changes more of the picture than a moving hand. */
const MIN_CUT_DISTANCE = 0.3;
/** Below it two scenes show the same. */
const MAX_SAME_DISTANCE = 0.12;
const SHORTEST_MS = 1000;
/** A take without a cut is looked at so often. */
const LONG_MS = 15_000;

/** Returns the scenes in order of time; at least one for any video with a picture. */
export function detectScenes(samples: readonly Sample[], durationMs: number): Scene[] {
  if (samples.length === 0) return [];
  const parts = divideLong(mergeSame(divideAtCuts(samples)));
  const shown = parts.filter((part) => getBest(part).quality > MAX_BLANK_QUALITY);
  const kept = selectStrongest(shown.length > 0 ? shown : [samples]);
  const best = kept.map(getBest);
  const marks = rankByVariety(best);
  return kept.map((part, index) => {
    const next = samples[samples.indexOf(part.at(-1)!) + 1];
    const endMs = Math.max(best[index]!.atMs, next?.atMs ?? durationMs);
    const startMs = part[0]!.atMs;
    return { startMs, endMs, atMs: best[index]!.atMs, ...marks[index]! };
  });
}

/** Black, white or grey. */
const MAX_BLANK_QUALITY = 0.02;

type Part = readonly Sample[];

const getBest = (part: Part): Sample =>
  part.reduce((best, one) => (one.quality > best.quality ? one : best));

function divideAtCuts(samples: readonly Sample[]): Part[] {
  const parts: Sample[][] = [];
  for (const [index, sample] of samples.entries()) {
    const part = parts.at(-1);
    const isCut = index > 0 && computeDistance(samples[index - 1]!, sample) > MIN_CUT_DISTANCE;
    const isLong = part !== undefined && sample.atMs - part[0]!.atMs >= SHORTEST_MS;
    if (!part || (isCut && isLong)) parts.push([sample]);
    else part.push(sample);
  }
  return parts;
}

/** A flash of light is no new scene. */
function mergeSame(parts: readonly Part[]): Part[] {
  const merged: Part[] = [];
  for (const part of parts) {
    const before = merged.at(-1);
    if (before && computeDistance(getBest(before), getBest(part)) < MAX_SAME_DISTANCE) {
      merged[merged.length - 1] = [...before, ...part];
    } else merged.push(part);
  }
  return merged;
}

/** Pieces of equal length, where they differ at all. */
function divideLong(parts: readonly Part[]): Part[] {
  return parts.flatMap((part) => {
    const lengthMs = part.at(-1)!.atMs - part[0]!.atMs;
    const count = Math.min(MAX_SCENES, Math.floor(lengthMs / LONG_MS) + 1);
    if (count === 1) return [part];
    const size = Math.ceil(part.length / count);
    const pieces = Array.from({ length: Math.ceil(part.length / size) }, (_, at) =>
      part.slice(at * size, (at + 1) * size),
    );
    return mergeSame(pieces);
  });
}

/** Returns the longest scenes, in order of time. */
function selectStrongest(parts: readonly Part[]): Part[] {
  if (parts.length <= MAX_SCENES) return [...parts];
  const worth = (part: Part) => getBest(part).quality * Math.sqrt(part.length);
  const kept = new Set([...parts].sort((a, b) => worth(b) - worth(a)).slice(0, MAX_SCENES));
  return parts.filter((part) => kept.has(part));
}

const QUALITY_SHARE = 0.6;

/** Ranks scenes: the best first, then good ones unlike those before. */
function rankByVariety(best: readonly Sample[]): { rank: number; score: number }[] {
  const marks: { rank: number; score: number }[] = [];
  const chosen: Sample[] = [];
  let least = 1;
  while (chosen.length < best.length) {
    let [at, top] = [-1, -1];
    for (const [index, sample] of best.entries()) {
      if (marks[index]) continue;
      const variety = Math.min(1, ...chosen.map((other) => computeDistance(other, sample)));
      const mark = QUALITY_SHARE * sample.quality + (1 - QUALITY_SHARE) * variety;
      if (mark > top) [at, top] = [index, mark];
    }
    least = Math.min(least, Math.max(0, top));
    chosen.push(best[at]!);
    marks[at] = { rank: chosen.length, score: least };
  }
  return marks;
}
