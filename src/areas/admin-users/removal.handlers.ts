import type { Db } from '../../db/client.ts';
import { inTransaction } from '../../db/transaction.ts';
import { announce } from '../../events/announce.ts';
import type { JobHandler, JobCtx } from '../../jobs/define.ts';
import { getCutoff } from '../../jobs/passed-time.ts';
import { readConfig } from '../system-config/index.ts';
import { hasAssets, deleteAssetsOfOwner } from '../trash/index.ts';
import type { removeAccounts } from './jobs.ts';
import * as store from './store.ts';
import * as storage from '../../storage/index.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const BATCH_SIZE = 1000;

/** Works in batches, so that the next run continues after a crash. */
export const handleRemoveAccounts: JobHandler<typeof removeAccounts> = async (ctx) => {
  const { user } = await readConfig(ctx.db, 'user');
  const before = await getCutoff(ctx.db, user.deleteDelay * DAY_MS);
  for (const id of await store.listDueAccounts(ctx.db, before))
    await removeAccount(ctx, id, before);
};

async function removeAccount(ctx: JobCtx, id: string, before: Date): Promise<void> {
  const account = await store.claimRemoval(ctx.db, id, before);
  if (!account) return;
  do {
    while (await inTransaction(ctx, ({ db }) => deleteAssetsOfOwner(db, id, BATCH_SIZE))) {
      ctx.signal.throwIfAborted();
      ctx.restartTimeLimit();
    }
  } while (!(await inTransaction(ctx, ({ db }) => deleteIfEmpty(db, id))));
  if (account.profileImage) {
    await storage.remove([storage.profilePicture(ctx.paths, account.profileImage)]);
  }
  ctx.log.info('account removed', { id });
}

/** Returns false when an upload has arrived meanwhile, whose file must be deleted first. */
async function deleteIfEmpty(db: Db, id: string): Promise<boolean> {
  await store.lockAccount(db, id);
  if (await hasAssets(db, id)) return false;
  await store.deleteAccount(db, id);
  await announce(db, { event: 'user', ids: [id] });
  return true;
}
