import { readdir } from 'node:fs/promises';
import type { Db } from '../../../db/client.ts';
import type { JobHandler } from '../../../jobs/define.ts';
import { getCutoff } from '../../../jobs/passed-time.ts';
import { removePartial } from '../../../media/partial-file.ts';
import { hasObjectStore } from '../../../storage/index.ts';
import { deletePartsOfEnded } from '../../../storage/upload-parts.store.ts';
import type { expireUploads } from '../jobs.ts';
import { getUploadLimits } from './limits.ts';
import * as store from './resumable.store.ts';

/** Id and epoch of the upload. */
const PARTIAL_FILE_NAME = /^([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})-(\d+)$/;
const RETENTION_MS = 24 * 60 * 60 * 1000;
const BATCH_SIZE = 1000;

/** Cancels expired uploads and deletes their files, after their rows. Each step can be repeated. */
export const handleExpireUploads: JobHandler<typeof expireUploads> = async ({
  db,
  paths,
  settings,
  log,
}) => {
  const { maxAgeMs } = getUploadLimits();
  // Requests go by the clock alone: if it was wrong, the upload goes on when it is right again.
  const expired = await store.cancelExpired(db, await getExpiredBefore(db, maxAgeMs, 0));
  for (const staged of expired) await removePartial(paths, staged);

  if (hasObjectStore(settings)) await deletePartsOfEnded(db);

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
  return async (tx) => store.deleteExpired(tx, await getExpiredBefore(tx, maxAgeMs, RETENTION_MS));
};

/** Returns the time of expiry of the youngest uploads that were over so long ago, of passed time. */
async function getExpiredBefore(db: Db, maxAgeMs: number, retentionMs: number): Promise<Date> {
  const createdBefore = await getCutoff(db, maxAgeMs + retentionMs);
  return new Date(createdBefore.getTime() + maxAgeMs);
}
