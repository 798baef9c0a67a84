import { Failure } from '../core/command-line.ts';
import { enterDataFolder } from '../core/data-folder.ts';
import { AppError } from '../core/errors.ts';
import { dataPaths } from '../core/paths.ts';
import type { Command, Settings } from '../core/settings.ts';
import { requireUpgrade } from '../db/cluster.ts';
import { requestPostgresUpgrade } from '../maintenance/postgres-upgrade.ts';
import { enterMode, findState, leaveMode, type Target } from '../maintenance/cluster-mode.ts';
import { clearState, type MaintenanceState, readState, writeState } from '../maintenance/state.ts';
import { createLoginUrl } from '../maintenance/token.ts';
import { createQuietLog, print } from './command.ts';

// These need neither the server nor its own database, which may be broken. The mode of servers that share a database is
// there; while that does not answer, it is of this server alone.

export async function startMaintenance({ settings }: Command): Promise<number> {
  const paths = enter(settings);
  const state = await enterSharedMode({ paths, settings }).catch((error: unknown) => {
    requireUnreachable(error);
    createQuietLog(settings).warn(`${UNREACHABLE}: this server alone is in maintenance mode`);
    return readState(paths) ?? writeState(paths, { action: 'start' });
  });
  return printUrl(settings, state);
}

/** Switches on the mode of all servers, unless it is on. */
async function enterSharedMode(target: Target): Promise<MaintenanceState> {
  const state = await findState(target);
  const isShared = target.settings.databaseUrl === undefined || state?.revision !== undefined;
  return state && isShared ? state : enterMode(target, { action: 'start' });
}

/** The server follows, at once or when it starts. */
export async function upgradePostgres(call: Command): Promise<number> {
  if (call.settings.databaseUrl) {
    throw new Failure('DATABASE_URL names a server that Safelight does not run: upgrade it there');
  }
  const paths = enter(call.settings);
  const { from, to } = requireUpgrade(paths.postgres);
  if (readState(paths)) throw new Failure("Maintenance mode is on: 'safelight maintenance end'");
  requestPostgresUpgrade(paths, call.settings);
  print(`PostgreSQL ${from} → ${to}: begins now if the server runs, else when it starts`);
  return printLoginUrl(call);
}

export async function endMaintenance({ settings }: Command): Promise<number> {
  const paths = enter(settings);
  await leaveMode({ paths, settings }, true).catch((error: unknown) => {
    requireUnreachable(error);
    const state = readState(paths);
    if (!state || state.revision !== undefined) throw new Failure(UNREACHABLE);
    clearState(paths);
  });
  return 0;
}

export async function printLoginUrl({ settings }: Command): Promise<number> {
  const state = await findCurrentState(settings);
  if (!state) throw new Failure("Maintenance mode is off: 'safelight maintenance start' starts it");
  return printUrl(settings, state);
}

/** Returns the state of the mode; that which this server knows while the database does not answer. */
export async function findCurrentState(settings: Settings): Promise<MaintenanceState | undefined> {
  const paths = enter(settings);
  return findState({ paths, settings }).catch((error: unknown) => {
    requireUnreachable(error);
    return readState(paths);
  });
}

function printUrl(settings: Settings, { secret }: MaintenanceState): number {
  print(createLoginUrl(getAddress(settings), secret, new Date()));
  return 0;
}

const UNREACHABLE = 'The database that servers share does not answer';

/** Throws other errors than this one, as a Failure what the caller has to know. */
function requireUnreachable(error: unknown): void {
  if (!(error instanceof AppError)) throw error;
  if (error.kind !== 'unavailable') throw new Failure(error.message);
}

function enter(settings: Settings) {
  enterDataFolder(settings);
  return dataPaths(settings.dataDir);
}

function getAddress({ host, port, tlsCert }: Settings): string {
  const named = ['0.0.0.0', '::'].includes(host) ? 'localhost' : host;
  return `${tlsCert ? 'https' : 'http'}://${named.includes(':') ? `[${named}]` : named}:${port}`;
}
