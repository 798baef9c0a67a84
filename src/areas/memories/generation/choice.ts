import { dot } from '../../../inference/index.ts';
import type { Candidate } from './candidates.store.ts';

// Choice of the pictures of a memory: good ones that differ from each other (maximal marginal relevance).

const MAX_CHOSEN = 20;
const MAX_VIDEOS = 2;

/** Two pictures as similar show the same: copies reach 0.9, the next shots of a scene hardly less. */
const SAME_SCENE = 0.85;
/** Without feature vectors: taken in one burst. */
const BURST_MS = 10_000;
const SCENE_MS = 20 * 60_000;

const WEIGHTS = {
  favorite: 0.6,
  rating: 0.1,
  namedFace: 0.15,
  faceCut: -0.3,
  sharpness: 0.8,
  exposure: 0.5,
  video: -0.2,
  similarity: 1.2,
  crowdedTime: 0.5,
};
const MAX_NAMED_FACES = 3;
/**
 * The quality of pictures that have not been measured: they replace only what turns out worse, or all would be
 * measured.
 */
const UNKNOWN_QUALITY = 0.5;
const LEAST_SHARPNESS = 0.2;
const LEAST_EXPOSURE = 0.3;

export type Scene = {
  /** Unit vectors by picture. */
  readonly vectors: ReadonlyMap<string, Float32Array>;
  /** Set of duplicates by picture. */
  readonly duplicateSets: ReadonlyMap<string, string>;
};

/** Whether the picture is good enough, as far as is known. */
const isGood = ({ sharpness, exposure }: Candidate): boolean =>
  (sharpness ?? 1) >= LEAST_SHARPNESS && (exposure ?? 1) >= LEAST_EXPOSURE;

export function rate(picture: Candidate): number {
  const { isFavorite, rating, namedFaces, isFaceCut, isVideo, sharpness, exposure } = picture;
  return (
    1 +
    (isFavorite ? WEIGHTS.favorite : 0) +
    rating * WEIGHTS.rating +
    Math.min(namedFaces, MAX_NAMED_FACES) * WEIGHTS.namedFace +
    (isFaceCut ? WEIGHTS.faceCut : 0) +
    (isVideo ? WEIGHTS.video : 0) +
    (sharpness ?? UNKNOWN_QUALITY) * WEIGHTS.sharpness +
    (exposure ?? UNKNOWN_QUALITY) * WEIGHTS.exposure
  );
}

type Rated = { readonly picture: Candidate; readonly score: number; penalty: number };

/** Returns at most 20 pictures, the best first: none shows the same as another. */
export function choosePictures(candidates: readonly Candidate[], scene: Scene): Candidate[] {
  let rest: Rated[] = candidates
    .filter(isGood)
    .map((picture) => ({ picture, score: rate(picture), penalty: 0 }))
    .toSorted((a, b) => b.score - a.score || (a.picture.id < b.picture.id ? -1 : 1));
  const times = rest.map(({ picture }) => picture.takenMs);
  const crowdMs = Math.max(1, (Math.max(...times) - Math.min(...times)) / MAX_CHOSEN);
  const chosen: Candidate[] = [];
  while (rest.length > 0 && chosen.length < MAX_CHOSEN) {
    const best = rest.reduce((a, b) => (b.score - b.penalty > a.score - a.penalty ? b : a));
    const { picture } = best;
    chosen.push(picture);
    const isFull = chosen.filter(({ isVideo }) => isVideo).length >= MAX_VIDEOS;
    rest = rest.filter(
      (other) =>
        other !== best &&
        !(isFull && other.picture.isVideo) &&
        !isSame(picture, other.picture, scene),
    );
    for (const other of rest) {
      const apart = Math.abs(other.picture.takenMs - picture.takenMs);
      const penalty =
        WEIGHTS.similarity * compare(picture, other.picture, scene) +
        WEIGHTS.crowdedTime * Math.exp(-apart / crowdMs);
      other.penalty = Math.max(other.penalty, penalty);
    }
  }
  return chosen;
}

/** Pictures as similar are of one thing, from another side or a little later. */
const SAME_THING = 0.7;
/** Without feature vectors. */
const ONE_THING_MS = 5 * 60_000;

/** A road sign, and something that was photographed several times, are none. */
const LEAST_THINGS = 3;

/**
 * Whether the pictures of a day tell something: one that the owner likes, somebody with a name, or several things.
 */
export function tellsStory(chosen: readonly Candidate[], scene: Scene): boolean {
  const isCherished = ({ isFavorite, rating, namedFaces }: Candidate) =>
    isFavorite || rating > 0 || namedFaces > 0;
  return chosen.some(isCherished) || countThings(chosen, scene) >= LEAST_THINGS;
}

/** Returns how many things the pictures show: each is like one of its own thing, and like none of the others. */
function countThings(pictures: readonly Candidate[], scene: Scene): number {
  const left = new Set(pictures);
  let things = 0;
  for (const first of left) {
    const thing = new Set([first]);
    for (const known of thing) {
      left.delete(known);
      for (const other of left) if (isOfOneThing(known, other, scene)) thing.add(other);
    }
    things++;
  }
  return things;
}

function isOfOneThing(one: Candidate, other: Candidate, scene: Scene): boolean {
  const cosine = computeCosine(one, other, scene);
  if (cosine !== undefined) return cosine >= SAME_THING;
  return Math.abs(one.takenMs - other.takenMs) < ONE_THING_MS;
}

function isSame(one: Candidate, other: Candidate, scene: Scene): boolean {
  const set = scene.duplicateSets.get(one.id);
  if (set !== undefined && set === scene.duplicateSets.get(other.id)) return true;
  const cosine = computeCosine(one, other, scene);
  if (cosine !== undefined) return cosine >= SAME_SCENE;
  return Math.abs(one.takenMs - other.takenMs) < BURST_MS;
}

/** Returns the cosine of the vectors, or without these how near to each other they were taken: 0 to 1. */
function compare(one: Candidate, other: Candidate, scene: Scene): number {
  const cosine = computeCosine(one, other, scene);
  if (cosine !== undefined) return Math.max(0, cosine);
  return Math.exp(-Math.abs(one.takenMs - other.takenMs) / SCENE_MS);
}

function computeCosine(one: Candidate, other: Candidate, { vectors }: Scene): number | undefined {
  const [a, b] = [vectors.get(one.id), vectors.get(other.id)];
  return a && b && dot(a, b);
}
