import { type Migration, migrations } from '../../migrations/index.ts';
import { Failure } from '../core/command-line.ts';
import { getErrorMessage, type Log } from '../core/log.ts';
import { VERSION } from '../core/version.ts';
import { openDatabase } from '../db/client.ts';
import { isDatabaseError, isServerFault } from '../db/errors.ts';
import { listPendingMigrations, MigrationFailure } from '../db/migrate.ts';
import { applyOnlineMigration } from '../db/online-migrations.ts';
import { NODE_ID } from '../jobs/node-id.ts';
import { recordReason } from '../nodes/node.ts';
import { describeNodes } from '../nodes/description.ts';
import { deleteNode, listRunningNodes } from '../nodes/store.ts';

// A database elsewhere is updated while the nodes of the version before go on serving it, if its migrations let them.

type OnlineMigration = Migration & { readonly online: number };

/** Whether nodes of earlier versions may go on while these migrations are applied. */
export const areOnline = (pending: readonly Migration[]): pending is readonly OnlineMigration[] =>
  pending.every(({ online }) => typeof online === 'number');

type Options = {
  readonly url: string;
  readonly log: Log;
  /** URL at which other servers reach this one. */
  readonly address: string | undefined;
  readonly isStopping: () => boolean;
  /** Called with a sentence without a full stop, whenever there is another one. */
  readonly onWait: (reason: string) => void;
  /** A migration has failed, through no fault of the machine. */
  readonly onFailure: (error: MigrationFailure) => void;
  readonly wanted?: readonly Migration[];
  readonly pauseMs?: number;
  readonly retryMs?: number;
};

const PAUSE_MS = 2000;
/** After a failure that may stay until somebody does something about it. */
const RETRY_MS = 60_000;
/** In seconds: an index of a large library takes minutes. */
const LIMITS = { statement: 7200, answer: 7260 };
const NODE_LIMITS = { statement: 5, answer: 6 };

/**
 * Applies online migrations as soon as the programs of all other nodes can go on after them. Tells meanwhile, in the
 * list of nodes as well, what it waits for. Returns false when this process stops before.
 */
export async function updateOnline(options: Options): Promise<boolean> {
  const { url, log, address, isStopping, onWait, onFailure } = options;
  const { wanted = migrations, pauseMs = PAUSE_MS, retryMs = RETRY_MS } = options;
  const node = openDatabase(url, { max: 1, name: 'node', deadlines: NODE_LIMITS });
  let reason = `Applying migrations of ${VERSION}`;
  const record = () =>
    recordReason(node.db, { role: 'server', address, state: 'starting', reason });
  const heartbeat = setInterval(() => void record(), pauseMs);
  let nextAt = 0;
  onWait(reason);
  await record();
  try {
    for (; !isStopping(); await Bun.sleep(pauseMs)) {
      if (performance.now() < nextAt) continue;
      try {
        const applied = await applyPending(url, wanted, isStopping);
        if (applied.length > 0) log.info('applied migrations', { applied });
        return true;
      } catch (error) {
        if (isStopping()) break;
        if (error instanceof MigrationFailure && !isDatabaseError(error, 'lockNotAvailable')) {
          nextAt = performance.now() + retryMs;
          log.error('applying migrations failed', { error });
          if (!isOfMachine(error)) onFailure(error);
        }
        const found = getErrorMessage(error as Error);
        if (found === reason) continue;
        reason = found;
        log.warn('waiting to apply migrations', { reason });
        onWait(reason);
      }
    }
    clearInterval(heartbeat);
    await deleteNode(node.db, NODE_ID).catch(() => {});
    return false;
  } finally {
    clearInterval(heartbeat);
    await node.close();
  }
}

/** Whether it says nothing about the migration. */
const isOfMachine = (error: MigrationFailure): boolean =>
  isDatabaseError(error, 'deadlock') ||
  isDatabaseError(error, 'statementTimeout') ||
  isServerFault(error);

/**
 * Applies online migrations, if the programs of all other nodes can go on after them, and returns their names. Throws a
 * Failure that says what it would have to wait for, MigrationFailure, and SchemaFailure.
 */
export async function applyPending(
  url: string,
  wanted: readonly Migration[] = migrations,
  isStopping = () => false,
): Promise<string[]> {
  const database = openDatabase(url, { max: 1, name: 'update', deadlines: LIMITS });
  // The server goes on with an index, and whoever comes next finds it.
  const { db, sql } = database;
  const watch = setInterval(() => isStopping() && void database.close(), PAUSE_MS);
  try {
    const [leader] = await sql`select pg_try_advisory_lock(${LEADER_KEY}) as held`;
    if (!leader?.['held']) throw new Failure('Another node applies migrations');
    const pending: readonly Migration[] = await listPendingMigrations(sql, wanted);
    // Another node has applied them, or a restore has put another database in place.
    if (pending.length === 0 || !areOnline(pending)) return [];
    const before = Math.max(...pending.map(({ online }) => online));
    const older = await listRunningNodes(db, NODE_ID, { before });
    if (older.length > 0) {
      const list = describeNodes(older);
      throw new Failure(
        `Nodes are too old to go on beside ${VERSION}, replace or stop them: ${list}`,
      );
    }
    for (const migration of pending) await applyOnlineMigration(sql, migration);
    return pending.map(({ name }) => name);
  } finally {
    clearInterval(watch);
    await database.close();
  }
}

/** Key of a session advisory lock, which ends with its connection. */
const LEADER_KEY = 7_203_005;

/** A node that was killed is listed for ten seconds. */
const LEAVING_MS = 15_000;

/**
 * Throws Failure while other nodes run on a database whose update they cannot go on with: it is copied and replaced
 * meanwhile. Waits for those that are about to leave.
 */
export async function requireOnlyNode(
  url: string,
  { leavingMs = LEAVING_MS, ...options }: { leavingMs?: number; pauseMs?: number } = {},
): Promise<void> {
  const others = await waitForOthers(url, leavingMs, options);
  if (others === '') return;
  throw new Failure(
    `The update of the database to ${VERSION} cannot be made while other nodes run: ${others}. ` +
      'Stop all servers and workers, then start one server of the new version; it updates the database, ' +
      'and the others can be started when it serves.',
  );
}

/** Resolves when no other node runs on the database, or after `ms`: to a list of those that do, which is empty then. */
export async function waitForOthers(
  url: string,
  ms: number,
  { pauseMs = 500 } = {},
): Promise<string> {
  const database = openDatabase(url, { max: 1, name: 'node', deadlines: NODE_LIMITS });
  const end = performance.now() + ms;
  try {
    for (;;) {
      const others = await listRunningNodes(database.db, NODE_ID);
      if (others.length === 0 || performance.now() >= end) return describeNodes(others);
      await Bun.sleep(pauseMs);
    }
  } finally {
    await database.close();
  }
}
