import type { Deps, Ctx } from '../../core/context.ts';
import { badRequest, forbidden } from '../../core/errors.ts';
import { acceptRestoreCode, printRestoreCode } from '../../maintenance/restore-code.ts';
import { enterMode } from '../../maintenance/cluster-mode.ts';
import { signToken } from '../../maintenance/token.ts';
import { hasAdmin } from '../users/index.ts';
import { enqueue } from '../../jobs/queue.ts';
import { readDrill, writeDrill } from './drill-file.ts';
import { requireBackup } from '../../maintenance/stored-backups.ts';
import { runDrill } from './jobs.ts';
import type { BackupState } from './schemas.ts';
import { findNextRun } from './store.ts';

/** The name of the person who sets up a server, which has no accounts yet. */
const USERNAME = 'administrator';

/**
 * Switches a server without an administrator to maintenance mode, where a backup can be uploaded and
 * restored. Returns the token for it. Without the code that is on the console of the server, it prints one
 * there and throws 403.
 */
export async function startRestoreFlow(
  { db, paths, settings, now }: Deps,
  code: string | null,
): Promise<string> {
  if (await hasAdmin(db)) throw badRequest('The server already has an admin');
  if (code === null || !acceptRestoreCode(paths, code, now())) {
    printRestoreCode(paths, now());
    throw forbidden(
      'Enter the code that the server has printed on its console: it is in its journal, or where a ' +
        'container writes its output',
    );
  }
  const change = { action: 'select_database_restore' } as const;
  const { secret } = await enterMode({ paths, settings }, change);
  return signToken(secret, { username: USERNAME }, now());
}

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
