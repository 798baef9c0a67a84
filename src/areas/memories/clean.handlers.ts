import { inTransaction } from '../../db/transaction.ts';
import type { JobHandler } from '../../jobs/define.ts';
import { runThrottled } from '../../jobs/throttle.ts';
import * as files from '../../operations/files.store.ts';
import type { cleanMemories } from './jobs.ts';
import * as store from './removal.store.ts';
import { findAccountSession } from '../../access/account-session.ts';
import { listAbandoned } from '../../operations/store.ts';
import { expireExports, withdrawUnseen } from './exports/domain.ts';
import { listExportFiles, removeListed } from './exports/export-files.ts';
import type { cleanExports } from './exports/jobs.ts';
import { EXPORT_KINDS } from './exports/kind.ts';
import { failRun } from './exports/run.domain.ts';

/** As Immich does. */
const RETENTION_MS = 30 * 24 * 60 * 60_000;
const BATCH_SIZE = 500;

export const handleCleanMemories: JobHandler<typeof cleanMemories> = async (ctx) => {
  const now = ctx.now();
  const before = new Date(now.getTime() - RETENTION_MS);
  await runThrottled(ctx, () =>
    inTransaction(ctx, async ({ db }) => {
      const ids = await store.lockExpired(db, { before, now, limit: BATCH_SIZE });
      await files.deleteAbout(db, { memoryIds: ids });
      await store.deleteMemories(db, ids);
      return ids.length === BATCH_SIZE;
    }),
  );
};

export const handleCleanExports: JobHandler<typeof cleanExports> = async (ctx) => {
  await expireExports(ctx);
  for (const accountId of await files.listAccountsWithDownloads(ctx.db, EXPORT_KINDS)) {
    const session = await findAccountSession(ctx.db, accountId);
    if (session) await withdrawUnseen(ctx, session);
  }
  for (const kind of EXPORT_KINDS) {
    for (const id of await listAbandoned(ctx.db, kind)) {
      await inTransaction(ctx, (ctx) => failRun(ctx, id, 'The export was interrupted'));
    }
  }
  await files.forgetSources(ctx.db, EXPORT_KINDS);
  // Listed first: a row is there before its files.
  const found = await listExportFiles(ctx.paths);
  const needed = await files.findNeeded(ctx.db, [...new Set(found.map(({ id }) => id))]);
  // A complete file needs nothing else.
  const unneeded = found.filter(({ id, isComplete }) =>
    needed.get(id) ? !isComplete : !needed.has(id),
  );
  await removeListed(ctx.paths, unneeded);
  if (unneeded.length > 0) ctx.log.info('deleted files of exports', { files: unneeded.length });
};
