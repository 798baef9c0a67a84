import { computeQuality, type PictureQuality } from '../../../media/quality.ts';
import type { JobCtx } from '../../../jobs/define.ts';
import type { Candidate } from './candidates.store.ts';
import { type MeasuredPicture, saveQualities } from './quality.store.ts';
import * as storage from '../../../storage/index.ts';

/** A thumbnail that cannot be read shows nothing: tonight, since it may be there again tomorrow. */
const UNREADABLE: PictureQuality = { sharpness: 0, exposure: 0 };

/** Pictures decoded at once, each in a child process. */
const AT_ONCE = 2;

/** Returns these pictures with their quality, which is stored for their thumbnails. */
export async function measureQualities(
  ctx: JobCtx,
  pictures: readonly Candidate[],
): Promise<Candidate[]> {
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
