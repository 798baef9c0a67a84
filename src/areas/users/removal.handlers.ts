import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Db } from '../../db/client.ts';
import { inTransaction } from '../../db/transaction.ts';
import { announce } from '../../events/announce.ts';
import type { JobHandler, JobCtx } from '../../jobs/define.ts';
import { hasAssets, deleteAssetsOfOwner } from '../trash/index.ts';
import type { removeAccounts } from './jobs.ts';
import * as store from './removal.store.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const AT_ONCE = 1000;

/** Account by account, batch by batch: after a crash the next run goes on where this one was. */
export const handleRemoveAccounts: JobHandler<typeof removeAccounts> = async (ctx) => {
  const before = new Date(ctx.now().getTime() - store.DAYS_UNTIL_REMOVAL * DAY_MS);
  for (const id of await store.findDue(ctx.db, before)) await removeAccount(ctx, id, before);
};

async function removeAccount(ctx: JobCtx, id: string, before: Date): Promise<void> {
  const account = await store.claim(ctx.db, id, before);
  if (!account) return;
  do {
    while (await inTransaction(ctx, ({ db }) => deleteAssetsOfOwner(db, id, AT_ONCE))) {
      ctx.signal.throwIfAborted();
      ctx.restartTimeLimit();
    }
  } while (!(await inTransaction(ctx, ({ db }) => deleteIfEmpty(db, id))));
  if (account.profileImage) {
    await rm(join(ctx.paths.profiles, account.profileImage), { force: true });
  }
  ctx.log.info('account removed', { id });
}

/** False when something arrived that was on its way: its file must not be forgotten. */
async function deleteIfEmpty(db: Db, id: string): Promise<boolean> {
  await store.hold(db, id);
  if (await hasAssets(db, id)) return false;
  await store.deleteAccount(db, id);
  await announce(db, { event: 'user', ids: [id] });
  return true;
}
