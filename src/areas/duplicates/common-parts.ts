import { measureCommonPart, type Patches, readPatches } from '../../media/common-part.ts';
import type { PictureLooks } from '../../media/outline.ts';
import type { Candidate, Picture } from './similarity.store.ts';

/** Minimum cosine similarity of a picture and its crop; half of the area has 0.75 to 0.9, other photos 0.3. */
export const MIN_PART_SIMILARITY = 0.7;
/** Nearest pictures that each new one is compared with, about 1 ms each. */
const MAX_COMPARED = 24;

/** Returns the candidates, best first, without those below `similarity` that are not among the nearest of a picture. */
export function limitCandidates(
  candidates: readonly Candidate[],
  changed: ReadonlySet<string>,
  similarity: number,
): Candidate[] {
  const isAmongNearest = countNearest(changed);
  return candidates.filter((pair) => isAmongNearest(pair) || pair.score >= similarity);
}

/** Returns whether a pair is among the first MAX_COMPARED of those it is called with, of one of its changed pictures. */
function countNearest(changed: ReadonlySet<string>): (pair: Candidate) => boolean {
  const counts = new Map<string, number>();
  return ({ firstId, secondId }) => {
    const counted = [firstId, secondId].filter((id) => changed.has(id));
    const isNear = counted.some((id) => (counts.get(id) ?? 0) < MAX_COMPARED);
    if (isNear) for (const id of counted) counts.set(id, (counts.get(id) ?? 0) + 1);
    return isNear;
  };
}

/**
 * Returns a function that measures whether one of two pictures is part of the other, for the first MAX_COMPARED pairs
 * of each changed picture; null for videos, and where looks are missing.
 */
export function limitComparisons(
  pictures: ReadonlyMap<string, Picture>,
  looks: ReadonlyMap<string, PictureLooks>,
  changed: ReadonlySet<string>,
): (pair: Candidate) => number | null {
  const isAmongNearest = countNearest(changed);
  const read = new Map<string, Patches>();
  const getPatches = (id: string): Patches | undefined => {
    const found = looks.get(id);
    if (!found || pictures.get(id)?.type !== 'IMAGE') return undefined;
    return read.getOrInsertComputed(id, () => readPatches(found.patches));
  };
  return (pair) => {
    const [one, other] = [getPatches(pair.firstId), getPatches(pair.secondId)];
    return one && other && isAmongNearest(pair) ? measureCommonPart(one, other) : null;
  };
}
