import { getErrorMessage, type Log } from '../core/log.ts';
import type { DataPaths } from '../core/paths.ts';
import { openDatabase } from '../db/client.ts';
import { SchemaFailure } from '../db/migrate.ts';
import { NODE_ID } from '../jobs/node-id.ts';
import { getNodeAddress } from '../nodes/address.ts';
import { recordReason } from '../nodes/node.ts';
import { listRunningNodes } from '../nodes/store.ts';
import { forgetFormerUpdates } from './bridge.ts';
import { type ClusterFollower, openClusterFollower } from './cluster-follower.ts';
import { type Address, createServing, type Serving, type ServingOptions } from './serving.ts';
import {
  clearState,
  isAbandoned,
  type MaintenanceState,
  readState,
  watchState,
  writeState,
} from './state.ts';
import { createTasks, type Task } from './tasks.ts';
import { UpdateFailure } from './update.ts';

/** Serves the application or maintenance mode, as the state file says. */
export type Mode = {
  /** Rejects when the application does not start and maintenance mode is off. */
  start(): Promise<Address>;
  stop(): Promise<void>;
};

/** Changes of the mode, one after the other. */
type Changes = {
  add(change: () => Promise<void>): void;
  readonly isStopping: () => boolean;
  stop(): Promise<void>;
};

type Context = ServingOptions & {
  readonly serving: Serving;
  readonly cluster: ClusterFollower | undefined;
  readonly tasks: ReturnType<typeof createTasks>;
  readonly changes: Changes;
};

const WATCH_MS = 60_000;

export function createMode(options: ServingOptions): Mode {
  const { paths, log } = options;
  const changes = createChanges(log);
  const serving = createServing(options, changes.isStopping);
  const cluster = openClusterFollower({
    ...options,
    getUrl: () => getMaintenanceUrl(serving),
    isBusy: serving.isBusy,
    onTakeOver: (interrupted) => serving.setInterrupted(interrupted),
  });
  const context = { ...options, serving, cluster, changes, tasks: createTasks(options) };
  let watching: { stop(): void } | undefined;
  return {
    async start() {
      await serving.serveStarting();
      const address = await serveFirst(context);
      const follow = () => changes.add(() => followState(context));
      watching = watchChanges(paths, follow);
      cluster?.start();
      // Changed before it was watched.
      follow();
      return address;
    },
    async stop() {
      watching?.stop();
      await changes.stop();
      await serving.close();
      await cluster?.stop();
    },
  };
}

function createChanges(log: Log): Changes {
  let last: Promise<void> = Promise.resolve();
  let isStopping = false;
  return {
    add(change) {
      last = last
        .then(() => (isStopping ? undefined : change()))
        .catch((error: unknown) => log.error('changing the mode failed', { error }));
    },
    isStopping: () => isStopping,
    async stop() {
      isStopping = true;
      await last;
    },
  };
}

const getMaintenanceUrl = (serving: Serving): string | undefined =>
  serving.isInMaintenance() ? serving.getAddress()?.url : undefined;

/** Serves what the state of before says: that of other servers, if theirs has not ended. */
async function serveFirst(context: Context): Promise<Address> {
  const { paths, log, serving, cluster } = context;
  forgetFormerUpdates(paths);
  serving.setInterrupted(readState(paths)?.interrupted);
  await cluster
    ?.sync()
    .catch((error: unknown) => log.warn('reading maintenance mode failed', { error }));
  const state = readState(paths);
  if (state && !(canTryAgain(context, state) || isOver(paths, state))) {
    return serving.serveMaintenance(state);
  }
  if (state?.error === undefined) clearState(paths);
  return serveLatest(context).catch(async (error: unknown) => {
    if (!state && !(error instanceof SchemaFailure)) throw error;
    // It is this program that does not fit: the state of the library is not its to change.
    if (error instanceof SchemaFailure && (await isRefused(context, error))) throw error;
    return serving.serveMaintenance(fail(context, 'the database cannot be used', error));
  });
}

/** Work has failed or was interrupted, which leaves a whole database. */
const canTryAgain = ({ database }: Context, { error, revision }: MaintenanceState): boolean =>
  error !== undefined && revision === undefined && database !== undefined;

/** Whether no administrator is there any more. Of the mode of all servers, these know together. */
const isOver = (paths: DataPaths, { revision }: MaintenanceState): boolean =>
  revision === undefined && isAbandoned(paths, new Date());

/** Serves the application, after an update of the database when it is older. */
async function serveLatest(context: Context): Promise<Address> {
  const { log, serving, tasks, changes } = context;
  const pending = await tasks.listPending(serving.requireDatabase());
  if (pending.length === 0) return serving.serveApplication();
  log.info('the database has to be updated', { pending: pending.map(({ name }) => name) });
  const address = serving.requireAddress();
  changes.add(() => update(context, address));
  return address;
}

