import type { Migration } from '../../migrations/index.ts';
import type { Application } from '../application.ts';
import { adoptDevelopmentSchema, emptyUnreadableTables } from './bridge.ts';
import { fetchBackup } from './stored-backups.ts';
import { Failure } from '../core/command-line.ts';
import type { Log } from '../core/log.ts';
import type { DataPaths } from '../core/paths.ts';
import type { Settings } from '../core/settings.ts';
import { getNodeAddress } from '../nodes/address.ts';
import { waitForOthers } from '../nodes/others.ts';
import { reopenAbandoned, withConnection } from '../db/databases.ts';
import { listPendingMigrations } from '../db/migrate.ts';
import type { DatabaseServer } from '../db/server.ts';
import { recordFailure } from './postgres-upgrade.ts';
import { dropReplaced, type Replacement } from './replacement.ts';
import { restoreBackup, withDump } from './restore.ts';
import { checkApplication } from './self-check.ts';
import { hasAdministrator } from './self-check.store.ts';
import { getDatabaseFolder } from './space.ts';
import type { MaintenanceState } from './state.ts';
import { updateDatabase } from './update.ts';
import { upgradePostgres } from './upgrade-postgres.ts';

export type TaskOptions = {
  readonly settings: Settings;
  readonly paths: DataPaths;
  readonly log: Log;
  /** Undefined: it does not run. */
  readonly database: DatabaseServer | undefined;
  readonly openApplication: (databaseUrl: string) => Promise<Application>;
};

type Report = (task: string, progress?: number) => void;

/** Work in maintenance mode that replaces the database. */
export type Task = {
  readonly action: MaintenanceState['action'];
  /** Its first step. */
  readonly first: string;
  /** Written before it runs, for the case that this process is killed. */
  readonly interrupted: string;
  /** When it fails, the application is served as before. */
  readonly isOptional?: boolean;
  /** For the log. */
  readonly failure: string;
  readonly run: (report: Report) => Promise<Replacement>;
};

type UpdateOptions = Pick<
  Parameters<typeof updateDatabase>[0],
  'isStopping' | 'onWait' | 'onStep'
> & { readonly listening: string };

/** For other nodes to see that maintenance mode is on, and to end or release their jobs. */
const OTHERS_MS = 30_000;

export function createTasks({ settings, paths, log, database, openApplication }: TaskOptions) {
  const check = async (url: string): Promise<void> => {
    const candidate = await openApplication(url);
    try {
      await checkApplication(candidate, url, log);
    } finally {
      await candidate.stop();
    }
  };

  /** Nodes that are stuck, or of a version that knows no maintenance mode, lose their connections in a moment. */
  async function letOthersStop(url: string): Promise<void> {
    if (settings.databaseUrl === undefined) return;
    const others = await waitForOthers(url, OTHERS_MS);
    if (others !== '') log.warn('nodes have not stopped for maintenance mode', { nodes: others });
  }

  return {
    async listPending(url: string): Promise<Migration[]> {
      await reopenAbandoned(url);
      return withConnection(url, async (sql) => {
        const emptied = await emptyUnreadableTables(sql);
        if (emptied.length > 0) log.warn('emptied unreadable tables', { tables: emptied });
        await adoptDevelopmentSchema(sql);
        return listPendingMigrations(sql);
      });
    },

    /** See `updateDatabase`. `listening`: the URL at which this server listens. */
    async update(url: string, { listening, ...options }: UpdateOptions): Promise<boolean> {
      // They may hold the space for the backup.
      await dropReplaced(url, new Date(0)).catch((error: unknown) =>
        log.warn('dropping unfinished databases failed', { error }),
      );
      return updateDatabase({
        ...options,
        url,
        log,
        paths,
        isOnlyServer: settings.databaseUrl === undefined,
        address: getNodeAddress(settings, listening),
      });
    },

    upgradePostgres: (): Task => ({
      action: 'start',
      first: 'backup',
      isOptional: true,
      failure: 'upgrading PostgreSQL failed, nothing has changed',
      interrupted: 'The upgrade of PostgreSQL was interrupted. Nothing has changed.',
      async run(report) {
        const { url, upgrade } = database ?? {};
        if (!url || !upgrade) throw new Failure('No database runs here that is our own');
        const options = { url, upgrade, paths, now: new Date(), check, onTask: report };
        return recordFailure(paths, () => upgradePostgres(options));
      },
    }),

    restore: (url: string, backup: string): Task => ({
      action: 'restore_database',
      first: 'restore',
      failure: 'restoring the database failed, nothing has changed',
      interrupted:
        `The restore of ${backup} was interrupted. The library is either as it was before or ` +
        'restored completely: end maintenance mode to look at it, or restore again.',
      async run(report) {
        const { path } = await fetchBackup({ paths, settings }, backup);
        await letOthersStop(url);
        return withDump(path, (dump) =>
          restoreBackup({
            url,
            file: backup,
            dump,
            now: new Date(),
            diskFolder: getDatabaseFolder(settings),
            onBytes: (bytes, total) => report('restore', Math.floor((100 * bytes) / total)),
            onLeftOut: (text) => log.warn('the backup was not restored whole', { reason: text }),
            async check(nextUrl) {
              report('migrations');
              await check(nextUrl);
              await requireAdministrator(nextUrl);
            },
          }),
        );
      },
    }),
  };
}

/** Throws Failure with Immich's text: nobody could log in and go back. */
async function requireAdministrator(url: string): Promise<void> {
  if (await withConnection(url, hasAdministrator)) return;
  throw new Failure('Server health check failed, no admin exists.');
}
