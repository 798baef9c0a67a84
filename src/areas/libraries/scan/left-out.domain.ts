import { inTransaction } from '../../../db/transaction.ts';
import { runThrottled } from '../../../jobs/throttle.ts';
import { trashItems } from '../../trash/index.ts';
import { lockLibrary } from '../store.ts';
import { createLeftOutCheck, type ScanCtx } from './record.domain.ts';
import * as store from './settle.store.ts';

const PAGE_SIZE = 1_000;

/**
 * Moves the items of files that patterns and import paths leave out to the trash at once, of whatever number: their
 * owner has said so. Those that are left out no longer may be restored; files that are found bring their items back.
 */
export async function applyLeftOut(ctx: ScanCtx, libraryId: string): Promise<void> {
  let after = 0;
  await runThrottled(ctx, () =>
    inTransaction(ctx, async ({ db, now }) => {
      // A change of the library meanwhile is for the next page.
      const library = await lockLibrary(db, libraryId);
      if (!library) return false;
      const isLeftOut = createLeftOutCheck(library);
      const page = await store.listUnseen(db, libraryId, { after, limit: PAGE_SIZE });
      after = page.at(-1)?.id ?? after;
      const changed = page.filter((file) => file.isLeftOut !== isLeftOut(file.path));
      if (changed.length === 0) return page.length === PAGE_SIZE;
      const { gone = [], back = [] } = Object.groupBy(changed, (file) =>
        file.isLeftOut ? 'back' : 'gone',
      );
      await store.clearLeftOut(
        db,
        back.map(({ id }) => id),
        now(),
      );
      const ids = gone.map(({ id }) => id);
      // Items that people have moved there stay there when they are left out no longer.
      const listed = await store.lockListed(db, ids);
      const assetIds = listed.map(({ assetId }) => assetId);
      await trashItems(db, { ids: assetIds }, now());
      await store.setTrashed(db, listed, now());
      await store.setLeftOut(db, libraryId, now(), ids);
      return page.length === PAGE_SIZE;
    }),
  );
}
