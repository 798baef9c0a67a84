import type { DetectedObject, Label } from '../types.ts';
import type { CutOff } from '../models/installed.ts';
import type { Sentences } from './sentences.ts';
import { addScaled, normalize } from '../vectors/arithmetic.ts';

// Semantic search without a joint model of pictures and texts (Norouzi et al., ConSE): a photo's
// vector is the weighted mean of the vectors of its labels.

const toPrompt = (words: string) => `a photo of ${words}`;
const toLabelPrompt = (label: string) => toPrompt(`a ${label}`);
/** The detector's scores are less reliable than the labels'. */
const OBJECT_WEIGHT = 0.5;
const MIN_OBJECT_SCORE = 0.5;

/**
 * Cosines from which on a picture is a result, measured with pictures that nobody tuned the models to (`make bench
 * ARGS=search-quality`): queries for what no picture shows reach 0.69, those for what one shows 0.71 to 0.99.
 */
export const CONSE_CUT_OFF: CutOff = {
  least: 0.7,
  // A vector knows no more than the labels do.
  besideLabels: 0.85,
  distance: 0.1,
};

export type Conse = {
  image(labels: readonly Label[], objects: readonly DetectedObject[]): Promise<Float32Array>;
  query(text: string): Promise<Float32Array>;
};

export function openConse(sentences: Sentences, dimension: number): Conse {
  /** Vectors of labels, about a thousand. */
  const known = new Map<string, Promise<Float32Array>>();
  const embedLabel = (label: string): Promise<Float32Array> => {
    let vector = known.get(label);
    if (!vector) {
      vector = sentences(toLabelPrompt(label));
      known.set(label, vector);
      vector.catch(() => known.delete(label));
    }
    return vector;
  };
  return {
    async image(labels, objects) {
      const best = new Map<string, number>();
      for (const { label, score } of objects) {
        if (score >= MIN_OBJECT_SCORE) best.set(label, Math.max(score, best.get(label) ?? 0));
      }
      const sum = new Float32Array(dimension);
      for (const { label, score } of labels) addScaled(sum, await embedLabel(label), score);
      for (const [label, score] of best) {
        addScaled(sum, await embedLabel(label), score * OBJECT_WEIGHT);
      }
      return normalize(sum);
    },
    query: (text) => sentences(toPrompt(text)),
  };
}
