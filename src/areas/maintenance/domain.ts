import { requireUser } from '../../access/scope.ts';
import type { Ctx } from '../../core/context.ts';
import { AppError, invalidField } from '../../core/errors.ts';
import { writeState } from '../../maintenance/state.ts';
import { signToken } from '../../maintenance/token.ts';
import { findBackup } from '../database-backups/index.ts';
import { findUser } from '../users/index.ts';
import type { SetMaintenanceMode } from './schemas.ts';

/** While the application runs, maintenance mode is off. */
export const STATUS = { active: false, action: 'end' } as const;

export const createNotInMaintenance = () =>
  new AppError('badRequest', 'Not in maintenance mode', { code: 'maintenance_mode' });

/**
 * Switches maintenance mode on: the server follows when it has answered what it is asked. Returns the
 * token with which the caller stays an administrator; undefined for `end`, which changes nothing.
 */
export async function setMaintenanceMode(
  ctx: Ctx,
  { action, restoreBackupFilename }: SetMaintenanceMode,
): Promise<string | undefined> {
  if (action === 'end') return undefined;
  const backup = action === 'restore_database' ? (restoreBackupFilename ?? '') : undefined;
  if (backup === '') throw invalidField('restoreBackupFilename', 'Required');
  if (backup !== undefined) await findBackup(ctx.paths.backups, backup);
  const user = await findUser(ctx.db, requireUser(ctx.session).userId);
  const { secret } = writeState(ctx.paths, { action, backup });
  return signToken(secret, { username: user!.name }, ctx.now());
}
