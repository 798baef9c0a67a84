import { ceil, divide, multiply, rational, toRational } from '../../../../core/rational.ts';
import type { StudioDocument } from '../../../../db/tables/studio.ts';
import { countFrames } from '../../render/layers.ts';
import { listSegments, type Segment } from '../../render/segments.ts';

/** So much is made anew after an interruption, at most. */
const MAX_SECONDS = 20n;

/** Returns the pieces of a film in order, each short and part of one segment. */
export function* listPieces(document: StudioDocument): Generator<Segment> {
  const rate = toRational(document.frameRate);
  const most = Math.max(1, Number(ceil(multiply(rate, rational(MAX_SECONDS)))));
  const total = countFrames(document);
  for (let first = 0; first < total;) {
    const [segment] = listSegments(document, divide(rational(BigInt(first)), rate), rate);
    const frames = Math.min(segment!.frames, most);
    yield { ...segment!, frames };
    first += frames;
  }
}
