import { existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { announceTo } from '../../../events/announce.ts';
import type { JobHandler } from '../../../jobs/define.ts';
import { cropFace } from '../../../media/face-crop.ts';
import type { renderPerson } from '../jobs.ts';
import { getThumbnailName } from './thumbnail.domain.ts';
import { deleteThumbnail, findThumbnailSubject, saveThumbnail } from './thumbnail.store.ts';

export const handleRenderPerson: JobHandler<typeof renderPerson> = async (ctx, { personId }) => {
  const subject = await findThumbnailSubject(ctx.db, personId);
  const target = join(ctx.paths.derived, getThumbnailName(personId));
  const remove = () => rm(target, { force: true });
  if (!subject) {
    return async (tx) => {
      const ownerId = await deleteThumbnail(tx, personId, ctx.now());
      if (ownerId === undefined) return undefined;
      await announceTo(tx, ownerId, 'person', [personId]);
      return remove;
    };
  }
  const preview = join(ctx.paths.derived, subject.preview);
  // The request for a missing preview renders it again, and then this job.
  if (!existsSync(preview)) throw new Error(`${subject.preview} is not on the disk`);
  const bytes = await cropFace(preview, subject);
  const file = { tag: Bun.hash(bytes).toString(36), size: bytes.length };
  return async (tx) => {
    const row = { ...file, faceId: subject.faceId, now: ctx.now() };
    const ownerId = await saveThumbnail(tx, personId, row);
    if (ownerId === undefined) return remove;
    // Under the lock on the person: a request for the thumbnail waits until file and row match.
    await mkdir(dirname(target), { recursive: true });
    await Bun.write(`${target}.part`, bytes);
    await rename(`${target}.part`, target);
    await announceTo(tx, ownerId, 'person', [personId]);
    return undefined;
  };
};
