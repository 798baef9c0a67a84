import type { Db } from '../../../db/client.ts';
import { notifyAdmins } from '../../notifications/index.ts';
import { lockLibrary, updateLibrary } from '../store.ts';
import * as store from './settle.store.ts';

/** More at once are rather a disk that is not there than files that somebody has deleted. */
const MAX_GONE_FILES = 100;
const MAX_GONE_SHARE = 0.1;

/**
 * Decides about the files that the last scan did not find: they are gone, or so many that an administrator
 * has to say so. Returns false while new files have not been read: one of them may be one that is missed.
 */
export async function settleLibrary(db: Db, libraryId: string, now: Date): Promise<boolean> {
  const library = await lockLibrary(db, libraryId);
  if (!library) return true;
  const { unread, unseen, present } = await store.countUnseen(db, libraryId);
  if (unread > 0) return false;
  if (unseen <= MAX_GONE_FILES && unseen <= (unseen + present) * MAX_GONE_SHARE) {
    await applyMissing(db, libraryId, now);
    return true;
  }
  if (library.unconfirmedFiles === unseen) return true;
  await updateLibrary(db, libraryId, { unconfirmedFiles: unseen });
  await notifyAdmins(
    db,
    {
      kind: 'integrity',
      title: `${unseen} files of “${library.name}” are gone`,
      description: 'Nothing was changed. If they were deleted, confirm it in the administration.',
      data: { libraryId, files: unseen },
      key: `library ${libraryId}`,
    },
    now,
  );
  return true;
}

/** Takes the files that the last scan did not find for gone. */
export async function applyMissing(db: Db, libraryId: string, now: Date): Promise<void> {
  await store.setMissing(db, libraryId, now);
  await updateLibrary(db, libraryId, { unconfirmedFiles: 0 });
}
