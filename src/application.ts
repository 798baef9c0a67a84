import { mkdir } from 'node:fs/promises';
import { migrations } from '../migrations/index.ts';
import { createAuthenticate } from './access/authenticate.ts';
import { type App, createApp } from './app.ts';
import { findAssetsById } from './areas/assets/index.ts';
import { startWatcher } from './areas/libraries/watch/watcher.domain.ts';
import { tellAdmins } from './areas/notifications/index.ts';
import { findProblems } from './areas/server/index.ts';
import { collectMetrics } from './areas/server/metrics/metrics.domain.ts';
import { getLinkPreview } from './areas/shared-links/preview.domain.ts';
import { stopPlayers } from './areas/studio/sound/players.ts';
import { stopVideoStreams } from './areas/video-streams/index.ts';
import { closeAbandonedStreams, stopStreams } from './areas/studio/streams/supervisor.ts';
import { configureNewLibrary, withProfile } from './areas/system-config/index.ts';
import { keepEpochRecorded, readOwnViews } from './areas/sync/index.ts';
import type { Deps } from './core/context.ts';
import { getJobSpaceFloor, maintainReserve } from './core/disk-reserve.ts';
import type { Log } from './core/log.ts';
import { dataPaths } from './core/paths.ts';
import { restrictPermissions } from './core/permissions.ts';
import { getFirst } from './core/required.ts';
import type { Settings } from './core/settings.ts';
import { type Database, openDatabase, REQUEST_DEADLINES } from './db/client.ts';
import { migrate } from './db/migrate.ts';
import { openReplica } from './db/replica.ts';
import { refuseWithoutUpgrade } from './events/handshake.ts';
import { createLive, type Live } from './events/live.ts';
import type { Restart } from './events/socket-server.ts';
import type { Handler } from './front.ts';
import { toGet } from './http/exchange.ts';
import { createMetricsHandler } from './http/metrics.ts';
import { createRequestMetrics, type RequestMetrics } from './http/request-metrics.ts';
import { withRetriedReads } from './http/retry.ts';
import { createSharePageHandler } from './http/share-page.ts';
import { createWebHandler, type WebAssets } from './http/web.ts';
import { refuseWithoutStores } from './http/failed-response.ts';
import { watchStores } from './storage/watch.ts';
import { closeInference } from './inference/client.ts';
import { closeVectorIndexes } from './inference/vectors/vectors.ts';
import { jobs } from './job-registry.ts';
import { readProcessConfig } from './process-config.ts';
import { remakeMissingFiles } from './areas/object-storage/jobs.ts';
import { enqueue } from './jobs/queue.ts';
import { readLibrary } from './storage/file-folder.ts';
import { startThreads } from './jobs/threads.ts';
import { getNodeAddress } from './nodes/address.ts';
import { acceptForwarded } from './nodes/forward.ts';
import { type Node, startNode } from './nodes/node.ts';
import { findFolderFault, placeStagingFolders } from './storage/disks.ts';
import { sweepIncoming } from './storage/removal.ts';
import { openStaging } from './staging/staging-id.ts';
import { setDiskReserve, setMediaHost } from './media/tool-process.ts';
import { setSampleFolder } from './media/tool-samples.ts';
import { getScratchFolder } from './storage/index.ts';
import { closeStores, openStores } from './storage/library-folders.ts';
import type { Problem } from './maintenance/server-state.ts';
import { type Add, createParts, startParts } from './parts.ts';

/** The parts that work on the database: the API, live events and jobs. */
export type Application = {
  readonly handler: Handler;
  /** Without regard to the folders of the library, which may be away: for a self-check. */
  readonly fetch: Handler['fetch'];
  /** One list of each area, for a self-check. */
  readonly readPaths: readonly string[];
  /** To be called when requests are served, at this URL. */
  startBackground(url: string): void;
  /** Tells that this server will stop, and gives balancers the time to send requests to others. */
  drain(): Promise<void>;
  /** Waits for running jobs; requests are answered meanwhile. */
  stopBackground(): Promise<void>;
  /** Ends the connections of live events, which no request waits for. */
  disconnect(restart?: Restart): Promise<void>;
  /** Returns what hinders the library; rejects when the database cannot be asked. */
  findProblems(): Promise<Problem[]>;
  /** Notifies administrators, in English. */
  tellAdmins(title: string, description: string): Promise<void>;
  stop(): Promise<void>;
};

