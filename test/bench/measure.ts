import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type App, createApp } from '../../src/app.ts';
import type { Deps } from '../../src/core/context.ts';
import { silentLog } from '../../src/core/log.ts';
import { dataPaths } from '../../src/core/paths.ts';
import { defaultSettings } from '../../src/core/settings.ts';
import { type Database, openDatabase } from '../../src/db/client.ts';
import { plainEnvironment } from '../e2e/server.ts';
import type { Json } from '../support/json.ts';
import { getProgram } from '../support/program.ts';
import { send } from '../support/harness.ts';
import type { Library } from './seed.ts';

// Helpers shared by the measurements of this folder: libraries, requests and their latency.

type Work = () => Promise<unknown>;
const CALLS = 60;

export const round = (value: number, digits = 2): number => Number(value.toFixed(digits));

/** Returns the duration of the work in ms. */
export async function timed(work: Work): Promise<number> {
  const from = performance.now();
  await work();
  return round(performance.now() - from);
}

/** Returns the value below which this share (0..1) of the values lies. */
export const quantile = (times: readonly number[], share: number): number =>
  round(times.toSorted((a, b) => a - b)[Math.floor((times.length - 1) * share)]!);

export const spread = (times: readonly number[]) => ({
  p50Ms: quantile(times, 0.5),
  p95Ms: quantile(times, 0.95),
  p99Ms: quantile(times, 0.99),
});

/** The first call is measured separately, since no cache is filled yet. */
export async function latency(work: Work, calls = CALLS) {
  const firstMs = await timed(work);
  const times: number[] = [];
  for (let n = 0; n < calls; n++) times.push(await timed(work));
  return { firstMs, ...spread(times) };
}

/** Sends a request as the owner of the library. Throws on an error status. */
export const requestsTo =
  (app: App, { key }: Pick<Library, 'key'>) =>
  async (route: string, body?: object): Promise<Json> => {
    const response = await send(app, route, { as: { key }, ...(body && { body }) });
    const text = await response.text();
    if (!response.ok) throw new Error(`${route}: ${response.status} ${text}`);
    return text ? JSON.parse(text) : undefined;
  };

export type OpenLibrary = Omit<Database, 'close'> & {
  readonly close: () => Promise<void>;
  readonly deps: Deps;
  readonly request: ReturnType<typeof requestsTo>;
};

/** The library with the API in this process, and an empty data folder; closes the database. */
export function openLibrary(
  library: Library,
  connections = 4,
  database: Database = openDatabase(library.url, { max: connections }),
): OpenLibrary {
  const dataDir = mkdtempSync(join(tmpdir(), 'safelight-bench-'));
  const deps: Deps = {
    ...database,
    now: () => new Date(),
    paths: dataPaths(dataDir),
    settings: { ...defaultSettings(), dataDir },
    log: silentLog,
  };
  return {
    ...database,
    deps,
    request: requestsTo(createApp(deps), library),
    async close() {
      await database.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

export const freePort = (): number => 20_000 + (process.pid % 20_000);

/** Waits until the API at that address answers. */
export async function answering(url: string): Promise<void> {
  for (let n = 0; !(await fetch(`${url}/server/ping`).catch(() => undefined))?.ok; n++) {
    if (n > 400) throw new Error('the server did not start');
    await Bun.sleep(50);
  }
}

/**
 * Makes the folder the one of a database whose items have no files. Versions that know no foreign folders have no
 * such command, and need none.
 */
export async function acceptFolders(
  program: readonly string[],
  data: string,
  databaseUrl: string,
): Promise<void> {
  const words = ['accept-folders', `--data=${data}`, `--database-url=${databaseUrl}`];
  const env = plainEnvironment();
  await Bun.spawn([...program, 'maintenance', ...words], {
    env,
    stdout: 'ignore',
    stderr: 'ignore',
  }).exited;
}

export type ServedLibrary = {
  /** Base URL of its API. */
  readonly url: string;
  readonly pid: number;
  stop(): Promise<void>;
};

/** The real server process on the database of the library, once it answers. */
export async function serveLibrary(
  library: Pick<Library, 'url'>,
  data: string,
): Promise<ServedLibrary> {
  await acceptFolders(getProgram(), data, library.url);
  const port = freePort();
  const child = Bun.spawn(
    [...getProgram(), 'serve', '--data', data, '--host', '127.0.0.1', '--port', String(port)],
    {
      env: { ...plainEnvironment(), DATABASE_URL: library.url, SAFELIGHT_LOG_LEVEL: 'warn' },
      stdout: 'inherit',
      stderr: 'inherit',
    },
  );
  const stop = async () => {
    child.kill('SIGTERM');
    await child.exited;
  };
  const url = `http://127.0.0.1:${port}/api`;
  try {
    await answering(url);
  } catch (error) {
    await stop();
    throw error;
  }
  return { url, pid: child.pid, stop };
}
