import {
  ceil,
  divide,
  multiply,
  type Rational,
  rational,
  toRational,
} from '../../../../core/rational.ts';
import { requireValue } from '../../../../core/required.ts';
import type { StudioDocument } from '../../../../db/tables/studio.ts';
import { countFrames } from '../../render/layers.ts';
import { listSegments, type Segment } from '../../render/segments.ts';

/** So much is made anew after an interruption, at most. */
const MAX_SECONDS = 20n;
/** Shorter segments are joined with the next one: starting an encoder and seeking take longer than they do. */
const SHORT_SECONDS = 1n;

/** Returns the pieces of a film in order, each part of one segment, or a short one with the next. */
export function* listPieces(document: StudioDocument): Generator<Segment> {
  const rate = toRational(document.frameRate);
  const most = countWithin(MAX_SECONDS, rate);
  const total = countFrames(document);
  for (let first = 0; first < total;) {
    const [found, next] = listSegments(document, divide(rational(BigInt(first)), rate), rate);
    const segment = requireValue(found, 'segment of a film');
    const isShort = segment.frames <= countWithin(SHORT_SECONDS, rate);
    const joined = isShort && next ? join(segment, next) : segment;
    const piece = { ...joined, frames: Math.min(joined.frames, most) };
    yield piece;
    first += piece.frames;
  }
}

const countWithin = (seconds: bigint, rate: Rational): number =>
  Math.max(1, Number(ceil(multiply(rate, rational(seconds)))));

/** Returns both segments as one; the first alone if anything begins in the second. */
function join(first: Segment, next: Segment): Segment {
  const clips = new Set(next.clips.map(({ clip }) => clip));
  const titles = new Set(next.titles.map(({ title }) => title));
  const { frames } = first;
  const joined = {
    frames: frames + next.frames,
    clips: first.clips.map((one) => (clips.delete(one.clip) ? one : { ...one, frames })),
    titles: first.titles.map((one) => (titles.delete(one.title) ? one : { ...one, frames })),
  };
  return clips.size === 0 && titles.size === 0 ? joined : first;
}
