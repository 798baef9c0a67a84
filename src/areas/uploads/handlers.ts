import { readdir } from 'node:fs/promises';
import type { HandlerOf } from '../../jobs/define.ts';
import { removePartial } from '../../media/partial-file.ts';
import type { expireUploads } from './jobs.ts';
import * as store from './resumable/resumable.store.ts';

/** A file of a resumable upload: its id and no more. */
const ID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;
const FORGET_MS = 24 * 60 * 60 * 1000;
const BATCH = 1000;

/** Each step may be repeated or cut short; the files come after the rows that named them. */
export const handleExpireUploads: HandlerOf<typeof expireUploads> = async ({
  db,
  paths,
  now,
  log,
}) => {
  const expired = await store.expireUploads(db, now());
  for (const id of expired) await removePartial(paths, id);

  // A row is there before its file: a file without one was left by a crash.
  const names = await readdir(paths.incoming).catch(() => []);
  const files = names.filter((name) => ID.test(name));
  let orphans = 0;
  for (let at = 0; at < files.length; at += BATCH) {
    const batch = files.slice(at, at + BATCH);
    const open = await store.openAmong(db, batch);
    for (const id of batch) {
      if (open.has(id)) continue;
      await removePartial(paths, id);
      orphans += 1;
    }
  }
  if (expired.length + orphans > 0) {
    log.info('gave up unfinished uploads', { expired: expired.length, orphans });
  }
  return (tx) => store.forgetUploads(tx, new Date(now().getTime() - FORGET_MS));
};
