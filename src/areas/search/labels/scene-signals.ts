import type { Label, Layout } from '../../../inference/index.ts';

export type SceneSignals = {
  /** Labels of the whole: probabilities add up to 1 at most. */
  readonly tags: readonly Label[];
  /** All that were found, several of a kind. */
  readonly objects: readonly Label[];
  /** Empty: not known. */
  readonly layout: Layout;
  /** Exposure value at ISO 100. */
  readonly exposure?: number | undefined;
  /** Degrees above the horizon. */
  readonly sunHeight?: number | undefined;
  /** Folded words that were read. */
  readonly words: readonly string[];
};

/** Signals with ways to ask for them. */
export type Picture = SceneSignals & {
  /** Returns the probability that the whole is one of these. */
  readonly tag: (...names: readonly string[]) => number;
  /** Returns the greatest score of these kinds, 0 without any. */
  readonly object: (...names: readonly string[]) => number;
  /** Returns the number of objects of these kinds. */
  readonly count: (...names: readonly string[]) => number;
};

export function toPicture(signals: SceneSignals): Picture {
  const scores = new Map<string, number>();
  for (const { label, score } of signals.tags) scores.set(label, (scores.get(label) ?? 0) + score);
  const find = (names: readonly string[]) =>
    signals.objects.filter(({ label }) => names.includes(label));
  return {
    ...signals,
    tag: (...names) => clamp(names.reduce((sum, name) => sum + (scores.get(name) ?? 0), 0)),
    object: (...names) => Math.max(0, ...find(names).map(({ score }) => score)),
    count: (...names) => find(names).length,
  };
}

/** Returns how likely a scene is, 0 to 1. */
export type RateScene = (picture: Picture) => number;

export const clamp = (value: number): number => Math.min(1, Math.max(0, value));

/** Returns the probability that at least one of independent signs is right. */
export const either = (...signs: readonly number[]): number =>
  1 - signs.reduce((none, sign) => none * (1 - clamp(sign)), 1);

/** Returns 0 up to a value, 1 from another, and in between what is proportional. */
export const rise = (value: number, from: number, to: number): number =>
  clamp((value - from) / (to - from));

/** Names of labels, separated by commas. */
export const toNames = (text: string): readonly string[] => text.split(/,\s+/);

/** Exposure values: outdoors by day, and what no lamp reaches. */
const [DAY, SUN] = [10, 11];
const DAWN = 6;

/** Returns whether a photo was taken by day, as far as exposure and date tell. */
export const isDaylight = ({ exposure, sunHeight }: SceneSignals): boolean =>
  exposure === undefined ? sunHeight !== undefined && sunHeight > DAWN : exposure >= DAY;

/** Returns whether the light is that of the sun, which no room has. */
export const isSunlight = ({ exposure }: SceneSignals): boolean =>
  exposure !== undefined && exposure >= SUN;
