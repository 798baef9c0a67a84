import { randomBytes } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  watch,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import type { DataPaths } from '../core/paths.ts';

// Maintenance mode is on while its state file exists. The server follows the file, whoever writes it:
// an operation of the API, the command line, or a start that finds the database in need of care.

export const MAINTENANCE_ACTIONS = [
  'start',
  'end',
  'select_database_restore',
  'restore_database',
] as const;
export type MaintenanceAction = (typeof MAINTENANCE_ACTIONS)[number];

export type MaintenanceState = {
  /** Signs the tokens of administrators: 64 random bytes, hex. */
  readonly secret: string;
  readonly action: Exclude<MaintenanceAction, 'end'>;
  /** File name of the backup that `restore_database` restores. */
  readonly backup?: string | undefined;
  /** Set until the rollback to the database that was replaced last begins. */
  readonly rollBack?: boolean | undefined;
  /** Set until the upgrade to the newest PostgreSQL that is installed begins. */
  readonly upgradePostgres?: boolean | undefined;
  /** The server can do without what runs: when that is interrupted, the next start serves the application. */
  readonly isOptional?: boolean | undefined;
  /** Why the server cannot leave maintenance mode by itself. */
  readonly error?: string | undefined;
  /** Set while the database has to be upgraded: the server tries again by itself. */
  readonly upgrade?: { readonly version: string; readonly attempts: number } | undefined;
};

type StatePaths = Pick<DataPaths, 'maintenance'>;

const getFile = ({ maintenance }: StatePaths) => join(maintenance, 'state.json');
const getLoginFolder = ({ maintenance }: StatePaths) => join(maintenance, 'logins');

/** Returns the state; undefined when maintenance mode is off. */
export function readState(paths: StatePaths): MaintenanceState | undefined {
  try {
    return JSON.parse(readFileSync(getFile(paths), 'utf8')) as MaintenanceState;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Switches maintenance mode on, or changes what it is for. The secret of a mode that is on stays. */
export function writeState(
  paths: StatePaths,
  change: Omit<MaintenanceState, 'secret'>,
): MaintenanceState {
  const secret = readState(paths)?.secret ?? randomBytes(64).toString('hex');
  const state = { ...change, secret };
  mkdirSync(paths.maintenance, { recursive: true, mode: 0o700 });
  const file = getFile(paths);
  const building = `${file}.${process.pid}`;
  const fd = openSync(building, 'w', 0o600);
  try {
    writeSync(fd, JSON.stringify(state));
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
  renameSync(building, file);
  syncFolder(dirname(file));
  return state;
}

/** Switches maintenance mode off. */
export function clearState(paths: StatePaths): void {
  if (!readState(paths)) return;
  rmSync(getFile(paths), { force: true });
  // Their tokens are worthless without the secret.
  rmSync(getLoginFolder(paths), { recursive: true, force: true });
  syncFolder(paths.maintenance);
}

/** Remembers that a login token was used; returns false when it was used before. */
export function recordLogin(paths: StatePaths, loginId: string): boolean {
  const folder = getLoginFolder(paths);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  try {
    closeSync(openSync(join(folder, loginId), 'wx', 0o600));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** Calls back after every change of the state, until it is stopped. */
export function watchState(paths: StatePaths, onChange: () => void): { stop(): void } {
  mkdirSync(paths.maintenance, { recursive: true, mode: 0o700 });
  const watcher = watch(paths.maintenance, onChange);
  return { stop: () => watcher.close() };
}

function syncFolder(path: string): void {
  const fd = openSync(path, 'r');
  fsyncSync(fd);
  closeSync(fd);
}
