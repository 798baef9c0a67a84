import type { Db } from '../../../db/client.ts';
import type { JobHandler } from '../../../jobs/define.ts';
import { getCutoff } from '../../../jobs/passed-time.ts';
import type { expireUploads } from '../jobs.ts';
import * as staging from '../../../staging/staging.ts';
import { getUploadLimits } from './responses.ts';
import * as store from './resumable.store.ts';

const RETENTION_MS = 24 * 60 * 60 * 1000;

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
  const orphans = await staging.sweep({ db, paths, settings }, expired);
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
