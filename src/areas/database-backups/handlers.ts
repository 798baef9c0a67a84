import { Failure } from '../../core/command-line.ts';
import { isWorkAllowed } from '../../core/disk-reserve.ts';
import { findDatabaseUrl } from '../../db/server.ts';
import type { JobHandler } from '../../jobs/define.ts';
import { readConfig } from '../system-config/index.ts';
import type { backUpDatabase, dropReplacedDatabases } from './jobs.ts';
import { reportBackupFailure, reportBackupSuccess } from '../server/index.ts';
import { dropReplaced } from '../../maintenance/replacement.ts';
import { pruneBackups, writeBackup } from './files.domain.ts';

const KEPT_MS = 7 * 24 * 3_600_000;
const SPACE_CHECK_MS = 1000;

export const handleBackUpDatabase: JobHandler<typeof backUpDatabase> = async (ctx) => {
  const { paths, settings } = ctx;
  ctx.onFailed((db, error) => reportBackupFailure(db, (error as Error).message, ctx.now()));
  const { backup } = await readConfig(ctx.db, 'backup');
  const full = new AbortController();
  const checkSpace = () => {
    if (isWorkAllowed(paths.root, settings.reserveBytes)) return;
    // No error of a full disk: those are retried for ever, and nobody is told.
    full.abort(new Failure('There is not enough free disk space for the backup'));
  };
  const checking = setInterval(checkSpace, SPACE_CHECK_MS);
  try {
    checkSpace();
    const signal = AbortSignal.any([ctx.signal, full.signal]);
    signal.throwIfAborted();
    await writeBackup(findDatabaseUrl(settings), paths.backups, { now: ctx.now(), signal });
  } finally {
    clearInterval(checking);
  }
  await pruneBackups(paths.backups, backup.database.keepLastAmount);
  return (tx) => reportBackupSuccess(tx);
};

export const handleDropReplacedDatabases: JobHandler<typeof dropReplacedDatabases> = async (
  ctx,
) => {
  const { paths, settings, log } = ctx;
  const now = ctx.now().getTime();
  const hasSpace = isWorkAllowed(paths.root, settings.reserveBytes);
  const before = new Date(hasSpace ? now - KEPT_MS : now);
  const databases = await dropReplaced(findDatabaseUrl(settings), before);
  if (databases.length > 0) log.info('dropped replaced databases', { databases });
};
