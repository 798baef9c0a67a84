import { compare, rational, toRational, toSeconds, toWire, ZERO } from '../../src/core/rational.ts';
import {
  type Clip,
  EMPTY_DOCUMENT,
  type Film,
  getEnd,
  getStart,
  toFilm,
} from '../../src/web/pages/studio/film.ts';

export const seconds = (numerator: number, denominator = 1) =>
  rational(BigInt(numerator), BigInt(denominator));

export const clip = (
  id: string,
  start: number,
  duration: number,
  values: Partial<Clip> = {},
): Clip => ({
  id,
  assetId: '00000000-0000-4000-8000-000000000001',
  track: 0,
  start: toWire(seconds(start)),
  duration: toWire(seconds(duration)),
  sourceIn: toWire(ZERO),
  ...values,
});

export const film = (...clips: Clip[]): Film => ({ ...toFilm(EMPTY_DOCUMENT), clips });

/** Returns a line for each clip, by track and time. */
export const describe = (film: Film) =>
  film.clips
    .toSorted((a, b) => a.track - b.track || compare(getStart(a), getStart(b)))
    .map(
      (clip) =>
        `${clip.track}: ${toSeconds(getStart(clip))}-${toSeconds(getEnd(clip))} ` +
        `from ${toSeconds(toRational(clip.sourceIn))}`,
    );
