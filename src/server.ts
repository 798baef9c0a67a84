import { resolve } from 'node:path';
import { migrations } from '../migrations/index.ts';
import { DEFAULTS, withProfile } from './areas/system-config/index.ts';
import { createDeps, openApplication, startJobs } from './application.ts';
import { Failure, UsageError } from './core/command-line.ts';
import { enterDataFolder } from './core/data-folder.ts';
import type { Log } from './core/log.ts';
import { requireValue } from './core/required.ts';
import { openServiceManager } from './core/service-manager.ts';
import { dataPaths } from './core/paths.ts';
import type { Settings } from './core/settings.ts';
import { type Database, openDatabase } from './db/client.ts';
import { untilReplaced } from './db/databases.ts';
import { hasServedSchema } from './db/migrate.ts';
import { checkServer, schemaVersion, startDatabase } from './db/server.ts';
import { createFront } from './front.ts';
import { withOwnCertificate } from './http/self-signed.ts';
import { loadWeb } from './http/web.ts';
import { createMode } from './maintenance/mode.ts';
import { createStateReporter } from './maintenance/server-state.ts';
import { createStartingHandler } from './maintenance/starting.ts';
import { readState } from './maintenance/state.ts';
import { startWorkerMode, type Stoppable } from './maintenance/worker-mode.ts';
import { recordReason, startNode } from './nodes/node.ts';
import { startParts } from './parts.ts';
import { joinStores } from './storage/library-folders.ts';

export type Server = {
  readonly url: string;
  readonly port: number;
  /** Requests that run are answered, then jobs that run are finished, then the database stops. */
  stop(): Promise<void>;
};

/**
 * The whole server. It listens before everything else, and answers 503 until the library is served. What fails
 * half-way is taken apart again.
 */
export const startServer = (
  given: Settings,
  log: Log,
  manager = openServiceManager({}),
): Promise<Server> =>
  startParts(log, async (add) => {
    const dataDir = resolve(given.dataDir);
    const paths = dataPaths(dataDir);
    enterFolder({ ...given, dataDir }, log);
    const settings = await withOwnCertificate({ ...given, dataDir }, paths.tls);
    const front = createFront(settings, log, { manager });
    add('front', () => front.stop());
    await front.serve(createStartingHandler());
    const state = createStateReporter(paths, (text) => manager.notify({ STATUS: text }));
    add('state', async () => state.end());
    state.setMode({ kind: 'starting' });
    const page = loadWeb();
    // Awaited below: must not end the process when the database fails first.
    page.catch(() => {});
    await untilOpen(settings, log, (reason) => state.setMode({ kind: 'starting', reason }));
    const database = await startDatabase(settings, log).then(
      (server) => {
        add('database', () => server.stop());
        return server;
      },
      (error: unknown) => {
        // Maintenance mode is there to mend it.
        if (!readState(paths)) throw error;
        log.error('the database does not start', { error });
        return undefined;
      },
    );
    const mode = createMode({
      settings,
      paths,
      log,
      front,
      state,
      database,
      clientDefaults: CLIENT_DEFAULTS,
      openApplication: async (url) =>
        openApplication({ settings, log, databaseUrl: url, page: await page }),
    });
    add('mode', () => mode.stop());
    add('telling', async () => state.setMode({ kind: 'stopping' }));
    const address = await mode.start();
    return address;
  });

const CLIENT_DEFAULTS = {
  minFaces: DEFAULTS.machineLearning.facialRecognition.minFaces,
  oauthButtonText: DEFAULTS.oauth.buttonText,
  publicUsers: DEFAULTS.server.publicUsers,
  trashDays: DEFAULTS.trash.days,
  userDeleteDelay: DEFAULTS.user.deleteDelay,
};

/** The job lanes alone, on the database and the files of a server that runs elsewhere; none in maintenance mode. */
export const startWorker = (given: Settings, log: Log): Promise<Stoppable> =>
  startParts(log, async (add) => {
    const settings = { ...given, dataDir: resolve(given.dataDir) };
    const { databaseUrl: url } = settings;
    if (!url) {
      throw new UsageError(
        'worker needs --database-url: it shares the database and the data folder of a server',
      );
    }
    enterFolder(settings, log);
    await untilOpen(settings, log);
    await checkServer(url);
    const mode = await startWorkerMode({ url, log, openWork: () => openWork(settings, url, log) });
    add('work', () => mode.stop());
    return {};
  });

const openWork = (given: Settings, databaseUrl: string, log: Log): Promise<Stoppable> =>
  startParts(log, async (add) => {
    const database = openDatabase(databaseUrl, { max: 2, name: 'worker' });
    add('pool', () => database.close());
    await requireServedSchema(database);
    const deps = createDeps(database, await withProfile(database.db, given), log);
    const fault = await joinStores(deps);
    if (fault) throw new Failure(fault);
    const node = startNode({ deps, databaseUrl, role: 'worker' });
    add('node', node.stop);
    const threads = startJobs(deps, databaseUrl);
    add('threads', () => threads.stop());
    return {};
  });

/** Resolves when no other server replaces the database any more. */
async function untilOpen(
  { databaseUrl }: Settings,
  log: Log,
  onWait: (reason: string) => void = () => {},
): Promise<void> {
  if (databaseUrl === undefined) return;
  let isWaiting = false;
  await untilReplaced(databaseUrl, () => {
    if (isWaiting) return;
    isWaiting = true;
    const reason = 'Another server replaces the database';
    log.warn('waiting for the database', { reason });
    onWait(reason);
  });
}

function enterFolder(settings: Settings, log: Log): void {
  const staysRoot = enterDataFolder(settings, { isServer: true });
  if (staysRoot) log.warn(staysRoot);
}

/** The server changes the schema, not a worker: it may be older or newer than the server. */
async function requireServedSchema({ db, sql }: Database): Promise<void> {
  if (await hasServedSchema(db)) return;
  const [found, needed] = [
    await schemaVersion(sql),
    requireValue(migrations.at(-1), 'migration').name,
  ];
  const reason =
    `The database has ${found ? `the schema ${found}` : 'no schema'}, this program needs ` +
    `${needed}. Run the same version as the server, and start the server first.`;
  await recordReason(db, { role: 'worker', address: undefined, state: 'refused', reason });
  throw new Failure(reason);
}
