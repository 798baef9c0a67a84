import { getErrorMessage } from '../core/log.ts';
import type { DataPaths } from '../core/paths.ts';
import { VERSION } from '../core/version.ts';
import { openDatabase } from '../db/client.ts';
import { SchemaFailure } from '../db/migrate.ts';
import { getNodeAddress } from '../nodes/address.ts';
import { recordReason } from '../nodes/node.ts';
import { openClusterFollower } from './cluster-follower.ts';
import { isServedElsewhere } from './served.store.ts';
import { isAbandoned, type MaintenanceState, readState, watchState, writeState } from './state.ts';
import { type Address, createServing, type ServingOptions } from './serving.ts';
import { createTasks, type Task } from './tasks.ts';

/** Serves the application or maintenance mode, as the state file says. */
export type Mode = {
  /** Rejects when the application does not start and maintenance mode is off. */
  start(): Promise<Address>;
  stop(): Promise<void>;
};

export type ModeOptions = ServingOptions;

/** Times that one version tries an upgrade whose process ended before it did. */
const MAX_ATTEMPTS = 3;
const WATCH_MS = 60_000;

export function createMode(options: ModeOptions): Mode {
  const { paths, log } = options;
  const tasks = createTasks(options);
  let changes: Promise<void> = Promise.resolve();
  let watching: { stop(): void } | undefined;
  let isStopping = false;
  const serving = createServing(options, () => isStopping);
  const getUrl = () => (serving.isInMaintenance() ? serving.getAddress()?.url : undefined);
  const cluster = openClusterFollower({
    ...options,
    getUrl,
    isBusy: serving.isBusy,
    onTakeOver: (interrupted) => serving.setInterrupted(interrupted),
  });
  const { requireDatabase, serveApplication, serveMaintenance } = serving;

  /** Remembers what has failed. */
  function fail(
    message: string,
    error: unknown,
    action: MaintenanceState['action'] = 'start',
  ): MaintenanceState {
    log.error(message, { error });
    const text = getErrorMessage(error as Error);
    const isOfUpgrade = error instanceof SchemaFailure || readState(paths)?.upgrade !== undefined;
    const upgrade = { version: VERSION, attempts: MAX_ATTEMPTS };
    const state = writeState(paths, { action, error: text, ...(isOfUpgrade && { upgrade }) });
    const url = getUrl();
    if (url) options.state.setMode({ kind: 'maintenance', url, reason: text });
    return state;
  }

  /** Serves the application, after an upgrade of the database when it is older. */
  async function serveLatest(): Promise<Address> {
    const pending = await tasks.listPending(requireDatabase());
    if (pending.length === 0) return serveApplication();
    log.info('the database has to be updated', { pending: pending.map(({ name }) => name) });
    const { url } = serving.requireAddress();
    if (tasks.isOnline(pending)) {
      void enqueue(() => updateOnline(url));
      return serving.requireAddress();
    }
    await tasks.requireOnlyNode(requireDatabase(), url);
    const state = recordUpgrade(paths);
    const served = await serveMaintenance({ ...state, error: undefined });
    options.state.setMode({ kind: 'updating', step: 'backup' });
    void enqueue(() => runTask(tasks.upgrade(requireDatabase())));
    return served;
  }

  /** Applies migrations beside other nodes, then serves the application. */
  async function updateOnline(listening: string): Promise<void> {
    const isUpdated = await tasks.updateOnline(requireDatabase(), {
      listening,
      isStopping: () => isStopping,
      onWait: (reason) => options.state.setMode({ kind: 'starting', reason }),
      onFailure: () => {},
    });
    if (isUpdated) await endMaintenance();
  }

  async function followState(): Promise<void> {
    const state = readState(paths);
    if (isStopping) return;
    if (!state) return serving.isInMaintenance() ? endMaintenance() : undefined;
    if (!serving.isInMaintenance()) await serveMaintenance(state);
    serving.tellStatus();
    if (state.upgradePostgres) await runTask(tasks.upgradePostgres());
    else if (state.backup !== undefined) {
      await runTask(tasks.restore(requireDatabase(), state.backup), state);
    } else if (isOver(paths, state)) {
      log.warn('no administrator in maintenance mode for a day, ending it');
      await endMaintenance();
    }
  }

  async function endMaintenance(action?: MaintenanceState['action']): Promise<void> {
    try {
      await serveLatest();
    } catch (error) {
      fail('the application does not start', error, action);
    }
  }

  /** Replaces the database and serves the application on it. `wanted`: the state that asks for it. */
  async function runTask(task: Task, wanted?: MaintenanceState): Promise<void> {
    const { action, first, interrupted: text, isOptional, run, failure } = task;
    const report = (task: string, progress?: number) => {
      serving.setRunning({ action, task, progress });
      if (!text) options.state.setMode({ kind: 'updating', step: task, progress });
    };
    report(first);
    let held = wanted;
    try {
      const revision = wanted?.revision === undefined ? undefined : await cluster?.claim(wanted);
      if (wanted?.revision !== undefined && revision === undefined) {
        return log.warn('another server has changed maintenance mode, nothing is replaced');
      }
      // Found by the next start when this process is killed.
      if (text) {
        const startedAt = new Date().toISOString();
        const interrupted = { text, startedAt };
        held = writeState(paths, { action, error: text, interrupted, revision });
      }
      const { kept } = await run(report);
      log.info('replaced the database', { kept });
      await endMaintenance(action);
    } catch (error) {
      if (isOptional) {
        log.error(failure, { error });
        await endMaintenance();
        return;
      }
      fail(failure, error, action);
      if (held) await cluster?.release(held, getErrorMessage(error as Error));
    } finally {
      serving.setRunning(undefined);
    }
  }

  /** Whether other servers go on without this one: administrators see why at those. */
  async function isRefused({ message: reason }: SchemaFailure): Promise<boolean> {
    const database = openDatabase(requireDatabase(), { max: 1 });
    try {
      if (!(await isServedElsewhere(database.sql))) return false;
      const url = serving.getAddress()?.url;
      const address = url && getNodeAddress(options.settings, url);
      await recordReason(database.db, { role: 'server', address, state: 'refused', reason });
      return true;
    } finally {
      await database.close();
    }
  }

  const enqueue = (change: () => Promise<void>) =>
    (changes = changes
      .then(() => (isStopping ? undefined : change()))
      .catch((error: unknown) => log.error('changing the mode failed', { error })));

  /** Returns the state with which this server starts: that of the others, if it has not ended. */
  async function readFirstState(): Promise<MaintenanceState | undefined> {
    serving.setInterrupted(readState(paths)?.interrupted);
    await cluster
      ?.sync()
      .catch((error: unknown) => log.warn('reading maintenance mode failed', { error }));
    return readState(paths);
  }

  /** Without an upgrade by a program that has tried it too often. */
  async function startAgain(state: MaintenanceState): Promise<Address> {
    if (state.revision !== undefined) return serveMaintenance(state);
    if (canTryAgain(state) || isOver(paths, state)) return serveLatest();
    return serveMaintenance(state);
  }

  return {
    async start() {
      await serving.serveStarting();
      const state = await readFirstState();
      const served = await (state ? startAgain(state) : serveLatest()).catch(
        async (error: unknown) => {
          if (!(error instanceof SchemaFailure)) throw error;
          // It is this program that does not fit: the state of the library is not its to change.
          if (await isRefused(error)) throw error;
          return serveMaintenance(fail('the database cannot be used', error));
        },
      );
      watching = watchChanges(paths, () => void enqueue(followState));
      cluster?.start();
      // Changed before it was watched.
      void enqueue(followState);
      return served;
    },
    async stop() {
      isStopping = true;
      watching?.stop();
      await changes;
      await serving.close();
      await cluster?.stop();
    },
  };
}

/** Whether no administrator is there any more. Of the mode of all servers, these know together. */
const isOver = (paths: DataPaths, { revision }: MaintenanceState): boolean =>
  revision === undefined && isAbandoned(paths, new Date());

/** Work was interrupted that leaves a whole database, or the upgrade, or another version has failed and this may not. */
const canTryAgain = ({ upgrade, interrupted }: MaintenanceState): boolean =>
  upgrade === undefined
    ? interrupted !== undefined
    : upgrade.version !== VERSION || upgrade.attempts < MAX_ATTEMPTS;

/** Writes that an upgrade begins: found by the next start when this process is killed. */
function recordUpgrade(paths: DataPaths): MaintenanceState {
  const { upgrade, interrupted: before } = readState(paths) ?? {};
  const attempts = upgrade?.version === VERSION ? upgrade.attempts + 1 : 1;
  const error = 'The update of the database was interrupted. Nothing has changed.';
  return writeState(paths, {
    action: 'start',
    error,
    interrupted: before,
    upgrade: { version: VERSION, attempts },
  });
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
