import { join } from 'node:path';
import { computeQuality, type PictureQuality } from '../../../media/quality.ts';
import type { JobCtx } from '../../../jobs/define.ts';
import type { Candidate } from './candidates.store.ts';
import { type MeasuredPicture, saveQualities } from './quality.store.ts';

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
  for (let first = 0; first < pictures.length; first += AT_ONCE) {
    ctx.signal.throwIfAborted();
    const some = pictures.slice(first, first + AT_ONCE);
    const qualities = await Promise.all(some.map((picture) => measure(ctx, picture)));
    for (const [at, picture] of some.entries()) {
      const quality = qualities[at];
      if (quality) measured.push({ id: picture.id, tag: picture.thumbnailTag, ...quality });
      results.push({ ...picture, ...(quality ?? UNREADABLE) });
    }
  }
  await saveQualities(ctx.db, measured);
  return results;
}

async function measure(ctx: JobCtx, { thumbnail }: Candidate): Promise<PictureQuality | undefined> {
  try {
    return await computeQuality(join(ctx.paths.derived, thumbnail));
  } catch (error) {
    ctx.log.warn('cannot measure a thumbnail', { name: thumbnail, error });
    return undefined;
  }
}
