import type { Label } from '../../../inference/index.ts';
import { LANDSCAPES } from './landscapes.ts';
import { toLikely } from './evidence.ts';
import { PLACES } from './places.ts';
import figures from './scene-figures.json' with { type: 'json' };
import { clamp, type RateScene, type SceneSignals, toPicture } from './scene-signals.ts';
import { WEAK_RATES } from './weak-scenes.ts';

// Scenes of a picture, from what is known of it: what models see in it, where its colours are, the light in which it
// was taken and what is written on it. A change needs another version of DERIVED_LABELS (inference/capabilities.ts).

const RATES: Readonly<Record<string, RateScene>> = { ...LANDSCAPES, ...PLACES };

/** Names of all scenes. */
export const SCENES: readonly string[] = Object.keys(RATES);

/** Scores from which on scenes are claimed, beside what make bench ARGS=scenes has measured. */
const THRESHOLDS = new Map(
  Object.entries(figures).map(([name, { threshold }]) => [name, threshold]),
);

/** From this score on, scenes that are not claimed are less certain results. */
const LIKELY = 0.25;

/** Returns how likely each scene is, claimed or not. */
export function rateScenes(signals: SceneSignals): Label[] {
  const picture = toPicture(signals);
  return Object.entries(RATES).map(([label, rate]) => ({ label, score: clamp(rate(picture)) }));
}

/** Returns the scenes that are claimed. */
export const findScenes = (signals: SceneSignals): Label[] => rateScenes(signals).filter(isClaimed);

const isClaimed = ({ label, score }: Label): boolean =>
  score >= (THRESHOLDS.get(label) ?? Number.POSITIVE_INFINITY);

/** Returns the scenes that are likely but not claimed: 'sea?'. */
export function findLikelyScenes(signals: SceneSignals): Label[] {
  const picture = toPicture(signals);
  return rateScenes(signals)
    .filter((scene) => !isClaimed(scene))
    .map(({ label, score }) => ({
      label: toLikely(label),
      score: Math.max(score, clamp(WEAK_RATES[label]?.(picture) ?? 0)),
    }))
    .filter(({ score }) => score >= LIKELY);
}
