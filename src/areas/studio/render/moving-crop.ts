import { divide, toRational } from '../../../core/rational.ts';
import type { StudioClip } from '../../../db/tables/studio.ts';
import type { Size } from '../../../media/sizes.ts';
import { FULL_CROP } from '../projects/document.ts';
import { type ClipTime, type FrameCount, repeatLast, toExpression } from './clip-time.ts';
import { limitEnlargement, type PixelFormat, SCALING } from './pixel-format.ts';

/** `perspective` takes less time in YUV than in RGB. */
const FULL_RANGE = {
  to: ':out_color_matrix=bt601:out_range=pc',
  from: ':in_color_matrix=bt601:in_range=pc',
};

type MovingCrop = {
  readonly clip: StudioClip;
  readonly picture: Size;
  /** The size of the crop as it is drawn. */
  readonly size: Size;
  /** Options of `scale` about the colours of the picture. */
  readonly colors: string;
  readonly format: PixelFormat;
};

/**
 * Returns filters from a picture to its crop on the way from `crop` to `cropTo`. `perspective` draws between
 * pixels, as neither `crop` nor `zoompan` does. It makes frames of the size that it gets: the crop is their
 * upper left.
 */
export function moveCrop(
  { clip, picture, size, colors, format }: MovingCrop,
  { passed, step }: ClipTime,
  count: FrameCount,
): string[] {
  const { crop = FULL_CROP, cropTo = crop, easing } = clip;
  const between = format.name === 'yuv420p' ? format : FULL_RANGE;
  const across = planMove(
    toSpan(crop.x, crop.width, picture.width),
    toSpan(cropTo.x, cropTo.width, picture.width),
    { length: picture.width, drawn: size.width },
  );
  const down = planMove(
    toSpan(crop.y, crop.height, picture.height),
    toSpan(cropTo.y, cropTo.height, picture.height),
    { length: picture.height, drawn: size.height },
  );
  const length = toRational(clip.duration);
  const share = { passed: divide(passed, length), step: divide(step, length) };
  const passedShare = toExpression(share, '(on-1)');
  const moved = easing === 'smooth' ? smooth(passedShare) : passedShare;
  const toCoordinate = ([begin, end]: Line) =>
    `'${begin.toFixed(6)}+${(end - begin).toFixed(6)}*${moved}'`;
  const corners = [down.low, down.high].flatMap((y) => [across.low, y, across.high, y]);
  return [
    `crop=${across.part.length}:${down.part.length}:${across.part.start}:${down.part.start}:exact=1`,
    `scale=${across.pixels}:${down.pixels}:${SCALING}${colors}${between.to}`,
    'format=yuv420p',
    ...repeatLast(count),
    `perspective=${corners.map(toCoordinate).join(':')}:eval=frame`,
    `crop=${size.width}:${size.height}:0:0:exact=1`,
    ...(between === format ? [] : [`scale=${SCALING}${between.from}`]),
  ];
}

/** Returns an expression from 0 to 1 as `share` goes there, slower at both ends. */
const smooth = (share: string): string => `st(0,${share})*ld(0)*(3-2*ld(0))`;

type Span = { readonly start: number; readonly length: number };

const toSpan = (start: number, length: number, picture: number): Span => ({
  start: start * picture,
  length: length * picture,
});

/** A coordinate at the start of a clip and at its end. */
type Line = readonly [number, number];

type Move = {
  /** Pixels of the picture that are ever seen. */
  readonly part: Span;
  /** That they are scaled to: a still only once. */
  readonly pixels: number;
  /** Among these: where the first pixel of a frame lies, and the one behind the last. */
  readonly low: Line;
  readonly high: Line;
};

function planMove(
  from: Span,
  to: Span,
  { length, drawn }: { readonly length: number; readonly drawn: number },
): Move {
  const start = Math.floor(Math.min(from.start, to.start));
  const end = Math.ceil(Math.max(from.start + from.length, to.start + to.length));
  const part = { start, length: Math.min(length, end) - start };
  const wanted = part.length / Math.min(from.length, to.length);
  const pixels = Math.ceil(drawn * limitEnlargement(wanted, part.length / drawn));
  const scale = pixels / part.length;
  const locate = (span: Span): [low: number, high: number] => {
    const step = (span.length * scale) / drawn;
    // Pixels are drawn from their middles.
    const low = (span.start - start) * scale + (step - 1) / 2;
    return [low, low + step * pixels];
  };
  const [begin, final] = [locate(from), locate(to)];
  return { part, pixels, low: [begin[0], final[0]], high: [begin[1], final[1]] };
}
