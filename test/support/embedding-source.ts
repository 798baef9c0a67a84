// Vectors as a CLIP model makes them of a library of photos, for measurements of the index of vectors.
//
// A picture is the sum of a direction that all have in common (half of its square length), its topic (0.12), a cluster of
// the topic (0.18), the moment it was taken at (0.14) and noise of its own (0.06). So two pictures have a cosine of 0.5,
// of a topic 0.62, of a cluster 0.8, of a moment 0.94. Moments have four pictures on average, and few clusters have most
// moments. The variance of the numbers decreases as n^-0.8 (74 dimensions by participation ratio), and two of those that
// all have in common are outliers, by which rounding to bytes loses most. A text has a direction of its own, and a part
// that points to a cluster of pictures: its cosine to the best picture is about 0.3.

const TOPICS = 40;
const CLUSTERS = 4000;
const VARIANCE_EXPONENT = 0.8;
const [COMMON, TOPIC, CLUSTER, MOMENT, OWN] = [0.5, 0.12, 0.18, 0.14, 0.06].map(Math.sqrt) as [
  number,
  number,
  number,
  number,
  number,
];
/** Weights of the outliers in the common direction, whose square length is 1. */
const OUTLIERS = [0.6, -0.4];
const MEAN_MOMENT = 4;
const POOL = 1 << 22;

export type EmbeddingSource = {
  /** Fills `into` with the next picture of the library; returns its cluster, the largest first. */
  readonly drawStored: (into: Float32Array) => number;
  /** Returns a picture that is not of the library. */
  readonly drawPicture: () => Float32Array;
  readonly drawText: () => Float32Array;
  /** Returns a number from 0 to 1. */
  readonly random: () => number;
};

/** Returns a source of vectors of unit length, the same ones for the same seed. */
export function createEmbeddingSource(dimension: number, seed = 12_345): EmbeddingSource {
  let state = seed;
  const random = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
  const gauss = () => Math.sqrt(-2 * Math.log(random() + 1e-12)) * Math.cos(2 * Math.PI * random());
  const deviations = Float32Array.from(
    { length: dimension },
    (_, n) => (n + 1) ** (-VARIANCE_EXPONENT / 2),
  );
  const length = Math.hypot(...deviations);
  for (let n = 0; n < dimension; n++) deviations[n]! /= length;
  // A gauss for every number would take hours: noise is drawn from a pool, at random places.
  const pool = Float32Array.from({ length: POOL }, gauss);
  const addNoise = (to: Float32Array, from: Float32Array, weight: number) => {
    const start = Math.floor(random() * (POOL - dimension));
    for (let n = 0; n < dimension; n++)
      to[n] = from[n]! + weight * deviations[n]! * pool[start + n]!;
    return to;
  };
  const draw = (weight: number, from: Float32Array = new Float32Array(dimension)) =>
    addNoise(new Float32Array(dimension), from, weight);

  const common = draw(Math.sqrt(1 - OUTLIERS.reduce((sum, value) => sum + value * value, 0)));
  for (const [at, value] of OUTLIERS.entries()) common[Math.floor(dimension / (3 + at))] = value;
  const ofTexts = draw(1);
  const topics = Array.from({ length: TOPICS }, () => draw(TOPIC));
  const meanings = Array.from({ length: CLUSTERS }, (_, at) => draw(CLUSTER, topics[at % TOPICS]!));
  const centres = meanings.map((meaning) => meaning.map((value, n) => value + COMMON * common[n]!));
  const chooseCluster = () => Math.floor(random() ** 2 * CLUSTERS);

  const moment = new Float32Array(dimension);
  let [left, cluster] = [0, 0];
  return {
    random,
    drawStored: (into) => {
      if (left === 0) {
        cluster = chooseCluster();
        addNoise(moment, centres[cluster]!, MOMENT);
        left = Math.ceil(-MEAN_MOMENT * Math.log(1 - random()));
      }
      left -= 1;
      normalize(addNoise(into, moment, OWN));
      return cluster;
    },
    drawPicture: () => normalize(draw(OWN, draw(MOMENT, centres[chooseCluster()]!))),
    drawText: () => {
      const meaning = normalize(draw(Math.hypot(TOPIC, CLUSTER), meanings[chooseCluster()]!));
      return normalize(meaning.map((value, n) => 0.6 * value + 0.8 * ofTexts[n]!));
    },
  };
}

function normalize(vector: Float32Array): Float32Array {
  let square = 0;
  for (const value of vector) square += value * value;
  const by = 1 / Math.sqrt(square);
  for (let n = 0; n < vector.length; n++) vector[n]! *= by;
  return vector;
}
