import {
  add,
  compare,
  multiply,
  rational,
  subtract,
  toRational,
  toSeconds,
  type WireRational,
} from '../../../core/rational.ts';
import type { StudioClip } from '../../../db/tables/studio.ts';
import { type ClipTime, countFrames, toExpression } from './clip-time.ts';

type Fading = { readonly clip: StudioClip; readonly time: ClipTime };

/** Returns a layer whose clip has only the fades in which one of its frames lies: without any, it may cover others. */
export function withActiveFades<T extends Fading>(layer: T, frames: number): T {
  const { passed, step } = layer.time;
  const { fadeIn, fadeOut, ...clip } = layer.clip;
  const last = add(passed, multiply(step, rational(BigInt(frames - 1))));
  const isComing = fadeIn && compare(passed, toRational(fadeIn)) < 0;
  const isGoing =
    fadeOut && compare(last, subtract(toRational(clip.duration), toRational(fadeOut))) > 0;
  return { ...layer, clip: { ...clip, ...(isComing && { fadeIn }), ...(isGoing && { fadeOut }) } };
}

/** Times are counted in such parts of a second for `fade`. */
const UNIT = 1e9;

/** Filters that make frames with alpha transparent while their clip fades in or out; none if it never does. */
export function buildFades(
  { duration, fadeIn, fadeOut }: StudioClip,
  time: ClipTime,
  rate: string,
): string[] {
  const end = toSeconds(toRational(duration));
  const fades = [...buildFade('in', fadeIn, () => 0), ...buildFade('out', fadeOut, (d) => end - d)];
  if (fades.length === 0) return [];
  const clock = [`settb=1/${UNIT}`, `setpts='round(${toExpression(time, 'N')}*${UNIT})'`];
  return [...clock, ...fades, ...countFrames(rate)];
}

/** `fade` counts in microseconds; without any it fades for 25 frames. */
const SHORTEST = 1e-6;

function buildFade(
  type: 'in' | 'out',
  length: WireRational | undefined,
  getStart: (seconds: number) => number,
): string[] {
  const seconds = length ? toSeconds(toRational(length)) : 0;
  if (seconds < SHORTEST) return [];
  return [`fade=${type}:alpha=1:st=${getStart(seconds).toFixed(6)}:d=${seconds.toFixed(6)}`];
}
