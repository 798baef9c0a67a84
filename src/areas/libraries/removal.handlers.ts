import type { JobHandler } from '../../jobs/define.ts';
import { inTransaction } from '../../db/transaction.ts';
import { runThrottled } from '../../jobs/throttle.ts';
import { deleteAssetsOfLibrary } from '../trash/index.ts';
import type { removeLibrary } from './jobs.ts';
import { deleteLibraryRow, readElsewhere } from './store.ts';

const PAGE_SIZE = 500;

/** The files of the library stay where they are: only what was made from them is deleted. */
export const handleRemoveLibrary: JobHandler<typeof removeLibrary> = async (ctx, { libraryId }) => {
  await runThrottled(ctx, () =>
    inTransaction(ctx, ({ db }) => deleteAssetsOfLibrary(db, libraryId, PAGE_SIZE)),
  );
  return async (db) => {
    await readElsewhere(db, libraryId);
    await deleteLibraryRow(db, libraryId);
  };
};
