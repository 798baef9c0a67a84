// Scene detection from small frames at equal intervals.

import { requireValue } from '../core/required.ts';
import { computeDistance, type Sample } from './scene-samples.ts';

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

/** A cut changes more of the picture than a moving hand. */
const MIN_CUT_DISTANCE = 0.3;
/** Below it two scenes show the same. */
const MAX_SAME_DISTANCE = 0.12;
const SHORTEST_MS = 1000;
/** A take without a cut is looked at so often. */
const LONG_MS = 15_000;

/** Returns the scenes in order of time; at least one for any video with a picture. */
export function detectScenes(samples: readonly Sample[], durationMs: number): Scene[] {
  const [first, ...rest] = samples;
  if (!first) return [];
  const parts = divideLong(mergeSame(divideAtCuts(samples)));
  const shown = parts.filter((part) => getBest(part).quality > MAX_BLANK_QUALITY);
  const kept = selectStrongest(shown.length > 0 ? shown : [[first, ...rest]]);
  const marks = rankByVariety(kept.map(getBest));
  return kept.map((part) => {
    const best = getBest(part);
    const next = samples[samples.indexOf(getLast(part)) + 1];
    const endMs = Math.max(best.atMs, next?.atMs ?? durationMs);
    const mark = requireValue(marks.get(best), 'rank of a scene');
    return { startMs: part[0].atMs, endMs, atMs: best.atMs, ...mark };
  });
}

/** Black, white or grey. */
const MAX_BLANK_QUALITY = 0.02;

type Part = readonly [Sample, ...Sample[]];

const getBest = (part: Part): Sample =>
  part.reduce((best, one) => (one.quality > best.quality ? one : best));

const getLast = (part: Part): Sample => part.at(-1) ?? part[0];

function divideAtCuts(samples: readonly Sample[]): Part[] {
  const parts: [Sample, ...Sample[]][] = [];
  for (const sample of samples) {
    const part = parts.at(-1);
    const isCut = part && computeDistance(getLast(part), sample) > MIN_CUT_DISTANCE;
    const isLong = part && sample.atMs - part[0].atMs >= SHORTEST_MS;
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
    const lengthMs = getLast(part).atMs - part[0].atMs;
    const count = Math.min(MAX_SCENES, Math.floor(lengthMs / LONG_MS) + 1);
    if (count === 1) return [part];
    const size = Math.ceil(part.length / count);
    const pieces = Array.from({ length: count }, (_, at) => part.slice(at * size, (at + 1) * size));
    return mergeSame(pieces.flatMap(([head, ...tail]): Part[] => (head ? [[head, ...tail]] : [])));
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

type Mark = Pick<Scene, 'rank' | 'score'>;

/** Ranks scenes: the best first, then good ones unlike those before. */
function rankByVariety(best: readonly Sample[]): ReadonlyMap<Sample, Mark> {
  const marks = new Map<Sample, Mark>();
  let least = 1;
  for (const rank of best.keys()) {
    const chosen = [...marks.keys()];
    const rest = best.filter((sample) => !marks.has(sample));
    const scored = rest.map((sample) => {
      const variety = Math.min(1, ...chosen.map((other) => computeDistance(other, sample)));
      return { sample, score: QUALITY_SHARE * sample.quality + (1 - QUALITY_SHARE) * variety };
    });
    const top = scored.reduce((most, one) => (one.score > most.score ? one : most));
    least = Math.min(least, Math.max(0, top.score));
    marks.set(top.sample, { rank: rank + 1, score: least });
  }
  return marks;
}
