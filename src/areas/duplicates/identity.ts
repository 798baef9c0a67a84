import type { JobCtx } from '../../jobs/define.ts';
import { computePixelDigest } from '../../media/pixel-digest.ts';
import { withPrivateFile } from '../../media/private-file.ts';
import { ensureScratchFolder, findOriginal } from '../assets/index.ts';
import type { Picture, Candidate } from './similarity.store.ts';
import { measureCommonPart, type Patches, readPatches } from '../../media/common-part.ts';
import type { PictureLooks } from '../../media/outline.ts';

/** SHA-256 of what is shown of each picture, in hex. */
export type PixelDigests = ReadonlyMap<string, string>;

type PicturePair = readonly [one: Picture, other: Picture];

/** Returns the digests of the pictures of these pairs, which are read in whole where nothing else tells them apart. */
export async function digestPictures(
  ctx: JobCtx,
  pairs: readonly PicturePair[],
): Promise<PixelDigests> {
  const digests = new Map<string, string>();
  for (const picture of new Set(pairs.filter(mayBeIdentical).flat())) {
    const digest = picture.pixels ?? (await readDigest(ctx, picture));
    if (digest) digests.set(picture.assetId, digest);
  }
  return digests;
}

/** Returns whether nobody could tell one from the other, and nothing is lost with one. */
export function areIdentical(digests: PixelDigests, [one, other]: PicturePair): boolean {
  if (!mayBeIdentical([one, other])) return false;
  const digest = digests.get(one.assetId);
  return (
    one.sha256 === other.sha256 || (digest !== undefined && digest === digests.get(other.assetId))
  );
}

const mayBeIdentical = ([one, other]: PicturePair): boolean =>
  !one.isEdited &&
  !other.isEdited &&
  one.liveVideoId === other.liveVideoId &&
  one.type === other.type &&
  one.width === other.width &&
  one.height === other.height;

async function readDigest(ctx: JobCtx, picture: Picture): Promise<string | undefined> {
  if (picture.type !== 'IMAGE') return undefined;
  const { assetId, fileName, sha256 } = picture;
  await using original = await findOriginal(ctx, sha256);
  if (!original) return undefined;
  try {
    const tempDir = await ensureScratchFolder(ctx.paths);
    const bytes = await withPrivateFile(original.path, tempDir, (path) =>
      computePixelDigest(path, { fileName, tempDir, signal: ctx.signal }),
    );
    return bytes && Buffer.from(bytes).toString('hex');
  } catch (error) {
    ctx.signal.throwIfAborted();
    ctx.log.warn('cannot compare all pixels of a picture', { assetId, error });
    return undefined;
  }
}

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
