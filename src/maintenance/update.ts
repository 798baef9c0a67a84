import { type Migration, migrations } from '../../migrations/index.ts';
import { Failure } from '../core/command-line.ts';
import { reach } from '../core/fault-points.ts';
import { getErrorMessage, type Log } from '../core/log.ts';
import type { DataPaths } from '../core/paths.ts';
import { VERSION } from '../core/version.ts';
import { applyInPlace } from '../db/apply-in-place.ts';
import { type Database, openDatabase } from '../db/client.ts';
import { isDatabaseError, isServerFault } from '../db/errors.ts';
import { listPendingMigrations, MigrationFailure } from '../db/migrate.ts';
import { NODE_ID } from '../jobs/node-id.ts';
import { describeNodes } from '../nodes/description.ts';
import { recordReason } from '../nodes/node.ts';
import { NODE_DEADLINES } from '../nodes/others.ts';
import { deleteNode, listRunningNodes } from '../nodes/store.ts';
import { listFormerNodes } from './bridge.ts';
import { backUpBeforeUpdate } from './update-backup.ts';

// A database is updated in place, each migration a transaction, after a backup. Nodes of the version before go on serving
// it, if the migrations let them. What ends this process leaves the migrations so far, and the next start goes on.

export type UpdateStep = 'backup' | 'migrations';

export type PendingUpdate = {
  readonly url: string;
  readonly paths: Pick<DataPaths, 'backups'>;
  /** Whether this process brings the database along: servers without heartbeats are former ones. */
  readonly isOnlyServer?: boolean;
  readonly wanted?: readonly Migration[];
  readonly isStopping?: () => boolean;
  readonly onStep?: (step: UpdateStep, progress?: number) => void;
};

type Options = PendingUpdate & {
  readonly log: Log;
  /** URL at which other servers reach this one. */
  readonly address: string | undefined;
  readonly isStopping: () => boolean;
  /** Called with a sentence without a full stop, whenever there is another one. */
  readonly onWait: (reason: string) => void;
  readonly pauseMs?: number;
  readonly retryMs?: number;
};

/** A migration has failed, through no fault of the machine. Its message says the way back. */
export class UpdateFailure extends Failure {}

const PAUSE_MS = 2000;
/** After a failure that may stay until somebody does something about it. */
const RETRY_MS = 60_000;
/** In seconds: an index of a large library takes minutes. */
const LIMITS = { statement: 7200, answer: 7260 };

/**
 * Updates the database as soon as that can be done. Tells meanwhile, in the list of nodes as well, what it waits for.
 * Returns false when this process stops before. Throws UpdateFailure.
 */
export async function updateDatabase(options: Options): Promise<boolean> {
  const { url, log, address, isOnlyServer = false, isStopping, onWait } = options;
  const { pauseMs = PAUSE_MS, retryMs = RETRY_MS } = options;
  const node = openDatabase(url, { max: 1, name: 'node', deadlines: NODE_DEADLINES });
  let reason = `Updating the database to ${VERSION}`;
  // For the others.
  const record = async () => {
    if (isOnlyServer) return;
    await recordReason(node.db, { role: 'server', address, state: 'starting', reason });
  };
  const heartbeat = setInterval(() => void record(), pauseMs);
  let nextAt = 0;
  let isUpdated = false;
  await record();
  try {
    while (!isUpdated && !isStopping()) {
      if (performance.now() >= nextAt) {
        try {
          const applied = await applyPending(options);
          if (applied.length > 0) log.info('applied migrations', { applied });
          isUpdated = true;
          continue;
        } catch (error) {
          if (isStopping()) break;
          if (error instanceof UpdateFailure) throw error;
          if (error instanceof MigrationFailure && !isDatabaseError(error, 'lockNotAvailable')) {
            nextAt = performance.now() + retryMs;
          }
          const found = getErrorMessage(error as Error);
          if (found !== reason) log.warn('waiting to update the database', { reason: found });
          onWait((reason = found));
        }
      }
      await Bun.sleep(pauseMs);
    }
    return isUpdated;
  } finally {
    clearInterval(heartbeat);
    if (!isUpdated) await deleteNode(node.db, NODE_ID).catch(() => {});
    await node.close();
  }
}

/** Whether it says nothing about the migration. */
const isOfMachine = (error: MigrationFailure): boolean =>
  isDatabaseError(error, 'lockNotAvailable') ||
  isDatabaseError(error, 'deadlock') ||
  isDatabaseError(error, 'statementTimeout') ||
  isServerFault(error);

