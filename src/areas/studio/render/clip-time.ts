import type { Rational } from '../../../core/rational.ts';

// A layer that changes is drawn for each frame, the same as a single frame and in a stream.

/** When the frames of a layer lie in its clip, in seconds of the film. */
export type ClipTime = {
  /** The time of the first frame, since the start of the clip. */
  readonly passed: Rational;
  /** From one frame to the next. */
  readonly step: Rational;
};

/** Frames that are made, and as ffmpeg writes it those of a second. */
export type FrameCount = { readonly frames: number; readonly rate: string };

/**
 * Returns an expression of ffmpeg for the time of a frame. Whole numbers are divided once: equal times are the
 * same floating-point number, whichever frame they are counted from.
 */
export const toExpression = ({ passed, step }: ClipTime, frame: string): string =>
  `(${passed.numerator * step.denominator}+${frame}*${step.numerator * passed.denominator})/` +
  `${passed.denominator * step.denominator}`;

/** Filters to times as `overlay` expects them. */
export const countFrames = (rate: string): string[] => [`settb=1/(${rate})`, 'setpts=N'];

/** Filters that repeat the last frame until the end. */
export const repeatLast = ({ frames, rate }: FrameCount): string[] =>
  frames === 1
    ? []
    : ['tpad=stop_mode=clone:stop=-1', `trim=end_frame=${frames}`, ...countFrames(rate)];
