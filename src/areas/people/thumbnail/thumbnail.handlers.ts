import { rm } from 'node:fs/promises';
import { announceTo } from '../../../events/announce.ts';
import type { JobHandler } from '../../../jobs/define.ts';
import { cropFace } from '../../../media/face-crop.ts';
import { createScratchPath, type renderPerson } from '../../assets/index.ts';
import { getThumbnailName } from './thumbnail.domain.ts';
import { deleteThumbnail, findThumbnailSubject, saveThumbnail } from './thumbnail.store.ts';
import * as storage from '../../../storage/index.ts';

export const handleRenderPerson: JobHandler<typeof renderPerson> = async (ctx, { personId }) => {
  const { paths } = ctx;
  const subject = await findThumbnailSubject(ctx.db, personId);
  if (!subject) {
    return async (tx) => {
      const ownerId = await deleteThumbnail(tx, personId, ctx.now());
      if (ownerId === undefined) return undefined;
      await announceTo(tx, ownerId, 'person', [personId]);
      return () => storage.remove(storage.derivedFiles(paths, [getThumbnailName(personId)]));
    };
  }
  // The request for a missing preview renders it again, and then this job.
  const preview = await storage.requireFile(ctx, storage.derivedFile(ctx.paths, subject.preview));
  const bytes = await cropFace(preview, subject);
  const from = await createScratchPath(paths, 'webp');
  await Bun.write(from, bytes);
  const owner = { id: personId, kind: 'person', extension: 'webp' };
  const name = await storage.putDerived(ctx, from, owner);
  const file = {
    tag: Bun.hash(bytes).toString(36),
    size: bytes.length,
    objectName: name === getThumbnailName(personId) ? null : name,
  };
  return async (tx) => {
    const row = { ...file, faceId: subject.faceId, now: ctx.now() };
    const ownerId = await saveThumbnail(tx, personId, row);
    if (ownerId === undefined) {
      await rm(from, { force: true });
      return () => storage.remove(storage.derivedFiles(paths, [name]));
    }
    // Under the lock on the person: a request for the thumbnail waits until file and row match.
    await storage.place(ctx, from, storage.derivedFile(ctx.paths, name));
    await announceTo(tx, ownerId, 'person', [personId]);
    return undefined;
  };
};