/**
 * Updates the database now, and returns the names of the migrations. Throws a Failure that says what it would have to wait
 * for, MigrationFailure for a fault of the machine, UpdateFailure, and SchemaFailure.
 */
export const applyPending = (update: PendingUpdate): Promise<string[]> =>
  asLeader(update, async (database, signal) => {
    const { wanted = migrations, onStep } = update;
    const pending = await listPendingMigrations(database.sql, wanted);
    // Another node has applied them, or a restore has put another database in place.
    if (pending.length === 0) return [];
    reach('update.begun');
    await requireWay(database, pending, update);
    const backup = await backUp(database, update, signal);
    // Nodes may have been started meanwhile.
    const isAlone = await requireWay(database, pending, update);
    reach('update.dumped');
    for (const [at, migration] of pending.entries()) {
      onStep?.('migrations', Math.floor((100 * at) / pending.length));
      await applyInPlace(database.sql, migration, { isAlone }).catch((error: unknown) => {
        if (!(error instanceof MigrationFailure) || isOfMachine(error)) throw error;
        throw new UpdateFailure(describeFailure(error, backup), { cause: error });
      });
      reach('update.migrated');
    }
    reach('update.ended');
    return pending.map(({ name }) => name);
  });

/** Makes the backup of an update that is to come, while the database is served. Returns the name of its file. */
export const backUpForUpdate = (update: PendingUpdate): Promise<string | undefined> =>
  asLeader(update, async (database, signal) => {
    const pending = await listPendingMigrations(database.sql, update.wanted);
    return pending.length === 0 ? undefined : backUp(database, update, signal);
  });

const backUp = (
  { db, sql }: Database,
  { url, paths, onStep }: PendingUpdate,
  signal: AbortSignal,
): Promise<string | undefined> => {
  const onBegin = () => onStep?.('backup');
  return backUpBeforeUpdate({ url, db, sql, paths, now: new Date(), signal, onBegin });
};

const describeFailure = (
  { migration, cause }: MigrationFailure,
  backup: string | undefined,
): string =>
  `The update to ${VERSION} failed at the migration ${migration}: ${getErrorMessage(cause as Error)}. ` +
  'Nothing is lost, and the next start tries again. To go back, start the version before' +
  (backup === undefined
    ? '.'
    : `; if it refuses the database, restore the backup ${backup} with it.`);

/** Runs the work on a connection of its own, which ends when this process stops. */
async function asLeader<T>(
  { url, isStopping = () => false }: PendingUpdate,
  work: (database: Database, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const database = openDatabase(url, { max: 1, name: 'update', deadlines: LIMITS });
  // The server goes on with an index, and whoever comes next finds it.
  const stopped = new AbortController();
  const watch = setInterval(() => {
    if (!isStopping()) return;
    stopped.abort(new Failure('The server stops'));
    void database.close();
  }, PAUSE_MS);
  try {
    const [leader] = await database.sql`select pg_try_advisory_lock(${LEADER_KEY}) as held`;
    if (!leader?.['held']) throw new Failure('Another node updates the database');
    return await work(database, stopped.signal);
  } finally {
    clearInterval(watch);
    await database.close();
  }
}

/** Key of a session advisory lock, which ends with its connection. */
const LEADER_KEY = 7_203_005;

/**
 * Throws Failure while nodes run that cannot go on beside these migrations. Returns whether no other node runs. A
 * migration that is not online lets none go on.
 */
async function requireWay(
  { db, sql }: Database,
  pending: readonly Migration[],
  { isOnlyServer = false }: PendingUpdate,
): Promise<boolean> {
  const levels = pending.map(({ online }) => online);
  const before = levels.every((level) => typeof level === 'number')
    ? Math.max(...levels)
    : undefined;
  const older = await listRunningNodes(db, NODE_ID, {
    isOnlyServer,
    ...(before !== undefined && { before }),
  });
  const former = before === undefined && !isOnlyServer ? await listFormerNodes(sql) : [];
  if (older.length + former.length > 0) {
    const names = [describeNodes(older), ...former].filter((name) => name !== '').join(', ');
    throw new Failure(
      `Nodes are too old to go on beside the update to ${VERSION}, replace or stop them: ${names}`,
    );
  }
  return (await listRunningNodes(db, NODE_ID, { isOnlyServer })).length === 0;
}
