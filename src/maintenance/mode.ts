import type { Application } from '../application.ts';
import { Failure } from '../core/command-line.ts';
import { writeLines } from '../core/journal.ts';
import { getErrorMessage } from '../core/log.ts';
import { VERSION } from '../core/version.ts';
import { withConnection } from '../db/databases.ts';
import { SchemaFailure } from '../db/migrate.ts';
import { retryThroughOutage } from '../db/outage.ts';
import type { Front } from '../front.ts';
import { createStartingHandler } from './starting.ts';
import { findPreviousProgram, isPreviousProgram, writeFailedUpdate } from './failed-update.ts';
import { type ClientDefaults, createMaintenanceHandler } from './handler.ts';
import { tellServed, watchProblems } from './served.ts';
import { isServedElsewhere } from './served.store.ts';
import type { StateReporter } from './server-state.ts';
import { createMaintenanceSockets, type MaintenanceSockets } from './sockets.ts';
import {
  clearState,
  isAbandoned,
  type MaintenanceState,
  readState,
  watchState,
  writeState,
} from './state.ts';
import { type MaintenanceStatus, toStatus } from './status.ts';
import { createTasks, type Task, type TaskOptions } from './tasks.ts';
import { createLoginUrl } from './token.ts';

type Address = { readonly url: string; readonly port: number };

/** Serves the application or maintenance mode, as the state file says. */
export type Mode = {
  /** Rejects when the application does not start and maintenance mode is off. */
  start(): Promise<Address>;
  /** Resolves to the path of the program that is to take over: the update by this one has failed. */
  readonly replacedBy: Promise<string>;
  stop(): Promise<void>;
};

export type ModeOptions = TaskOptions & {
  readonly front: Front;
  readonly state: StateReporter;
  readonly clientDefaults: ClientDefaults;
};

/** Times that one version tries an upgrade whose process ended before it did. */
const MAX_ATTEMPTS = 3;
const WATCH_MS = 60_000;

