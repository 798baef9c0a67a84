import { findAccountSession } from '../../../access/account-session.ts';
import { inTransaction } from '../../../db/transaction.ts';
import type { JobHandler } from '../../../jobs/define.ts';
import * as files from '../../../operations/files.store.ts';
import { listAbandoned } from '../../../operations/store.ts';
import { expireExports, withdrawUnseen } from './domain.ts';
import { listExportFiles, removeListed } from './export-files.ts';
import type { cleanExports } from './jobs.ts';
import { EXPORT_KINDS } from './kind.ts';
import { failRun } from './run.domain.ts';

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
