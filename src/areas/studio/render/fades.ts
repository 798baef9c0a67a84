import { toRational, toSeconds, type WireRational } from '../../../core/rational.ts';
import type { StudioClip } from '../../../db/tables/studio.ts';
import { type ClipTime, countFrames, toExpression } from './clip-time.ts';

/** Of a second, in which times are counted for `fade`. */
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
