import { findAccountSession } from '../../../access/account-session.ts';
import { inTransaction } from '../../../db/transaction.ts';
import type { JobHandler } from '../../../jobs/define.ts';
import { expireExports, withdrawUnseen } from './domain.ts';
import { listExportFiles, removeListed } from './export-files.ts';
import type { cleanExports } from './jobs.ts';
import { failRun } from './run.domain.ts';
import * as store from './store.ts';

export const handleCleanExports: JobHandler<typeof cleanExports> = async (ctx) => {
  await expireExports(ctx);
  for (const ownerId of await store.listOwnersOfCompleted(ctx.db)) {
    const session = await findAccountSession(ctx.db, ownerId);
    if (session) await withdrawUnseen(ctx, session);
  }
  await inTransaction(ctx, async (ctx) => {
    for (const { id } of await store.lockAbandoned(ctx.db)) {
      await failRun(ctx, id, 'The export was interrupted');
    }
  });
  await store.forgetSources(ctx.db);
  // Listed first: a row is there before its files.
  const files = await listExportFiles(ctx.paths);
  const statuses = await store.findStatuses(ctx.db, [...new Set(files.map(({ id }) => id))]);
  const isNeeded = (id: string, isComplete: boolean) => {
    const status = statuses.get(id);
    return status === 'completed' ? isComplete : status === 'queued' || status === 'running';
  };
  const unneeded = files.filter(({ id, isComplete }) => !isNeeded(id, isComplete));
  await removeListed(ctx.paths, unneeded);
  if (unneeded.length > 0) ctx.log.info('deleted files of exports', { files: unneeded.length });
};