export type ApplicationOptions = {
  readonly settings: Settings;
  readonly log: Log;
  readonly databaseUrl: string;
  readonly page: WebAssets;
};

export const openApplication = (options: ApplicationOptions): Promise<Application> =>
  startParts(options.log, async (add) => {
    const { log, databaseUrl, page } = options;
    const database = openDatabase(databaseUrl, {
      max: POOL,
      name: 'server',
      deadlines: REQUEST_DEADLINES,
      idleSeconds: options.settings.databaseUrl === undefined ? OWN_IDLE_SECONDS : IDLE_SECONDS,
    });
    add('pool', () => database.close());
    const { databaseReadUrl } = options.settings;
    if (options.settings.databaseUrl !== undefined && databaseReadUrl !== undefined) {
      const replica = openReplica(database.sql, databaseReadUrl, log);
      add('replica', () => replica.close());
    }
    add('vectors', () => closeVectorIndexes(database.sql));
    add('inference', () => closeInference());
    const applied = await migrate(database.sql);
    if (applied.length > 0) log.info('applied migrations', { applied });
    await keepEpochRecorded(database, log);

    const settings = await withProfile(database.db, options.settings);
    const deps = createDeps(database, settings, log);
    if (applied.includes(getFirst(migrations).name)) {
      await deps.db.transaction((tx) => configureNewLibrary(tx, settings.profile, deps.now()));
      log.info('new library', { profile: settings.profile });
    }
    // After a restore the folders are another machine's: what was derived there may not have come along.
    else if (!(await readLibrary(deps.db)).isMarked) await enqueue(deps.db, remakeMissingFiles, {});
    const fault = await openStores(deps);
    add('storage', async () => closeStores(deps.paths));
    if (fault) log.error('the storage cannot be used', { reason: fault });
    else await makeFolders(deps);
    // Requests find no stream that looks open.
    if (settings.databaseUrl === undefined) await closeAbandonedStreams(deps, undefined);
    add('preview streams', () => stopStreams(deps));
    add('video streams', () => stopVideoStreams(deps));
    add('sounds of films', () => stopPlayers(deps));
    const live = createLive(deps, { findAssetsById, readOwnViews });
    const requests = settings.metricsToken === undefined ? undefined : createRequestMetrics();
    const app = createApp(deps, requests);
    const fetch = acceptForwarded(
      deps,
      withRetriedReads(composeFetch(deps, createMetrics(deps, live, requests), app, page)),
    );
    const background = createParts(log);
    add('background', background.stop);
    let node: Node | undefined;
    return {
      fetch,
      readPaths: selectReadPaths(app),
      handler: {
        fetch: (request) => refuseWithoutStores(deps.paths, request) ?? fetch(request),
        onResponse: requests && ((exchange, status) => requests.count(exchange, status)),
        upgrade: live.upgrade,
      },
      startBackground(url) {
        const address = getNodeAddress(settings, url);
        node = startNode({ deps, databaseUrl, role: 'server', address });
        background.add('node', node.stop);
        if (settings.databaseUrl !== undefined) {
          void closeAbandonedStreams(deps, address).catch((error: unknown) =>
            log.warn('closing abandoned preview streams failed', { error }),
          );
        }
        startBackground(deps, { databaseUrl, node }, background.add);
      },
      drain: async () => node?.drain(),
      stopBackground: background.stop,
      disconnect: (restart) => live.stop(restart),
      findProblems: () => findProblems(deps),
      tellAdmins: (title, description) =>
        deps.db.transaction((tx) => tellAdmins(tx, { title, description }, deps.now())),
    };
  });

/** The first of each area that needs no parameter. */
function selectReadPaths(app: App): string[] {
  const byArea = new Map<string, string>();
  for (const { method, path, hooks } of app.routes) {
    const query = hooks.schemas?.query as { required?: readonly string[] } | undefined;
    if (method !== 'GET' || !hooks.detail?.operationId || path.includes(':')) continue;
    if (query?.required?.length) continue;
    const area = path.split('/').slice(0, 3).join('/');
    if (!byArea.has(area)) byArea.set(area, path);
  }
  return [...byArea.values()];
}

type Background = { readonly databaseUrl: string; readonly node: Node };

function startBackground(deps: Deps, background: Background, add: Add): void {
  const stores = watchStores(deps, () => startWork(deps, background, add));
  add('storage checks', async () => stores.stop());
}

