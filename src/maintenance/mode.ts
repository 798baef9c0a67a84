import type { Application } from '../application.ts';
import { Failure } from '../core/command-line.ts';
import { writeLines } from '../core/journal.ts';
import { getErrorMessage } from '../core/log.ts';
import { VERSION } from '../core/version.ts';
import { SchemaFailure } from '../db/migrate.ts';
import type { Front } from '../front.ts';
import { createMaintenanceHandler, type MaintenanceStatus } from './handler.ts';
import { clearState, type MaintenanceState, readState, watchState, writeState } from './state.ts';
import { createTasks, type Task, type TaskOptions } from './tasks.ts';
import { createLoginUrl } from './token.ts';

type Address = { readonly url: string; readonly port: number };

/** Serves the application or maintenance mode, as the state file says. */
export type Mode = {
  /** Rejects when the application does not start and maintenance mode is off. */
  start(): Promise<Address>;
  stop(): Promise<void>;
};

export type ModeOptions = TaskOptions & {
  readonly front: Front;
};

/** Times that one version tries an upgrade whose process ended before it did. */
const MAX_ATTEMPTS = 3;

export function createMode(options: ModeOptions): Mode {
  const { paths, log, front, settings } = options;
  const tasks = createTasks(options);
  let application: Application | undefined;
  let isInMaintenance = false;
  let since = 0;
  let changes: Promise<void> = Promise.resolve();
  let watching: { stop(): void } | undefined;
  let isStopping = false;
  let running: MaintenanceStatus | undefined;

  async function serveApplication(): Promise<Address> {
    application = await options.openApplication(requireDatabase());
    const address = await front.serve(application.handler);
    isInMaintenance = false;
    application.startBackground();
    log.info(`Safelight is ready: ${address.url}`, { ms: Math.round(performance.now() - since) });
    return address;
  }

  async function serveMaintenance(state: MaintenanceState): Promise<Address> {
    const getStatus = () => running ?? readState(paths) ?? state;
    const databaseUrl = options.database?.url;
    const fetch = createMaintenanceHandler({ settings, paths, log, databaseUrl, getStatus });
    const address = await front.serve({ fetch });
    isInMaintenance = true;
    since = performance.now();
    log.warn(`Safelight is in maintenance mode: ${address.url}`, { reason: state.error });
    // Not in the log, which leaves the machine: on its console, or in its journal.
    const loginUrl = createLoginUrl(address.url, state.secret, new Date());
    writeLines(1, 'warn', `Log in to maintenance mode, once and within four hours: ${loginUrl}\n`);
    await closeApplication();
    return address;
  }

  /** The received part of an upload stays: clients resume it. */
  async function closeApplication(): Promise<void> {
    const closing = application;
    application = undefined;
    // Nobody waits for a library whose jobs come to their end.
    if (isStopping) await closing?.stopBackground();
    await closing?.disconnect();
    if (!isStopping) await front.drain();
    else await front.stop();
    await closing?.stop();
  }

  function requireDatabase(): string {
    if (options.database) return options.database.url;
    throw new Failure('The database does not run: restart the server');
  }

  /** Serves the application, after an upgrade of the database when it is older. */
  async function serveLatest(): Promise<Address> {
    const pending = await tasks.listPending(requireDatabase());
    if (pending.length === 0) {
      const address = await serveApplication();
      clearState(paths);
      return address;
    }
    log.info('the database has to be updated', { pending });
    const { upgrade } = readState(paths) ?? {};
    const attempts = upgrade?.version === VERSION ? upgrade.attempts + 1 : 1;
    const error = 'The update of the database was interrupted. Nothing has changed.';
    const state = writeState(paths, {
      action: 'start',
      error,
      upgrade: { version: VERSION, attempts },
    });
    const address = await serveMaintenance({ ...state, error: undefined });
    void enqueue(() => runTask(tasks.upgrade(requireDatabase())));
    return address;
  }

  async function followState(): Promise<void> {
    const state = readState(paths);
    if (isStopping) return;
    if (!state) return isInMaintenance ? endMaintenance() : undefined;
    if (!isInMaintenance) await serveMaintenance(state);
    if (state.rollBack) await runTask(tasks.rollBack(requireDatabase()));
    else if (state.upgradePostgres) await runTask(tasks.upgradePostgres());
    else if (state.action === 'restore_database') {
      await runTask(tasks.restore(requireDatabase(), state.backup!));
    }
  }

  async function endMaintenance(): Promise<void> {
    try {
      await serveLatest();
    } catch (error) {
      fail('the application does not start', error);
    }
  }

  function fail(message: string, error: unknown): MaintenanceState {
    log.error(message, { error });
    const text = getErrorMessage(error as Error);
    const isOfUpgrade = error instanceof SchemaFailure || readState(paths)?.upgrade !== undefined;
    return writeState(paths, {
      action: 'start',
      error: text,
      ...(isOfUpgrade && { upgrade: { version: VERSION, attempts: MAX_ATTEMPTS } }),
    });
  }

  /** Replaces the database and serves the application on it. */
  async function runTask(task: Task): Promise<void> {
    const { action, first, interrupted, isOptional, run, failure } = task;
    const report = (task: string, progress?: number) => {
      running = { action, task, progress };
    };
    report(first);
    // Found by the next start when this process is killed.
    if (interrupted) writeState(paths, { action: 'start', error: interrupted, isOptional });
    try {
      const { kept } = await run(report);
      log.info('replaced the database', { kept });
      await endMaintenance();
    } catch (error) {
      if (!isOptional) return void fail(failure, error);
      log.error(failure, { error });
      await endMaintenance();
    } finally {
      running = undefined;
    }
  }

  const enqueue = (change: () => Promise<void>) =>
    (changes = changes
      .then(() => (isStopping ? undefined : change()))
      .catch((error: unknown) => log.error('changing the mode failed', { error })));

  return {
    async start() {
      const state = readState(paths);
      const address = await (
        state && !canTryAgain(state) ? serveMaintenance(state) : serveLatest()
      ).catch((error: unknown) => {
        if (!(error instanceof SchemaFailure)) throw error;
        return serveMaintenance(fail('the database cannot be used', error));
      });
      watching = watchState(paths, () => void enqueue(followState));
      // Changed before it was watched.
      void enqueue(followState);
      return address;
    },
    async stop() {
      isStopping = true;
      watching?.stop();
      await changes;
      await closeApplication();
    },
  };
}

/** An upgrade was interrupted, or another version has failed and this one may not. */
const canTryAgain = ({ upgrade, isOptional }: MaintenanceState): boolean =>
  isOptional === true ||
  (upgrade !== undefined && (upgrade.version !== VERSION || upgrade.attempts < MAX_ATTEMPTS));
