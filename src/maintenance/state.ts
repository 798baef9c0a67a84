import { randomBytes } from 'node:crypto';
import {
  closeSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  watch,
} from 'node:fs';
import { join } from 'node:path';
import { syncFolder, writeDurably } from '../core/json-file.ts';
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
  /** File name of the backup that `restore_database` restores; undefined once that has begun. */
  readonly backup?: string | undefined;
  /** Set until the upgrade to the newest PostgreSQL that is installed begins. */
  readonly upgradePostgres?: boolean | undefined;
  /** Work that replaces the database, or leaves it as it was: the start after an interruption serves it either way. */
  readonly interrupted?: { readonly text: string; readonly startedAt: string } | undefined;
  /** The last failure or interruption: the next start tries again to serve the library. */
  readonly error?: string | undefined;
  /** The revision of the mode of all servers (`cluster-mode.ts`); undefined: the state is of this one alone. */
  readonly revision?: string | undefined;
  /** Another server replaces the database. */
  readonly isElsewhere?: boolean | undefined;
};

type StatePaths = Pick<DataPaths, 'maintenance'>;

const getFile = ({ maintenance }: StatePaths) => join(maintenance, 'state.json');
const getLoginFolder = ({ maintenance }: StatePaths) => join(maintenance, 'logins');

/** Returns the state; undefined when maintenance mode is off. A file that is damaged is put aside. */
export function readState(paths: StatePaths): MaintenanceState | undefined {
  const file = getFile(paths);
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as MaintenanceState;
  } catch (error) {
    if (error instanceof SyntaxError) renameSync(file, `${file}.damaged`);
    else if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return undefined;
  }
}

/** Returns the secret of the mode that is on, or a new one. */
export const getSecret = (paths: StatePaths): string =>
  readState(paths)?.secret ?? randomBytes(64).toString('hex');

/** Switches maintenance mode on, or changes what it is for. By default the secret of a mode that is on stays. */
export function writeState(
  paths: StatePaths,
  { secret = getSecret(paths), ...change }: Omit<MaintenanceState, 'secret'> & { secret?: string },
): MaintenanceState {
  const state = { ...change, secret };
  mkdirSync(paths.maintenance, { recursive: true, mode: 0o700 });
  writeDurably(getFile(paths), state);
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

/** Returns when maintenance mode was changed, or an administrator was there last, in ms; undefined while it is off. */
export function findSeen(paths: StatePaths): number | undefined {
  return statSync(getFile(paths), { throwIfNoEntry: false })?.mtimeMs;
}

/** Maintenance mode ends by itself when no administrator has been there for so long. */
export const ABANDONED_MS = 24 * 3_600_000;

/** Whether maintenance mode was entered, or an administrator was there last, too long ago, or in the future. */
export function isAbandoned(paths: StatePaths, now: Date): boolean {
  const seenAt = findSeen(paths);
  return seenAt !== undefined && Math.abs(now.getTime() - seenAt) > ABANDONED_MS;
}

/** How exactly it is remembered when an administrator was there. */
const SEEN_MS = 10 * 60_000;

/** An administrator is there. */
export function recordSeen(paths: StatePaths, now: Date): void {
  try {
    const file = getFile(paths);
    if (Math.abs(now.getTime() - statSync(file).mtimeMs) > SEEN_MS) utimesSync(file, now, now);
  } catch {
    // Maintenance mode has ended, or the disk is read-only.
  }
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
