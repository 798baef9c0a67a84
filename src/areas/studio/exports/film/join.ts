import type { WireRational } from '../../../../core/rational.ts';
import { getTimescale, joinFilmParts, type JoinedParts } from '../../../../media/film-encoding.ts';

type Parts = Omit<JoinedParts, 'coding' | 'limits'> & {
  readonly rate: WireRational;
  readonly timeoutMs: number;
};

/** Joins the parts of a film, whose frames keep the exact times of their rate. */
export function joinParts({ rate, timeoutMs, ...parts }: Parts): Promise<string> {
  const timescale = getTimescale(rate);
  // The list counts in microseconds, and frames lie at whole units.
  const units = (timescale * rate.denominator) / rate.numerator;
  const times = `-bsf:v setts=ts=round(N*${units}):duration=${Math.round(units)}`;
  return joinFilmParts({
    ...parts,
    coding: `${times} -video_track_timescale ${timescale}`.split(' '),
    limits: { timeoutMs, cpuSeconds: (2 * timeoutMs) / 1000 },
  });
}
