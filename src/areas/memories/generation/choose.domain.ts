import type { JobCtx } from '../../../jobs/define.ts';
import { readEmbeddings } from '../../../inference/index.ts';
import { listSetsAround } from '../../duplicate-sets/index.ts';
import type { Reader } from '../store.ts';
import { type Candidate, type MeasuredPicture, saveQualities } from './candidates.store.ts';
import { choosePictures, rate, type Scene, tellsStory } from './choice.ts';
import { findFeatureModel } from './save.store.ts';
import { computeQuality, type PictureQuality } from '../../../media/quality.ts';
import * as storage from '../../../storage/index.ts';

/** Compared with each other: the best of many. */
const MAX_COMPARED = 120;
/** Measuring what was chosen may replace some of it, by pictures to be measured. */
const ROUNDS = 4;

/**
 * Returns the pictures that a memory shows, in the order in which they were taken. `needsStory`: none where they tell
 * nothing.
 */
export async function chooseMembers(
  ctx: JobCtx,
  reader: Reader,
  candidates: readonly Candidate[],
  needsStory: boolean,
): Promise<Candidate[]> {
  let compared = candidates.toSorted((a, b) => rate(b) - rate(a)).slice(0, MAX_COMPARED);
  const scene = await readScene(reader, compared);
  let chosen = choosePictures(compared, scene);
  for (let round = 1; round <= ROUNDS; round++) {
    const unknown = chosen.filter(({ sharpness }) => sharpness === null);
    if (unknown.length === 0) break;
    const known = await measureQualities(ctx, unknown);
    const byId = new Map(known.map((picture) => [picture.id, picture]));
    compared = compared.map((picture) => byId.get(picture.id) ?? picture);
    chosen = choosePictures(compared, scene);
  }
  const measured = chosen.filter(({ sharpness }) => sharpness !== null);
  if (needsStory && !tellsStory(measured, scene)) return [];
  return measured.toSorted((a, b) => a.takenMs - b.takenMs || (a.id < b.id ? -1 : 1));
}

async function readScene(reader: Reader, pictures: readonly Candidate[]): Promise<Scene> {
  const ids = pictures.map(({ id }) => id);
  const model = await findFeatureModel(reader.db);
  const stored = model === undefined ? [] : await readEmbeddings(reader.db, model, ids);
  const sets = await listSetsAround(reader, ids);
  return {
    vectors: new Map(stored.map(({ subjectId, vector }) => [subjectId, vector])),
    duplicateSets: new Map(
      sets.flatMap(({ id, itemIds }) => itemIds.map((itemId) => [itemId, id] as const)),
    ),
  };
}

/** A thumbnail that cannot be read shows nothing: tonight, since it may be there again tomorrow. */
const UNREADABLE: PictureQuality = { sharpness: 0, exposure: 0 };

/** Pictures decoded at once, each in a child process. */
const AT_ONCE = 2;

/** Returns these pictures with their quality, which is stored for their thumbnails. */
async function measureQualities(ctx: JobCtx, pictures: readonly Candidate[]): Promise<Candidate[]> {
  const measured: MeasuredPicture[] = [];
  const results: Candidate[] = [];
  const failures: Failure[] = [];
  for (let first = 0; first < pictures.length; first += AT_ONCE) {
    ctx.signal.throwIfAborted();
    const some = pictures.slice(first, first + AT_ONCE);
    const qualities = await Promise.all(some.map((picture) => measure(ctx, picture, failures)));
    for (const [at, picture] of some.entries()) {
      const quality = qualities[at];
      if (quality) measured.push({ id: picture.id, tag: picture.thumbnailTag, ...quality });
      results.push({ ...picture, ...(quality ?? UNREADABLE) });
    }
  }
  if (failures[0])
    ctx.log.warn('cannot measure thumbnails', { count: failures.length, ...failures[0] });
  await saveQualities(ctx.db, measured);
  return results;
}

type Failure = { readonly name: string; readonly error: unknown };

async function measure(
  ctx: JobCtx,
  { thumbnail }: Candidate,
  failures: Failure[],
): Promise<PictureQuality | undefined> {
  const path = await storage.locate(ctx, storage.derivedFile(ctx.paths, thumbnail));
  try {
    return await computeQuality(path);
  } catch (error) {
    failures.push({ name: thumbnail, error });
    return undefined;
  }
}