export function createMode(options: ModeOptions): Mode {
  const { paths, log, front, settings, clientDefaults } = options;
  const tasks = createTasks(options);
  const replacement = Promise.withResolvers<string>();
  let application: Application | undefined;
  let isInMaintenance = false;
  let address: Address | undefined;
  let since = 0;
  let changes: Promise<void> = Promise.resolve();
  let watching: { stop(): void } | undefined;
  let isStopping = false;
  let endChecks = () => {};
  /** Work of an earlier process, until administrators have been told of it. */
  let interrupted: MaintenanceState['interrupted'];
  let running: MaintenanceStatus | undefined;
  let sockets: MaintenanceSockets | undefined;

  async function serveApplication(): Promise<Address> {
    const databaseUrl = requireDatabase();
    // A machine that is busy for a moment says nothing about the library, or an update of it.
    application = await retryThroughOutage(() => options.openApplication(databaseUrl));
    address = await front.serve(application.handler);
    isInMaintenance = false;
    void sockets?.close({ isMaintenanceMode: false });
    sockets = undefined;
    application.startBackground();
    clearState(paths);
    log.info(`Safelight is ready: ${address.url}`, { ms: Math.round(performance.now() - since) });
    endChecks = await watchProblems(application, options.state);
    options.state.setMode({ kind: 'serving', url: address.url });
    await tellServed({ paths, log, application, databaseUrl, interrupted });
    interrupted = undefined;
    return address;
  }

  async function serveMaintenance(state: MaintenanceState): Promise<Address> {
    const getStatus = () => running ?? toStatus(readState(paths) ?? state);
    const isBusy = () => running !== undefined;
    const common = { settings, paths, log, getStatus };
    const databaseUrl = options.database?.url;
    sockets ??= createMaintenanceSockets(common);
    const { upgrade } = sockets;
    address = await front.serve({
      fetch: createMaintenanceHandler({ ...common, clientDefaults, databaseUrl, isBusy }),
      upgrade,
    });
    const { url } = address;
    isInMaintenance = true;
    since = performance.now();
    endChecks();
    options.state.setProblems([]);
    options.state.setMode({ kind: 'maintenance', url, reason: describeReason(state) });
    log.warn(`Safelight is in maintenance mode: ${url}`, { reason: state.error });
    // Not in the log, which leaves the machine: on its console, or in its journal.
    const loginUrl = createLoginUrl(url, state.secret, new Date());
    writeLines(1, 'warn', `Log in to maintenance mode, once and within four hours: ${loginUrl}\n`);
    await closeApplication();
    return address;
  }

  /** The received part of an upload stays: clients resume it. */
  async function closeApplication(): Promise<void> {
    const closing = application;
    application = undefined;
    endChecks();
    // Nobody waits for a library whose jobs come to their end.
    if (isStopping) await closing?.stopBackground();
    await closing?.disconnect(isStopping ? undefined : { isMaintenanceMode: true });
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
    if (pending.length === 0) return serveApplication();
    log.info('the database has to be updated', { pending });
    const { upgrade, interrupted: before } = readState(paths) ?? {};
    const attempts = upgrade?.version === VERSION ? upgrade.attempts + 1 : 1;
    const error = 'The update of the database was interrupted. Nothing has changed.';
    const state = writeState(paths, {
      action: 'start',
      error,
      interrupted: before,
      upgrade: { version: VERSION, attempts },
    });
    const served = await serveMaintenance({ ...state, error: undefined });
    options.state.setMode({ kind: 'updating', step: 'backup' });
    void enqueue(() => runTask(tasks.upgrade(requireDatabase())));
    return served;
  }

  async function followState(): Promise<void> {
    const state = readState(paths);
    if (isStopping) return;
    if (!state) return isInMaintenance ? endMaintenance() : undefined;
    if (!isInMaintenance) await serveMaintenance(state);
    sockets?.tellStatus();
    if (state.rollBack) await runTask(tasks.rollBack(requireDatabase()));
    else if (state.upgradePostgres) await runTask(tasks.upgradePostgres());
    else if (state.backup !== undefined) {
      await runTask(tasks.restore(requireDatabase(), state.backup));
    } else if (isAbandoned(paths, new Date())) {
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

  /** Remembers what has failed. A program whose update has failed gives way to the one that served before. */
  function fail(
    message: string,
    error: unknown,
    action: MaintenanceState['action'] = 'start',
  ): MaintenanceState | undefined {
    log.error(message, { error });
    const text = getErrorMessage(error as Error);
    const isOfUpgrade = error instanceof SchemaFailure || readState(paths)?.upgrade !== undefined;
    if (isOfUpgrade && giveWay(error)) return undefined;
    const upgrade = { version: VERSION, attempts: MAX_ATTEMPTS };
    const state = writeState(paths, {
      action,
      error: text,
      ...(isOfUpgrade && { upgrade }),
    });
    if (address && isInMaintenance) {
      options.state.setMode({ kind: 'maintenance', url: address.url, reason: text });
    }
    return state;
  }

  function giveWay(error: unknown): boolean {
    const program = findPreviousProgram(paths);
    if (program === undefined) return false;
    isStopping = true;
    writeFailedUpdate(paths, error);
    clearState(paths);
    log.warn('the update has failed: the program of before takes over', { program });
    replacement.resolve(program);
    return true;
  }

  /** Replaces the database and serves the application on it. */
  async function runTask(task: Task): Promise<void> {
    const { action, first, interrupted: text, isOptional, run, failure } = task;
    const report = (task: string, progress?: number) => {
      running = { action, task, progress };
      sockets?.tellStatus();
      if (!text) options.state.setMode({ kind: 'updating', step: task, progress });
    };
    report(first);
    // Found by the next start when this process is killed.
    if (text) {
      const startedAt = new Date().toISOString();
      writeState(paths, { action, error: text, interrupted: { text, startedAt } });
    }
    try {
      const { kept } = await run(report);
      log.info('replaced the database', { kept });
      await endMaintenance(action);
    } catch (error) {
      if (!isOptional) return void fail(failure, error, action);
      log.error(failure, { error });
      await endMaintenance();
    } finally {
      running = undefined;
      sockets?.tellStatus();
    }
  }

  const enqueue = (change: () => Promise<void>) =>
    (changes = changes
      .then(() => (isStopping ? undefined : change()))
      .catch((error: unknown) => log.error('changing the mode failed', { error })));

  /** Without an upgrade by a program that has tried it too often. */
  async function startAgain(state: MaintenanceState): Promise<Address> {
    if (canTryAgain(state) || isAbandoned(paths, new Date())) return serveLatest();
    if (state.upgrade?.version === VERSION && giveWay(new Failure(state.error ?? ''))) {
      return address!;
    }
    return serveMaintenance(state);
  }

  return {
    replacedBy: replacement.promise,
    async start() {
      address = await front.serve(createStartingHandler());
      const state = readState(paths);
      interrupted = state?.interrupted;
      const served = await (state ? startAgain(state) : serveLatest()).catch(
        async (error: unknown) => {
          if (!(error instanceof SchemaFailure)) throw error;
          // It is this program that does not fit: the state of the library is not its to change.
          if (await withConnection(requireDatabase(), isServedElsewhere)) throw error;
          const failed = fail('the database cannot be used', error);
          return failed ? serveMaintenance(failed) : address!;
        },
      );
      const watcher = watchState(paths, () => void enqueue(followState));
      const timer = setInterval(() => void enqueue(followState), WATCH_MS);
      watching = {
        stop() {
          watcher.stop();
          clearInterval(timer);
        },
      };
      // Changed before it was watched.
      void enqueue(followState);
      return served;
    },
    async stop() {
      isStopping = true;
      watching?.stop();
      await changes;
      await sockets?.close();
      await closeApplication();
    },
  };
}

/** Work was interrupted that leaves a whole database, or the upgrade, or another version has failed and this may not. */
const canTryAgain = ({ upgrade, interrupted }: MaintenanceState): boolean =>
  upgrade === undefined
    ? interrupted !== undefined
    : isPreviousProgram() || upgrade.version !== VERSION || upgrade.attempts < MAX_ATTEMPTS;

const describeReason = ({ error, action }: MaintenanceState): string =>
  error ??
  (action === 'start' ? 'an administrator has started it' : 'an administrator restores a backup');
