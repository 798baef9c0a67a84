import { Failure } from '../../core/command-line.ts';
import { StorageUnavailable } from '../../core/errors.ts';
import { isWorkAllowed } from '../../core/disk-reserve.ts';
import { deleteReplacedClusters } from '../../db/cluster.ts';
import { findDatabaseUrl } from '../../db/server.ts';
import type { JobCtx, JobHandler } from '../../jobs/define.ts';
import { getCutoff } from '../../jobs/passed-time.ts';
import { readConfig } from '../system-config/index.ts';
import type { backUpDatabase, dropReplacedDatabases, runDrill } from './jobs.ts';
import { reportBackupFailure, reportBackupSuccess } from '../server/index.ts';
import { runRestoreDrill } from '../../maintenance/drill.ts';
import { dropReplaced } from '../../maintenance/replacement.ts';
import { withDump } from '../../maintenance/restore.ts';
import { getDatabaseFolder } from '../../maintenance/space.ts';
import { HEARTBEAT_MS, writeDrill } from './drill-file.ts';
import { backUpReplaced, pruneBackups, writeBackup } from '../../maintenance/backup-files.ts';
import { fetchBackup, storeBackups } from '../../maintenance/stored-backups.ts';
import type { RestoreDrill } from './schemas.ts';

const KEPT_MS = 7 * 24 * 3_600_000;
const SPACE_CHECK_MS = 1000;

export const handleBackUpDatabase: JobHandler<typeof backUpDatabase> = async (
  ctx,
  { isManual = false },
) => {
  const { paths, settings } = ctx;
  ctx.onFailed((db, error) => reportBackupFailure(db, (error as Error).message, ctx.now()));
  const { backup } = await readConfig(ctx.db, 'backup');
  await whileSpaceLasts(ctx, (signal) =>
    writeBackup(findDatabaseUrl(settings), paths.backups, {
      kind: isManual ? 'manual' : 'scheduled',
      now: ctx.now(),
      signal,
    }),
  );
  const { keepLastAmount } = backup.database;
  await pruneBackups(paths.backups, keepLastAmount);
  const failure = await storeBackups(ctx, keepLastAmount).then(() => undefined, toStoreFailure);
  return (tx) =>
    failure === undefined ? reportBackupSuccess(tx) : reportBackupFailure(tx, failure, ctx.now());
};

/** The dump is in the folder: it is not written again because of the store, which gets it with the next one. */
function toStoreFailure(error: unknown): string {
  if (!(error instanceof StorageUnavailable)) throw error;
  const { message } = (error.cause ?? error) as Error;
  return `The backup is in the data folder only, the backup store failed: ${message}`;
}

/** Runs the work with a signal that is aborted when jobs may write no files any more. */
async function whileSpaceLasts<T>(
  { paths, settings, signal }: JobCtx,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const full = new AbortController();
  const checkSpace = () => {
    if (isWorkAllowed([paths.root, paths.backups], settings.reserveBytes)) return;
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

/** Ends well when the backup is proved to be bad, too: that is what the drill tells. */
export const handleRunDrill: JobHandler<typeof runDrill> = async (ctx, { filename }) => {
  const { paths, settings, signal, log } = ctx;
  let drill: RestoreDrill = { filename, status: 'running', startedAt: ctx.now().toISOString() };
  const write = (change: Partial<RestoreDrill>) =>
    writeDrill(paths.backups, (drill = { ...drill, ...change }));
  await write({});
  let writing = Promise.resolve();
  const heartbeat = setInterval(() => void (writing = writing.then(() => write({}))), HEARTBEAT_MS);
  const end = async (change: Partial<RestoreDrill>) => {
    clearInterval(heartbeat);
    await writing;
    await write({ ...change, endedAt: ctx.now().toISOString() });
  };
  try {
    const { path, size } = await fetchBackup(ctx, filename);
    const { accounts, missing, changes } = await withDump(path, (dump) =>
      runRestoreDrill({
        url: findDatabaseUrl(settings),
        file: filename,
        dump,
        folder: paths.root,
        diskFolder: getDatabaseFolder(settings),
        signal,
        onBytes: (bytes) => {
          drill = { ...drill, progress: Math.floor((100 * bytes) / Math.max(1, size)) };
        },
      }),
    );
    await end({ status: 'succeeded', progress: 100, accounts, missing, changes });
  } catch (error) {
    signal.throwIfAborted();
    log.warn('the restore drill failed', { filename, error });
    await end({ status: 'failed', error: (error as Error).message });
  } finally {
    clearInterval(heartbeat);
  }
};

export const handleDropReplacedDatabases: JobHandler<typeof dropReplacedDatabases> = async (
  ctx,
) => {
  const { paths, settings, log } = ctx;
  const url = findDatabaseUrl(settings);
  const hasSpace = isWorkAllowed([paths.root, paths.backups], settings.reserveBytes);
  if (hasSpace) {
    const dumps = await whileSpaceLasts(ctx, (signal) =>
      backUpReplaced(url, paths.backups, signal),
    );
    if (dumps.length > 0) log.info('dumped replaced databases', { dumps });
  }
  const before = hasSpace ? await getCutoff(ctx.db, KEPT_MS) : ctx.now();
  const databases = await dropReplaced(url, before);
  if (databases.length > 0) log.info('dropped replaced databases', { databases });
  if (settings.databaseUrl) return;
  const clusters = deleteReplacedClusters(paths.postgres, before);
  if (clusters.length > 0) log.info('deleted replaced clusters', { clusters });
};