/** Updates the database, beside nodes that can go on, and serves the application. */
async function update(context: Context, { url }: Address): Promise<void> {
  const { paths, state, serving, tasks, changes } = context;
  /** An administrator may enter maintenance mode while it waits. */
  const isWanted = () => {
    const wanted = readState(paths);
    return wanted !== undefined && wanted.error === undefined;
  };
  try {
    const isUpdated = await tasks.update(serving.requireDatabase(), {
      listening: url,
      isStopping: () => changes.isStopping() || isWanted(),
      onWait(reason) {
        serving.setRunning(undefined);
        state.setMode({ kind: 'starting', reason });
      },
      onStep(step, progress) {
        serving.setRunning({ action: 'start', task: step, progress });
        state.setMode({ kind: 'updating', step, progress });
      },
    });
    serving.setRunning(undefined);
    if (isUpdated) await endMaintenance(context);
  } catch (error) {
    serving.setRunning(undefined);
    if (!(error instanceof UpdateFailure)) throw error;
    await serving.serveMaintenance(fail(context, 'updating the database failed', error));
  }
}

async function followState(context: Context): Promise<void> {
  const { paths, log, serving, tasks, changes } = context;
  const state = readState(paths);
  if (changes.isStopping()) return;
  if (!state) return serving.isInMaintenance() ? endMaintenance(context) : undefined;
  if (!serving.isInMaintenance()) await serving.serveMaintenance(state);
  serving.tellStatus();
  if (state.upgradePostgres) await runTask(context, tasks.upgradePostgres());
  else if (state.backup !== undefined) {
    await runTask(context, tasks.restore(serving.requireDatabase(), state.backup), state);
  } else if (isOver(paths, state)) {
    log.warn('no administrator in maintenance mode for a day, ending it');
    clearState(paths);
    await endMaintenance(context);
  }
}

async function endMaintenance(
  context: Context,
  action?: MaintenanceState['action'],
): Promise<void> {
  try {
    await serveLatest(context);
  } catch (error) {
    fail(context, 'the application does not start', error, action);
  }
}

/** Replaces the database and serves the application on it. `wanted`: the state that asks for it. */
async function runTask(context: Context, task: Task, wanted?: MaintenanceState): Promise<void> {
  const { paths, log, serving, cluster } = context;
  const { action, first, interrupted: text, isOptional, run, failure } = task;
  serving.setRunning({ action, task: first });
  let held = wanted;
  try {
    const revision = wanted?.revision === undefined ? undefined : await cluster?.claim(wanted);
    if (wanted?.revision !== undefined && revision === undefined) {
      return log.warn('another server has changed maintenance mode, nothing is replaced');
    }
    // Found by the next start when this process is killed.
    const interrupted = { text, startedAt: new Date().toISOString() };
    held = writeState(paths, { action, error: text, interrupted, revision });
    const { kept } = await run((step, progress) =>
      serving.setRunning({ action, task: step, progress }),
    );
    log.info('replaced the database', { kept });
    await endMaintenance(context, action);
  } catch (error) {
    if (isOptional) {
      log.error(failure, { error });
      return await endMaintenance(context);
    }
    fail(context, failure, error, action);
    if (held) await cluster?.release(held, getErrorMessage(error as Error));
  } finally {
    serving.setRunning(undefined);
  }
}

/** Remembers what has failed: administrators see it, and the next start tries again. */
function fail(
  { paths, log, state, serving }: Context,
  message: string,
  error: unknown,
  action: MaintenanceState['action'] = 'start',
): MaintenanceState {
  log.error(message, { error });
  const reason = getErrorMessage(error as Error);
  const url = getMaintenanceUrl(serving);
  if (url) state.setMode({ kind: 'maintenance', url, reason });
  return writeState(paths, { action, error: reason });
}

/** Whether other servers go on without this one: administrators see why at those. */
async function isRefused(
  { settings, serving }: Context,
  { message: reason }: SchemaFailure,
): Promise<boolean> {
  const isOnlyServer = settings.databaseUrl === undefined;
  const database = openDatabase(serving.requireDatabase(), { max: 1 });
  try {
    const others = await listRunningNodes(database.db, NODE_ID, { isOnlyServer });
    if (others.length === 0) return false;
    const url = serving.getAddress()?.url;
    const address = url && getNodeAddress(settings, url);
    await recordReason(database.db, { role: 'server', address, state: 'refused', reason });
    return true;
  } finally {
    await database.close();
  }
}

/** Calls `follow` when the state has changed, and once a minute. */
function watchChanges(paths: DataPaths, follow: () => void): { stop(): void } {
  const watcher = watchState(paths, follow);
  const timer = setInterval(follow, WATCH_MS);
  return {
    stop() {
      watcher.stop();
      clearInterval(timer);
    },
  };
}
