import {
  add,
  ceil,
  compare,
  multiply,
  type Rational,
  subtract,
  toRational,
  ZERO,
} from '../../../core/rational.ts';
import type {
  StudioClip,
  StudioDocument,
  StudioSound,
  StudioTitle,
} from '../../../db/tables/studio.ts';
import { getEnd } from '../projects/document.ts';

/** A clip that shows at a moment. */
export type ActiveClip = {
  readonly clip: StudioClip;
  /** Seconds of the film since its start. */
  readonly passed: Rational;
  /** The time in its source. */
  readonly sourceTime: Rational;
  /** Frames of a segment that show it, the first ones; undefined: all. */
  readonly frames?: number;
};

/** A title that shows at a moment. */
export type ActiveTitle = {
  readonly title: StudioTitle;
  /** Seconds of the film since its start. */
  readonly passed: Rational;
  /** As of a clip. */
  readonly frames?: number;
};

/** Clips and titles that show at a moment, from the lowest to the highest. */
export type Layers = {
  readonly clips: readonly ActiveClip[];
  readonly titles: readonly ActiveTitle[];
};

const NORMAL_SPEED = { numerator: 1, denominator: 1 };

/** Returns the seconds of the source in a second of the film. */
export const getSpeed = ({ speed = NORMAL_SPEED }: StudioSound): Rational => toRational(speed);

/** A clip shows from its start until just before its end. */
export function findLayers({ clips, titles = [] }: StudioDocument, time: Rational): Layers {
  const isActive = (span: Pick<StudioClip, 'start' | 'duration'>) =>
    compare(toRational(span.start), time) <= 0 && compare(time, getEnd(span)) < 0;
  const active = clips
    .filter(isActive)
    .toSorted((a, b) => a.track - b.track || compare(toRational(a.start), toRational(b.start)));
  return {
    clips: active.map((clip) => activate(clip, time)),
    titles: titles
      .filter(isActive)
      .map((title) => ({ title, passed: subtract(time, toRational(title.start)) })),
  };
}

function activate(clip: StudioClip, time: Rational): ActiveClip {
  const passed = subtract(time, toRational(clip.start));
  const sourceTime = add(toRational(clip.sourceIn), multiply(passed, getSpeed(clip)));
  return { clip, passed, sourceTime };
}

/** Returns the end of the last clip or title. */
export const getDuration = ({ clips, titles = [] }: StudioDocument): Rational =>
  [...clips, ...titles].map(getEnd).reduce((a, b) => (compare(a, b) < 0 ? b : a), ZERO);

/** Returns the frames of a film. */
export const countFrames = (document: StudioDocument): number =>
  Number(ceil(multiply(getDuration(document), toRational(document.frameRate))));
