import { Failure } from '../core/command-line.ts';
import { enterDataFolder } from '../core/data-folder.ts';
import { AppError } from '../core/errors.ts';
import { dataPaths } from '../core/paths.ts';
import type { Command, Settings } from '../core/settings.ts';
import { requireUpgrade } from '../db/cluster.ts';
import { requestPostgresUpgrade } from '../maintenance/postgres-upgrade.ts';
import { leaveMode } from '../maintenance/cluster-mode.ts';
import { readState, writeState } from '../maintenance/state.ts';
import { createLoginUrl } from '../maintenance/token.ts';
import { print } from './command.ts';

// These need neither the database nor the server, which may be broken, but to end the mode of several servers.

export async function startMaintenance(call: Command): Promise<number> {
  const paths = enter(call.settings);
  if (!readState(paths)) writeState(paths, { action: 'start' });
  return printLoginUrl(call);
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
  await leaveMode({ paths: enter(settings), settings }).catch((error: unknown) => {
    throw error instanceof AppError ? new Failure(error.message) : error;
  });
  return 0;
}

export async function printLoginUrl({ settings }: Command): Promise<number> {
  const state = readState(enter(settings));
  if (!state) throw new Failure("Maintenance mode is off: 'safelight maintenance start' starts it");
  print(createLoginUrl(getAddress(settings), state.secret, new Date()));
  return 0;
}

function enter(settings: Settings) {
  enterDataFolder(settings);
  return dataPaths(settings.dataDir);
}

function getAddress({ host, port, tlsCert }: Settings): string {
  const named = ['0.0.0.0', '::'].includes(host) ? 'localhost' : host;
  return `${tlsCert ? 'https' : 'http'}://${named.includes(':') ? `[${named}]` : named}:${port}`;
}
