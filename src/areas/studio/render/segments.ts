import {
  add,
  ceil,
  compare,
  divide,
  multiply,
  type Rational,
  rational,
  subtract,
  toRational,
} from '../../../core/rational.ts';
import type { StudioDocument } from '../../../db/tables/studio.ts';
import { getEnd } from '../projects/document.ts';
import { findLayers, type Layers } from './layers.ts';

/** Consecutive frames that show the same clips and titles. */
export type Segment = Layers & { readonly frames: number };

/** Nobody sees more in a preview. */
const MAX_RATE = rational(30n);

/** Returns the frames per second at which a film is played: its own, or a whole part of them. */
export function getPlayingRate({ frameRate }: StudioDocument): Rational {
  const rate = toRational(frameRate);
  return divide(rate, rational(ceil(divide(rate, MAX_RATE))));
}

/**
 * Returns the segments of a film from a time to its end, whose frames lie at that time and every 1/rate
 * seconds after it. Behind the end there is one frame.
 */
export function* listSegments(
  document: StudioDocument,
  from: Rational,
  rate: Rational,
): Generator<Segment> {
  const { clips, titles = [] } = document;
  const changes = [...clips, ...titles]
    .flatMap((span) => [toRational(span.start), getEnd(span)])
    .filter((time) => compare(time, from) > 0)
    .map((time) => Number(ceil(multiply(subtract(time, from), rate))));
  const bounds = [...new Set([0, ...changes])].toSorted((a, b) => a - b);
  for (const [index, begin] of bounds.entries()) {
    const time = add(from, divide(rational(BigInt(begin)), rate));
    const end = bounds[index + 1];
    if (end !== undefined) yield { ...findLayers(document, time), frames: end - begin };
    else if (begin === 0) yield { ...findLayers(document, time), frames: 1 };
  }
}
