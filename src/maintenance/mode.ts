import type { Application } from '../application.ts';
import { findBackup } from '../areas/database-backups/index.ts';
import { Failure } from '../core/command-line.ts';
import { getErrorMessage, type Log } from '../core/log.ts';
import type { DataPaths } from '../core/paths.ts';
import type { Settings } from '../core/settings.ts';
import type { Front } from '../front.ts';
import { createMaintenanceHandler, type MaintenanceStatus } from './handler.ts';
import { undoReplacement } from './replacement.ts';
import { restoreBackup, withDump } from './restore.ts';
import { checkApplication } from './self-check.ts';
import { clearState, type MaintenanceState, readState, watchState, writeState } from './state.ts';
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
  /** Undefined: the database does not run. */
  readonly databaseUrl: string | undefined;
  readonly openApplication: (databaseUrl: string) => Promise<Application>;
};

/** In the log, where an administrator of the machine reads it. */
const LOG_USER = 'administrator';

const describeInterrupted = (backup: string): string =>
  `The restore of ${backup} was interrupted. The library is either as it was before or restored ` +
  'completely: end maintenance mode to look at it, or restore again.';

export function createMode(options: ModeOptions): Mode {
  const { paths, log, front, settings } = options;
  let application: Application | undefined;
  let isInMaintenance = false;
  let since = 0;
  let changes: Promise<void> = Promise.resolve();
  let watching: { stop(): void } | undefined;
  let isStopping = false;
  /** The running task. */
  let task: MaintenanceStatus | undefined;

  async function serveApplication(): Promise<Address> {
    application = await options.openApplication(requireDatabase());
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
      getStatus: () => task ?? readState(paths) ?? state,
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

  function requireDatabase(): string {
    if (options.databaseUrl) return options.databaseUrl;
    throw new Failure('The database does not run: restart the server');
  }

  async function followState(): Promise<void> {
    const state = readState(paths);
    if (isStopping) return;
    if (!state) return isInMaintenance ? endMaintenance() : undefined;
    if (!isInMaintenance) await serveMaintenance(state);
    if (state.action === 'restore_database') await restore(state.backup!);
  }

  async function endMaintenance(): Promise<void> {
    try {
      await serveApplication();
    } catch (error) {
      fail('the application does not start', error);
    }
  }

  function fail(message: string, error: unknown): void {
    log.error(message, { error });
    writeState(paths, { action: 'start', error: getErrorMessage(error as Error) });
  }

  async function restore(backup: string): Promise<void> {
    // Found by the next start when this process is killed.
    writeState(paths, { action: 'start', error: describeInterrupted(backup) });
    const report = (name: string, progress?: number) => {
      task = { action: 'restore_database', task: name, progress };
    };
    report('restore', 0);
    try {
      const replacement = await restoreAndCheck(backup, report);
      log.info('restored the database', { backup, kept: replacement.kept });
      await serveApplication().catch(async (error: unknown) => {
        await closeApplication();
        report('rollback');
        await undoReplacement(requireDatabase(), replacement);
        throw error;
      });
      clearState(paths);
    } catch (error) {
      fail('restoring the database failed', error);
    } finally {
      task = undefined;
    }
  }

  const restoreAndCheck = async (
    backup: string,
    report: (task: string, progress?: number) => void,
  ) => {
    const url = requireDatabase();
    const { path } = await findBackup(paths.backups, backup);
    return withDump(path, (dump) =>
      restoreBackup({
        url,
        file: backup,
        dump,
        now: new Date(),
        onBytes: (bytes, total) => report('restore', Math.floor((100 * bytes) / total)),
        async check(nextUrl) {
          report('migrations');
          const candidate = await options.openApplication(nextUrl);
          try {
            await checkApplication(candidate, nextUrl, log);
          } finally {
            await candidate.stop();
          }
        },
      }),
    );
  };

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
