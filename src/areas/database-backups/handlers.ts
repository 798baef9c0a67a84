import { Failure } from '../../core/command-line.ts';
import { isWorkAllowed } from '../../core/disk-reserve.ts';
import { findDatabaseUrl } from '../../db/server.ts';
import type { JobCtx, JobHandler } from '../../jobs/define.ts';
import { readConfig } from '../system-config/index.ts';
import type { backUpDatabase, dropReplacedDatabases } from './jobs.ts';
import { reportBackupFailure, reportBackupSuccess } from '../server/index.ts';
import { dropReplaced } from '../../maintenance/replacement.ts';
import { backUpReplaced, pruneBackups, writeBackup } from './files.domain.ts';

const KEPT_MS = 7 * 24 * 3_600_000;
const SPACE_CHECK_MS = 1000;

export const handleBackUpDatabase: JobHandler<typeof backUpDatabase> = async (ctx) => {
  const { paths, settings } = ctx;
  ctx.onFailed((db, error) => reportBackupFailure(db, (error as Error).message, ctx.now()));
  const { backup } = await readConfig(ctx.db, 'backup');
  await whileSpaceLasts(ctx, (signal) =>
    writeBackup(findDatabaseUrl(settings), paths.backups, { now: ctx.now(), signal }),
  );
  await pruneBackups(paths.backups, backup.database.keepLastAmount);
  return (tx) => reportBackupSuccess(tx);
};

/** Runs the work with a signal that is aborted when jobs may write no files any more. */
async function whileSpaceLasts<T>(
  { paths, settings, signal }: JobCtx,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const full = new AbortController();
  const checkSpace = () => {
    if (isWorkAllowed(paths.root, settings.reserveBytes)) return;
    // No error of a full disk: those are retried for ever, and nobody is told.
    full.abort(new Failure('There is not enough free disk space for the backup'));
  };
  const checking = setInterval(checkSpace, SPACE_CHECK_MS);
  try {
    checkSpace();
    const either = AbortSignal.any([signal, full.signal]);
    either.throwIfAborted();
    return await work(either);
  } finally {
    clearInterval(checking);
  }
}

export const handleDropReplacedDatabases: JobHandler<typeof dropReplacedDatabases> = async (
  ctx,
) => {
  const { paths, settings, log } = ctx;
  const url = findDatabaseUrl(settings);
  const now = ctx.now().getTime();
  const hasSpace = isWorkAllowed(paths.root, settings.reserveBytes);
  if (hasSpace) {
    const dumps = await whileSpaceLasts(ctx, (signal) =>
      backUpReplaced(url, paths.backups, signal),
    );
    if (dumps.length > 0) log.info('dumped replaced databases', { dumps });
  }
  const databases = await dropReplaced(url, new Date(hasSpace ? now - KEPT_MS : now));
  if (databases.length > 0) log.info('dropped replaced databases', { databases });
};
