import type { Db } from '../../../db/client.ts';
import { notifyAdmins } from '../../notifications/index.ts';
import { lockLibrary, updateLibrary } from '../store.ts';
import * as store from './settle.store.ts';

/** Fewer that are gone are taken for deleted: their items come back with them. */
const MANY_FILES = 20;
/** More at once are rather a disk that is not there than files that somebody has deleted. */
const MAX_GONE_FILES = 100;
const MAX_GONE_SHARE = 0.1;

/**
 * Decides about the files that the last scan did not find: they are gone, or so many that an administrator has to say
 * so, or all of an import path or a mount point, whose disk is perhaps away. Returns false while new files have not been read:
 * one of them may be one that is missed.
 */
export async function settleLibrary(db: Db, libraryId: string, now: Date): Promise<boolean> {
  const library = await lockLibrary(db, libraryId);
  if (!library) return true;
  if (await store.hasUnread(db, libraryId)) return false;
  const folders = [...library.importPaths, ...library.mounts];
  const bare = (await store.listBare(db, libraryId, folders)).map(({ path }) => path);
  const { unseen, present, inBare } = await store.countUnseen(db, libraryId, bare);
  const isShare = unseen <= MAX_GONE_FILES && unseen <= (unseen + present) * MAX_GONE_SHARE;
  const isBelieved = unseen < MANY_FILES || isShare;
  if (isBelieved) await store.setMissing(db, libraryId, now, bare);
  const unconfirmedFiles = isBelieved ? inBare : unseen + inBare;
  if (library.unconfirmedFiles === unconfirmedFiles) return true;
  await updateLibrary(db, libraryId, { unconfirmedFiles });
  if (unconfirmedFiles === 0) return true;
  await notifyAdmins(
    db,
    {
      kind: 'integrity',
      title:
        unconfirmedFiles === 1
          ? `1 file of “${library.name}” is gone`
          : `${unconfirmedFiles} files of “${library.name}” are gone`,
      description: 'Nothing was changed. If they were deleted, confirm it in the administration.',
      data: { libraryId, files: unconfirmedFiles },
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
