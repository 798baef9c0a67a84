import type { Ctx } from '../../core/context.ts';
import { enqueue } from '../../jobs/queue.ts';
import { readDrill, writeDrill } from './drill-file.ts';
import { requireBackup } from '../../maintenance/stored-backups.ts';
import { runDrill } from './jobs.ts';
import type { BackupState } from './schemas.ts';
import { findNextRun } from './store.ts';

/** Returns when the next backup is due, and what the last restore drill has found. */
export const getBackupState = async ({ db, paths, now }: Ctx): Promise<BackupState> => ({
  nextBackupAt: (await findNextRun(db))?.toISOString() ?? null,
  restoreDrill: (await readDrill(paths.backups, now())) ?? null,
});

/** Starts a restore drill. Throws 404 when there is no such backup. */
export async function startDrill(ctx: Ctx, filename: string): Promise<void> {
  const { db, paths, now } = ctx;
  await requireBackup(ctx, filename);
  await writeDrill(paths.backups, { filename, status: 'waiting', startedAt: now().toISOString() });
  await enqueue(db, runDrill, { filename });
}
