import { readdir } from 'node:fs/promises';
import type { JobHandler } from '../../../jobs/define.ts';
import { removePartial } from '../../../media/partial-file.ts';
import type { expireUploads } from '../jobs.ts';
import * as store from './resumable.store.ts';

/** The name of a partial file is the upload's id. */
const PARTIAL_FILE_NAME = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;
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
  for (const id of expired) await removePartial(paths, id);

  // Rows are inserted before their files, so a file without a row was left by a crash.
  const names = await readdir(paths.incoming).catch(() => []);
  const files = names.filter((name) => PARTIAL_FILE_NAME.test(name));
  let orphans = 0;
  for (let at = 0; at < files.length; at += BATCH_SIZE) {
    const batch = files.slice(at, at + BATCH_SIZE);
    const open = await store.filterOpen(db, batch);
    for (const id of batch) {
      if (open.has(id)) continue;
      await removePartial(paths, id);
      orphans += 1;
    }
  }
  if (expired.length + orphans > 0) {
    log.info('cancelled expired uploads', { expired: expired.length, orphans });
  }
  return (tx) => store.deleteExpired(tx, new Date(now().getTime() - RETENTION_MS));
};
