import type { Application } from '../application.ts';
import { Failure } from '../core/command-line.ts';
import { writeLines } from '../core/journal.ts';
import { requireValue } from '../core/required.ts';
import { retryThroughOutage } from '../db/outage.ts';
import type { Front } from '../front.ts';
import { createStartingHandler } from './starting.ts';
import { type ClientDefaults, createMaintenanceHandler } from './handler.ts';
import type { StateReporter } from './server-state.ts';
import { createMaintenanceSockets, type MaintenanceSockets } from './sockets.ts';
import { clearState, type MaintenanceState, readState } from './state.ts';
import { type MaintenanceStatus, toStatus } from './status.ts';
import type { TaskOptions } from './tasks.ts';
import { createLoginUrl } from './token.ts';
import type { Log } from '../core/log.ts';
import { dropReplaced, getReplacedAt, listReplaced } from './replacement.ts';

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
    await stopApplication(closing, front, isStopping);
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

async function stopApplication(
  application: Application | undefined,
  front: Front,
  isStopping: () => boolean,
): Promise<void> {
  if (isStopping()) {
    await application?.drain();
    // Nobody waits for a library whose jobs come to their end.
    await application?.stopBackground();
  }
  await application?.disconnect(isStopping() ? undefined : { isMaintenanceMode: true });
  if (!isStopping()) await front.drain();
  else await front.stop();
  await application?.stop();
}

const describeReason = ({ error, action }: MaintenanceState): string =>
  error ??
  (action === 'start' ? 'an administrator has started it' : 'an administrator restores a backup');

type Options = {
  readonly log: Log;
  readonly databaseUrl: string;
  readonly application: Application;
  readonly interrupted: MaintenanceState['interrupted'];
};

/** Whatever has happened before the library was served again: cleans up after it, and tells administrators. */
async function tellServed(options: Options): Promise<void> {
  const { log, databaseUrl, application, interrupted } = options;
  try {
    if (!interrupted) return;
    const text = `${interrupted.text} ${await describeOutcome(databaseUrl, interrupted.startedAt)}`;
    log.warn(text);
    await application.tellAdmins('Maintenance interrupted', text);
  } catch (error) {
    log.error('telling what has happened before failed', { error });
  } finally {
    dropReplaced(databaseUrl, new Date(0)).then(
      (dropped) => dropped.length > 0 && log.info('dropped unfinished databases', { dropped }),
      (error: unknown) => log.warn('dropping unfinished databases failed', { error }),
    );
  }
}

/** The swap is one transaction: either it has happened, or nothing has. */
async function describeOutcome(databaseUrl: string, startedAt: string): Promise<string> {
  const last = (await listReplaced(databaseUrl)).at(-1);
  // Names have no milliseconds.
  const from = Math.floor(Date.parse(startedAt) / 1000) * 1000;
  return last !== undefined && getReplacedAt(last).getTime() >= from
    ? 'It was complete, and the library is served as it is then.'
    : 'Nothing has changed: the library is served as it was before.';
}

const CHECK_MS = 5000;
const DEADLINE_MS = 5000;

/** Tells what hinders a library that is served, now and from now on. Returns what ends that. */
async function watchProblems(application: Application, state: StateReporter): Promise<() => void> {
  let isChecking = false;
  let isEnded = false;
  const check = async () => {
    if (isChecking) return;
    isChecking = true;
    const late = Bun.sleep(DEADLINE_MS).then(() => {
      throw new Error('It does not answer');
    });
    const problems = await Promise.race([application.findProblems(), late]).catch(
      ({ message }: Error) => [
        { kind: 'databaseAway', text: `The database cannot be reached: ${message}` } as const,
      ],
    );
    if (!isEnded) state.setProblems(problems);
    isChecking = false;
  };
  await check();
  const timer = setInterval(() => void check(), CHECK_MS);
  timer.unref();
  return () => {
    isEnded = true;
    clearInterval(timer);
  };
}
