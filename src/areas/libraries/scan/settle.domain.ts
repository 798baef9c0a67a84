import type { Db } from '../../../db/client.ts';
import type { LibraryRow } from '../../../db/tables/libraries.ts';
import { notifyAdmins } from '../../notifications/index.ts';
import { lockLibrary, updateLibrary } from '../store.ts';
import { createLeftOutCheck, MANY_FILES } from './record.domain.ts';
import * as store from './settle.store.ts';

/** More at once are rather a disk that is not there than files that somebody has deleted. */
const MAX_GONE_FILES = 100;
const MAX_GONE_SHARE = 0.1;
const PAGE_SIZE = 10_000;

/**
 * Decides about the files that the last scan did not find: they are left out by their owner, they are gone, or
 * so many that an administrator has to say so. Returns false while new files have not been read: one of them
 * may be one that is missed.
 */
export async function settleLibrary(db: Db, libraryId: string, now: Date): Promise<boolean> {
  const library = await lockLibrary(db, libraryId);
  if (!library) return true;
  if (await store.hasUnread(db, libraryId)) return false;
  await applyLeftOut(db, library, now);
  const { unseen, present } = await store.countUnseen(db, libraryId);
  const isShare = unseen <= MAX_GONE_FILES && unseen <= (unseen + present) * MAX_GONE_SHARE;
  if (unseen < MANY_FILES || isShare) {
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

/** The owner's own patterns and import paths leave files out without a confirmation. */
async function applyLeftOut(db: Db, library: LibraryRow, now: Date): Promise<void> {
  const isLeftOut = createLeftOutCheck(library);
  for (let after = 0, isMore = true; isMore;) {
    const page = await store.listUnseen(db, library.id, { after, limit: PAGE_SIZE });
    const ids = page.filter(({ path }) => isLeftOut(path)).map(({ id }) => id);
    if (ids.length > 0) await store.setMissing(db, library.id, now, ids);
    isMore = page.length === PAGE_SIZE;
    after = page.at(-1)?.id ?? after;
  }
}

/** Takes the files that the last scan did not find for gone. */
export async function applyMissing(db: Db, libraryId: string, now: Date): Promise<void> {
  await store.setMissing(db, libraryId, now);
  await updateLibrary(db, libraryId, { unconfirmedFiles: 0 });
}
