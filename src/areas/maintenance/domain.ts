import { requireUser } from '../../access/scope.ts';
import type { Ctx } from '../../core/context.ts';
import { AppError } from '../../core/errors.ts';
import { requireValue } from '../../core/required.ts';
import { requestPostgresUpgrade } from '../../maintenance/postgres-upgrade.ts';
import { enterMode } from '../../maintenance/cluster-mode.ts';
import type { MaintenanceState } from '../../maintenance/state.ts';
import { signToken } from '../../maintenance/token.ts';
import { requireBackup } from '../../maintenance/stored-backups.ts';
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
  if (backup !== undefined) await requireBackup(ctx, backup);
  return createToken(ctx, await enterMode(ctx, { action, backup }));
}

/** Switches maintenance mode on for an upgrade of PostgreSQL. Returns the token of the caller, or throws 404. */
export const startPostgresUpgrade = async (ctx: Ctx): Promise<string> =>
  createToken(ctx, requestPostgresUpgrade(ctx.paths, ctx.settings));

async function createToken(ctx: Ctx, { secret }: MaintenanceState): Promise<string> {
  const user = await findUser(ctx.db, requireUser(ctx.session).userId);
  const { name: username } = requireValue(user, 'account of the session');
  return signToken(secret, { username }, ctx.now());
}
