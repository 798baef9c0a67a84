import type { Application } from '../application.ts';
import { Failure } from '../core/command-line.ts';
import { writeLines } from '../core/journal.ts';
import { requireValue } from '../core/required.ts';
import { retryThroughOutage } from '../db/outage.ts';
import type { Front } from '../front.ts';
import { createStartingHandler } from './starting.ts';
import { type ClientDefaults, createMaintenanceHandler } from './handler.ts';
import { tellServed, watchProblems } from './served.ts';
import type { StateReporter } from './server-state.ts';
import { createMaintenanceSockets, type MaintenanceSockets } from './sockets.ts';
import { clearState, type MaintenanceState, readState } from './state.ts';
import { type MaintenanceStatus, toStatus } from './status.ts';
import type { TaskOptions } from './tasks.ts';
import { createLoginUrl } from './token.ts';

export type Address = { readonly url: string; readonly port: number };

export type ServingOptions = TaskOptions & {
  readonly front: Front;
  readonly state: StateReporter;
  readonly clientDefaults: ClientDefaults;
};

export type Serving = ReturnType<typeof createServing>;

/** Puts the application or maintenance mode behind the front. `isStopping`: the process ends. */
export function createServing(options: ServingOptions, isStopping: () => boolean) {
  const { paths, log, front, settings, clientDefaults } = options;
  let application: Application | undefined;
  let isInMaintenance = false;
  let address: Address | undefined;
  let since = 0;
  let endChecks = () => {};
  /** Work of an earlier process, until administrators have been told of it. */
  let interrupted: MaintenanceState['interrupted'];
  let running: MaintenanceStatus | undefined;
  let sockets: MaintenanceSockets | undefined;

  const isBusy = () => running !== undefined;

  function requireDatabase(): string {
    if (options.database) return options.database.url;
    throw new Failure('The database does not run: restart the server');
  }

  async function serveApplication(): Promise<Address> {
    const databaseUrl = requireDatabase();
    // A machine that is busy for a moment says nothing about the library, or an update of it.
    application = await retryThroughOutage(() => options.openApplication(databaseUrl));
    address = await front.serve(application.handler);
    isInMaintenance = false;
    void sockets?.close({ isMaintenanceMode: false });
    sockets = undefined;
    application.startBackground(address.url);
    clearState(paths);
    log.info(`Safelight is ready: ${address.url}`, { ms: Math.round(performance.now() - since) });
    endChecks = await watchProblems(application, options.state);
    options.state.setMode({ kind: 'serving', url: address.url });
    await tellServed({ log, application, databaseUrl, interrupted });
    interrupted = undefined;
    return address;
  }

  async function serveMaintenance(state: MaintenanceState): Promise<Address> {
    const getStatus = () => running ?? toStatus(readState(paths) ?? state);
    const common = { settings, paths, log, getStatus };
    const databaseUrl = options.database?.url;
    sockets ??= createMaintenanceSockets(common);
    const { upgrade } = sockets;
    address = await front.serve({
      fetch: createMaintenanceHandler({ ...common, clientDefaults, databaseUrl, isBusy }),
      upgrade,
    });
    const { url } = address;
    since = performance.now();
    endChecks();
    options.state.setProblems([]);
    options.state.setMode({ kind: 'maintenance', url, reason: describeReason(state) });
    log.warn(`Safelight is in maintenance mode: ${url}`, { reason: state.error });
    // Not in the log, which leaves the machine: on its console, or in its journal.
    const loginUrl = createLoginUrl(url, state.secret, new Date());
    writeLines(1, 'warn', `Log in to maintenance mode, once and within four hours: ${loginUrl}\n`);
    // Until then this node is one that runs jobs.
    await closeApplication();
    isInMaintenance = true;
    return address;
  }

  /** The received part of an upload stays: clients resume it. */
  async function closeApplication(): Promise<void> {
    const closing = application;
    application = undefined;
    endChecks();
    if (isStopping()) {
      await closing?.drain();
      // Nobody waits for a library whose jobs come to their end.
      await closing?.stopBackground();
    }
    await closing?.disconnect(isStopping() ? undefined : { isMaintenanceMode: true });
    if (!isStopping()) await front.drain();
    else await front.stop();
    await closing?.stop();
  }

  return {
    requireDatabase,
    serveApplication,
    serveMaintenance,
    isInMaintenance: () => isInMaintenance,
    isBusy,
    getAddress: () => address,
    requireAddress: () => requireValue(address, 'address that is served'),
    /** The handler that refuses with 503 until something else is served. */
    async serveStarting(): Promise<void> {
      address = await front.serve(createStartingHandler());
    },
    setInterrupted(before: MaintenanceState['interrupted']): void {
      interrupted = before;
    },
    /** Shows the status of a task; undefined: it has ended. */
    setRunning(status: MaintenanceStatus | undefined): void {
      running = status;
      sockets?.tellStatus();
    },
    tellStatus: () => sockets?.tellStatus(),
    async close(): Promise<void> {
      await sockets?.close();
      await closeApplication();
    },
  };
}

const describeReason = ({ error, action }: MaintenanceState): string =>
  error ??
  (action === 'start' ? 'an administrator has started it' : 'an administrator restores a backup');
