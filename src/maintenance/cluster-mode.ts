import { hostname } from 'node:os';
import { conflict, databaseUnavailable } from '../core/errors.ts';
import type { Deps } from '../core/context.ts';
import { type Db, openDatabase } from '../db/client.ts';
import { NOT_ACCEPTING } from '../db/databases.ts';
import { getSqlState, isServerFault } from '../db/errors.ts';
import { NODE_ID } from '../jobs/node-id.ts';
import * as store from './cluster-mode.store.ts';
import { clearState, getSecret, type MaintenanceState, readState, writeState } from './state.ts';

// Servers on one database are in maintenance mode together. Its row in the database changes by compare-and-set, and each
// server copies it to its state file, which it follows as one with its own database does. A mode that has no revision is
// of one server alone, which cannot serve, or that its command line has put into it while the database did not answer.

/** In seconds. */
export const MODE_DEADLINES = { statement: 5, answer: 6 };
export const OWN = { nodeId: NODE_ID, host: hostname() };

export type Target = Pick<Deps, 'paths' | 'settings'>;
type Change = Pick<MaintenanceState, 'action' | 'backup' | 'upgradePostgres'>;

/**
 * Switches maintenance mode on, or changes what it is for, at all servers of the database; at this one where the schema
 * does not know the mode. Throws 409 while one of them replaces the database, or when another one has changed the mode
 * meanwhile.
 */
export async function enterMode(
  { paths, settings: { databaseUrl } }: Target,
  change: Change,
): Promise<MaintenanceState> {
  if (databaseUrl === undefined) return writeState(paths, change);
  return withDatabase(databaseUrl, async (db) => {
    const before = await findIdle(db);
    const { action } = change;
    const isRunning = change.backup !== undefined;
    const values = { ...OWN, action, isRunning, error: null };
    const secret = before?.secret ?? getSecret(paths);
    const revision = before
      ? await store.updateMode(db, before.revision, values)
      : await store.insertMode(db, { ...values, secret });
    if (revision === null) return writeState(paths, change);
    if (revision === undefined) throw createChanged();
    return writeState(paths, { ...change, secret, revision });
  });
}

/**
 * Returns the state of the mode of all servers, which is copied to this one, or that of this server alone; undefined when
 * there is neither. Throws as `leaveMode`.
 */
export async function findState(target: Target): Promise<MaintenanceState | undefined> {
  const { paths, settings } = target;
  if (settings.databaseUrl !== undefined) {
    const mode = await withDatabase(settings.databaseUrl, store.findMode);
    const revision = readState(paths)?.revision;
    if (mode && mode.revision !== revision) copyMode(paths, mode);
    if (!mode && revision !== undefined) clearState(paths);
  }
  return readState(paths);
}

/** Copies the mode of all servers to the state file of this one. */
export function copyMode(paths: Target['paths'], mode: store.ClusterMode): void {
  const { revision, action, secret, error, isRunning } = mode;
  const isElsewhere = isRunning || undefined;
  writeState(paths, { revision, action, secret, error: error ?? undefined, isElsewhere });
}

/**
 * Switches maintenance mode off, at all servers if it is theirs, or `isOfAll`. Throws as `enterMode`, and 503 while the
 * database does not answer.
 */
export async function leaveMode(
  { paths, settings: { databaseUrl } }: Target,
  isOfAll = readState(paths)?.revision !== undefined,
): Promise<void> {
  if (databaseUrl !== undefined && isOfAll) {
    await withDatabase(databaseUrl, async (db) => {
      const before = await findIdle(db);
      if (before && !(await store.deleteMode(db, before.revision))) throw createChanged();
    });
  }
  clearState(paths);
}

/** Returns the mode; undefined while it is off. Throws 409 while a server replaces the database. */
async function findIdle(db: Db): Promise<store.ClusterMode | undefined> {
  const mode = await store.findMode(db);
  if (!mode?.isRunning) return mode;
  throw conflict(`The server on ${mode.host} restores a backup: wait until it has ended`);
}

const createChanged = () => conflict('Another server has changed maintenance mode: try again');

async function withDatabase<T>(url: string, work: (db: Db) => Promise<T>): Promise<T> {
  const database = openDatabase(url, { max: 1, name: 'mode', deadlines: MODE_DEADLINES });
  try {
    return await work(database.db);
  } catch (error) {
    if (getSqlState(error) === NOT_ACCEPTING) {
      throw conflict('The database is being replaced: wait until that has ended');
    }
    throw isServerFault(error) ? databaseUnavailable() : error;
  } finally {
    await database.close();
  }
}
