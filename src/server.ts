import { mkdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { migrations } from '../migrations/index.ts';
import { createAuthenticate } from './access/authenticate.ts';
import { type App, createApp } from './app.ts';
import { collectMetrics } from './areas/server/metrics/metrics.domain.ts';
import { readProcessConfig } from './areas/system-config/index.ts';
import { getLinkPreview } from './areas/shared-links/preview.domain.ts';
import { Failure, UsageError } from './core/command-line.ts';
import type { Deps } from './core/context.ts';
import { enterDataFolder } from './core/data-folder.ts';
import { maintainReserve, releaseReserve, getJobSpaceFloor } from './core/disk-reserve.ts';
import type { Log } from './core/log.ts';
import { dataPaths } from './core/paths.ts';
import { dropLowPorts } from './core/privileges.ts';
import type { Settings } from './core/settings.ts';
import { restrictPermissions } from './core/permissions.ts';
import { type Database, openDatabase } from './db/client.ts';
import { migrate } from './db/migrate.ts';
import { checkServer, schemaVersion, startDatabase } from './db/server.ts';
import { createLive, type Live } from './events/live.ts';
import { readCertificate } from './http/certificate.ts';
import { type Listener, startListener } from './http/listener.ts';
import { createMetricsHandler } from './http/metrics.ts';
import { createRequestMetrics, type RequestMetrics } from './http/request-metrics.ts';
import { createSharePageHandler } from './http/share-page.ts';
import { loadWeb, type WebAssets, createWebHandler } from './http/web.ts';
import { closeInference } from './inference/client.ts';
import { closeVectorIndexes } from './inference/vectors/vectors.ts';
import { jobs } from './job-registry.ts';
import { startThreads } from './jobs/threads.ts';
import { sweepIncoming } from './media/originals.ts';
import { setDiskReserve } from './media/tool-process.ts';

export type Server = {
  readonly url: string;
  readonly port: number;
  /** Requests that run are answered, then jobs that run are finished, then the database stops. */
  stop(): Promise<void>;
};

/**
 * The whole server in the order of what a first request needs; what it does not need starts after
 * the listener. What fails half-way is taken apart again.
 */
export const startServer = (given: Settings, log: Log): Promise<Server> =>
  startParts(log, async (add) => {
    const settings = { ...given, dataDir: resolve(given.dataDir) };
    enterFolder(settings, log);
    const paths = dataPaths(settings.dataDir);
    releaseReserve(paths, log);
    const page = loadWeb();
    // Awaited below: must not end the process when the database fails first.
    page.catch(() => {});
    const server = await startDatabase(settings, log);
    add('database', () => server.stop());
    const database = openDatabase(server.url, { max: POOL, name: 'server' });
    add('pool', () => database.close());
    add('vectors', () => closeVectorIndexes(database.sql));
    add('inference', () => closeInference());
    const applied = await migrate(database.sql);
    if (applied.length > 0) log.info('applied migrations', { applied });

    const deps = createDeps(database, settings, log);
    const live = createLive(deps);
    const requests = settings.metricsToken === undefined ? undefined : createRequestMetrics();
    const fetch = composeFetch(
      deps,
      createMetrics(deps, live, requests),
      createApp(deps, requests),
      await page,
    );
    const listener = await listen(deps, fetch, live, requests);
    void sweepIncoming(deps.paths).then((swept) => {
      if (swept > 0) log.info('removed files of unfinished uploads', { files: swept });
    });
    setDiskReserve(getJobSpaceFloor(settings.reserveBytes));
    const reserve = maintainReserve(paths, settings.reserveBytes, log);
    add('reserve', async () => reserve.stop());
    const stopped = new AbortController();
    add('permissions', async () => stopped.abort());
    void restrictPermissions(deps.paths, settings.groupAccess, stopped.signal).then(
      (files) => files > 0 && log.info('restricted the permissions of files', { files }),
      (error: unknown) => log.warn('restricting the permissions of files failed', { error }),
    );
    const threads = startJobs(deps, server.url);
    // Stopped in reverse: first no more events and requests, then no more jobs.
    add('threads', () => threads.stop());
    add('listener', () => listener.stop());
    add('live events', () => live.stop());
    return { url: listener.url, port: listener.port };
  });

/** The job lanes alone, on the database and the files of a server that runs elsewhere. */
export const startWorker = (given: Settings, log: Log): Promise<{ stop(): Promise<void> }> =>
  startParts(log, async (add) => {
    const settings = { ...given, dataDir: resolve(given.dataDir) };
    const { databaseUrl } = settings;
    if (!databaseUrl) {
      throw new UsageError(
        'worker needs --database-url: it shares the database and the data folder of a server',
      );
    }
    enterFolder(settings, log);
    await checkServer(databaseUrl);
    const database = openDatabase(databaseUrl, { max: 2, name: 'worker' });
    add('pool', () => database.close());
    await requireCurrentSchema(database.sql);
    const threads = startJobs(createDeps(database, settings, log), databaseUrl);
    add('threads', () => threads.stop());
    return {};
  });

function enterFolder(settings: Settings, log: Log): void {
  const staysRoot = enterDataFolder(settings, { isServer: true });
  if (staysRoot) log.warn(staysRoot);
}

const startJobs = (deps: Deps, databaseUrl: string) =>
  startThreads({
    deps,
    databaseUrl,
    jobs,
    readConfig: (db) => readProcessConfig(db, deps.settings),
  });

const POOL = 10;

function createDeps({ db, sql }: Database, settings: Settings, log: Log): Deps {
  const paths = dataPaths(settings.dataDir);
  for (const folder of [paths.originals, paths.derived, paths.incoming]) {
    mkdirSync(folder, { recursive: true });
  }
  return { db, sql, now: () => new Date(), paths, settings, log };
}

/** The server changes the schema, not a worker: it may be older or newer than the server. */
async function requireCurrentSchema(sql: Database['sql']): Promise<void> {
  const [found, needed] = [await schemaVersion(sql), migrations.at(-1)!.name];
  if (found === needed) return;
  throw new Failure(
    `The database has ${found ? `the schema ${found}` : 'no schema'}, this program needs ` +
      `${needed}. Run the same version as the server, and start the server first.`,
  );
}

type Add = (name: string, stop: () => Promise<unknown>) => void;

/** Starts parts one after the other; `stop` takes them apart in reverse. */
async function startParts<T extends object>(
  log: Log,
  build: (add: Add) => Promise<T>,
): Promise<T & { stop(): Promise<void> }> {
  const parts: Part[] = [];
  const stop = () => stopParts(parts, log);
  try {
    const made = await build((name, stop) => void parts.push({ name, stop }));
    return { ...made, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

type Part = { readonly name: string; readonly stop: () => Promise<unknown> };

/** Last started, first stopped; one that fails does not keep the others running. */
async function stopParts(parts: Part[], log: Log): Promise<void> {
  for (let part = parts.pop(); part; part = parts.pop()) {
    try {
      await part.stop();
    } catch (error) {
      log.error('part did not stop cleanly', { part: part.name, error });
    }
  }
}

const createMetrics = (deps: Deps, live: Live, requests: RequestMetrics | undefined) =>
  createMetricsHandler(deps.settings.metricsToken, async () => [
    ...(requests?.list() ?? []),
    ...(await collectMetrics(deps, await live.countClients())),
  ]);

type Fetch = (request: Request) => Response | Promise<Response>;

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
  return (request) =>
    answerMetrics(request) ??
    answerSharePage(request) ??
    answerPage(request) ??
    (DISCOVERY.test(request.url)
      ? Response.json({ api: { endpoint: '/api' } })
      : app.fetch(request));
}

const DISCOVERY = /^[a-z]+:\/\/[^/]*\/\.well-known\/immich(?:\?|$)/;

async function listen(
  { settings, log }: Deps,
  fetch: Fetch,
  live: Live,
  requests: RequestMetrics | undefined,
): Promise<Listener> {
  try {
    const listener = await startListener({
      fetch,
      host: settings.host,
      port: settings.port,
      tls: readCertificate(settings),
      log,
      onResponse: requests && ((exchange, status) => requests.count(exchange, status)),
      limits: { maxBodyBytes: settings.maxBodyBytes },
      upgrade: live.upgrade,
    });
    if (process.getuid!() !== 0) dropLowPorts();
    return listener;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const reason = REASONS.get(code ?? '');
    if (!reason) throw error;
    throw new Failure(`Cannot listen on ${settings.host} port ${settings.port}: ${reason}`, {
      cause: error,
    });
  }
}

const REASONS = new Map([
  ['EADDRINUSE', 'another program does already. Choose another with --port.'],
  ['EACCES', 'only root may take a port below 1024. Choose another with --port.'],
  ['EADDRNOTAVAIL', 'this machine does not have that address. Choose another with --host.'],
]);
