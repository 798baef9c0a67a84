import { readdir } from 'node:fs/promises';
import type { JobHandler } from '../../../jobs/define.ts';
import { removePartial } from '../../../media/partial-file.ts';
import type { expireUploads } from '../jobs.ts';
import * as store from './resumable.store.ts';

/** Id and epoch of the upload. */
const PARTIAL_FILE_NAME = /^([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})-(\d+)$/;
const RETENTION_MS = 24 * 60 * 60 * 1000;
const BATCH_SIZE = 1000;

/** Cancels expired uploads and deletes their files, after their rows. Each step can be repeated. */
export const handleExpireUploads: JobHandler<typeof expireUploads> = async ({
  db,
  paths,
  now,
  log,
}) => {
  const expired = await store.cancelExpired(db, now());
  for (const staged of expired) await removePartial(paths, staged);

  // Rows are saved before their files are made, so a file that no row needs was left by a crash or an earlier owner.
  const names = await readdir(paths.incoming).catch(() => []);
  const files = names.flatMap((name) => {
    const [, id, epoch] = PARTIAL_FILE_NAME.exec(name) ?? [];
    return id ? [{ id, fileEpoch: Number(epoch) }] : [];
  });
  let orphans = 0;
  for (let at = 0; at < files.length; at += BATCH_SIZE) {
    const batch = files.slice(at, at + BATCH_SIZE);
    const needed = await store.listOpenEpochs(
      db,
      batch.map(({ id }) => id),
    );
    for (const staged of batch) {
      // A later one is being filled by the next owner.
      if (staged.fileEpoch >= (needed.get(staged.id) ?? Infinity)) continue;
      await removePartial(paths, staged);
      orphans += 1;
    }
  }
  if (expired.length + orphans > 0) {
    log.info('cancelled expired uploads', { expired: expired.length, orphans });
  }
  return (tx) => store.deleteExpired(tx, new Date(now().getTime() - RETENTION_MS));
};
