import type { Application } from '../application.ts';
import { getErrorMessage, type Log } from '../core/log.ts';
import type { DataPaths } from '../core/paths.ts';
import type { Settings } from '../core/settings.ts';
import type { Front } from '../front.ts';
import { createMaintenanceHandler } from './handler.ts';
import { type MaintenanceState, readState, watchState, writeState } from './state.ts';
import { signToken, toLoginUrl } from './token.ts';

type Address = { readonly url: string; readonly port: number };

/** Serves the application or maintenance mode, as the state file says. */
export type Mode = {
  /** Rejects when the application does not start and maintenance mode is off. */
  start(): Promise<Address>;
  stop(): Promise<void>;
};

export type ModeOptions = {
  readonly settings: Settings;
  readonly paths: DataPaths;
  readonly log: Log;
  readonly front: Front;
  readonly openApplication: () => Promise<Application>;
};

/** In the log, where an administrator of the machine reads it. */
const LOG_USER = 'administrator';

export function createMode(options: ModeOptions): Mode {
  const { paths, log, front, settings } = options;
  let application: Application | undefined;
  let isInMaintenance = false;
  let since = 0;
  let changes: Promise<void> = Promise.resolve();
  let watching: { stop(): void } | undefined;
  let isStopping = false;

  async function serveApplication(): Promise<Address> {
    application = await options.openApplication();
    const address = await front.serve(application.handler);
    isInMaintenance = false;
    application.startBackground();
    log.info(`Safelight is ready: ${address.url}`, { ms: Math.round(performance.now() - since) });
    return address;
  }

  async function serveMaintenance(state: MaintenanceState): Promise<Address> {
    const fetch = createMaintenanceHandler({
      settings,
      paths,
      log,
      getStatus: () => readState(paths) ?? state,
    });
    const address = await front.serve({ fetch });
    isInMaintenance = true;
    since = performance.now();
    const token = signToken(state.secret, { username: LOG_USER }, new Date());
    log.warn(`Safelight is in maintenance mode, log in at ${toLoginUrl(address.url, token)}`, {
      ...(state.error !== undefined && { reason: state.error }),
    });
    await closeApplication();
    return address;
  }

  /** The received part of an upload stays: clients resume it. */
  async function closeApplication(): Promise<void> {
    const closing = application;
    application = undefined;
    await closing?.disconnect();
    if (!isStopping) await front.drain();
    else await front.stop();
    await closing?.stop();
  }

  async function followState(): Promise<void> {
    const state = readState(paths);
    if (isStopping || (state !== undefined) === isInMaintenance) return;
    if (state) return void (await serveMaintenance(state));
    try {
      await serveApplication();
    } catch (error) {
      log.error('the application does not start', { error });
      writeState(paths, { action: 'start', error: getErrorMessage(error as Error) });
    }
  }

  const enqueue = (change: () => Promise<void>) =>
    (changes = changes
      .then(change)
      .catch((error: unknown) => log.error('changing the mode failed', { error })));

  return {
    async start() {
      const state = readState(paths);
      const address = await (state ? serveMaintenance(state) : serveApplication());
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