/** All of it writes to the folders of the library. */
function startWork(deps: Deps, { databaseUrl, node }: Background, add: Add): void {
  const { paths, settings, log } = deps;
  void makeFolders(deps)
    .then(() => findFolderFault(paths))
    .then((reason) => reason && log.error('the folders take no files', { reason }))
    .catch((error: unknown) => log.warn('making folders failed', { error }));
  void sweepIncoming(paths).then((swept) => {
    if (swept > 0) log.info('removed files of unfinished uploads', { files: swept });
  });
  setDiskReserve(getJobSpaceFloor(settings.reserveBytes));
  const reserve = maintainReserve(paths, settings.reserveBytes, log);
  add('reserve', async () => reserve.stop());
  const stopped = new AbortController();
  add('permissions', async () => stopped.abort());
  void restrictPermissions(paths, settings.groupAccess, stopped.signal).then(
    (files) => files > 0 && log.info('restricted the permissions of files', { files }),
    (error: unknown) => log.warn('restricting the permissions of files failed', { error }),
  );
  const threads = startJobs(deps, databaseUrl);
  add('threads', () => threads.stop());
  const watcher = startWatcher(deps, { isWanted: node.isLeader });
  add('watcher', () => watcher.stop());
}

export const startJobs = (deps: Deps, databaseUrl: string) =>
  startThreads({
    deps,
    databaseUrl,
    jobs,
    readConfig: (db) => readProcessConfig(db, deps.settings),
  });

const POOL = 10;
/** A server process of our own database holds 6 MiB, and its start takes some milliseconds. */
const OWN_IDLE_SECONDS = 10;
/** Elsewhere a connection takes longer to open; one that rests for longer may have been cut on its way. */
const IDLE_SECONDS = 60;

export function createDeps({ db, sql }: Database, settings: Settings, log: Log): Deps {
  setMediaHost(settings);
  const paths = dataPaths(settings.dataDir);
  setSampleFolder(getScratchFolder(paths));
  return { db, sql, now: () => new Date(), paths, settings, log };
}

const createMetrics = (deps: Deps, live: Live, requests: RequestMetrics | undefined) =>
  createMetricsHandler(deps.settings.metricsToken, async () => [
    ...(requests?.list() ?? []),
    ...(await collectMetrics(deps, await live.countClients())),
  ]);

type Fetch = Handler['fetch'];

/** The folders that clients ask about, before something is in them; the stores make theirs. */
async function makeFolders({ paths, settings, log }: Deps): Promise<void> {
  const { incoming, profiles } = paths;
  await placeStagingFolders(paths).then(
    (isMoved) => isMoved && log.info('originals are on another disk: uploads are staged there'),
    (error: unknown) => log.warn('uploads cannot be staged on the disk of originals', { error }),
  );
  for (const path of [incoming, profiles]) await mkdir(path, { recursive: true, mode: 0o700 });
  if (settings.databaseUrl !== undefined) await openStaging(paths);
}

/** Routes a request to the metrics, to the page, to the discovery document or to the API. */
function composeFetch(
  deps: Deps,
  answerMetrics: ReturnType<typeof createMetricsHandler>,
  app: App,
  page: WebAssets,
): Fetch {
  const answerPage = createWebHandler(page);
  const authenticate = createAuthenticate(deps);
  const answerSharePage = createSharePageHandler(deps, page, (name, address) =>
    getLinkPreview(deps, authenticate, name, address),
  );
  const answer = createAnswer(app);
  return (request) =>
    answerMetrics(request) ??
    refuseWithoutUpgrade(request.url) ??
    answerSharePage(request) ??
    answerPage(request) ??
    (DISCOVERY.test(request.url) ? Response.json({ api: { endpoint: '/api' } }) : answer(request));
}

/** HEAD is answered as GET, but for what has an answer of its own to it. */
function createAnswer(app: App): Fetch {
  const own = app.routes
    .filter(({ method }) => method === 'HEAD')
    .map(({ path }) => new RegExp(`^${path.replaceAll(/:\w+/g, '[^/]+')}/?$`));
  const takesHead = ({ url }: Request) => own.some((path) => path.test(new URL(url).pathname));
  return (request) =>
    app.fetch(request.method !== 'HEAD' || takesHead(request) ? request : toGet(request));
}

const DISCOVERY = /^[a-z]+:\/\/[^/]*\/\.well-known\/immich(?:\?|$)/;
