import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runningCluster } from '../../src/db/cluster.ts';
import { createDatabase, dropDatabase, toDatabaseUrl } from '../support/harness.ts';
import type { Json } from '../support/json.ts';
import { getProgram } from '../support/program.ts';

export type RunningServer = {
  readonly url: string;
  readonly dataDir: string;
  readonly databaseUrl: string;
  readonly process: Bun.Subprocess;
  /** Every line of its log so far. */
  readonly log: readonly string[];
  /** SIGTERM, then its folder and database are removed. */
  stop(): Promise<void>;
};

/** The environment without the settings of the tests, since the server refuses unknown settings. */
export const plainEnvironment = (): Record<string, string | undefined> =>
  Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) =>
        name === 'SAFELIGHT_TEST_COLUMNS' ||
        (!name.startsWith('SAFELIGHT_') && name !== 'DATABASE_URL'),
    ),
  );

/** Starts a server on the library of one that has ended; `stop` keeps folder and database. */
export async function startAgain(
  before: Pick<RunningServer, 'dataDir' | 'databaseUrl'>,
): Promise<RunningServer> {
  const { dataDir, databaseUrl } = before;
  const { child, url, log } = await spawnServer(dataDir, [`--database-url=${databaseUrl}`]);
  const stop = async () => {
    child.kill('SIGTERM');
    await child.exited;
  };
  return { url, dataDir, databaseUrl, process: child, log, stop };
}

async function spawnServer(dataDir: string, flags: readonly string[]) {
  const child = Bun.spawn(
    [
      // It is the leader of a group of its own, as a shell starts it, and still ends with the tests.
      'setpriv',
      '--pdeathsig',
      'KILL',
      '--',
      ...getProgram(),
      'serve',
      `--data=${dataDir}`,
      '--host=127.0.0.1',
      '--port=0',
      '--log-format=json',
      ...flags,
    ],
    { cwd: dataDir, env: plainEnvironment(), stdout: 'ignore', stderr: 'pipe', detached: true },
  );
  const log: string[] = [];
  return { child, log, url: await readyUrl(child.stderr, log) };
}

/** Starts a server with an empty data folder, a migrated database and a free port. */
export async function startServer(...flags: string[]): Promise<RunningServer> {
  const name = await createDatabase('e2e');
  const databaseUrl = toDatabaseUrl(name);
  const server = await serve([`--database-url=${databaseUrl}`, ...flags]);
  return {
    ...server,
    databaseUrl,
    async stop() {
      await server.stop();
      await dropDatabase(name);
    },
  };
}

/** Starts a server that runs its own database. */
export async function startServerWithCluster(...flags: string[]): Promise<RunningServer> {
  const server = await serve(flags);
  return { ...server, databaseUrl: runningCluster(server.dataDir)! };
}

async function serve(flags: readonly string[]): Promise<Omit<RunningServer, 'databaseUrl'>> {
  const dataDir = await mkdtemp(join(tmpdir(), 'safelight-e2e-'));
  const { child, url, log } = await spawnServer(dataDir, flags);
  return {
    url,
    dataDir,
    process: child,
    log,
    async stop() {
      child.kill('SIGTERM');
      await child.exited;
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** Returns the address from the log line of the ready server. Throws if the server ends before. */
export function readyUrl(stderr: ReadableStream<Uint8Array>, log: string[]): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  void (async () => {
    let rest = '';
    const decoder = new TextDecoder();
    for await (const chunk of stderr) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
      rest = lines.pop() ?? '';
      log.push(...lines);
      for (const line of lines) {
        const url = /Safelight is ready: (http\S+?)"/.exec(line)?.[1];
        if (url) resolve(url);
      }
    }
    reject(new Error(`the server ended before it was ready:\n${log.join('\n')}`));
  })();
  return promise;
}

export type Account = {
  readonly id: string;
  readonly email: string;
  readonly password: string;
  readonly name: string;
  readonly accessToken: string;
  /** A key with all permissions. */
  readonly apiKey: string;
};

const PASSWORD = 'correct horse battery';

/** Creates the administrator of a fresh server. */
export async function signUp(url: string): Promise<Account> {
  const account = { email: 'admin@example.com', password: PASSWORD, name: 'Admin' };
  await post(`${url}/api/auth/admin-sign-up`, account);
  const created = await logInByApi(url, account);
  const headers = { authorization: `Bearer ${created.accessToken}` };
  // Else the page begins with the setup.
  await post(`${url}/api/system-metadata/admin-onboarding`, { isOnboarded: true }, headers);
  return created;
}

/** Creates another administrator, as the one of this key does who has just logged in. */
export async function addAccount(url: string, adminKey: string): Promise<Account> {
  const email = `${crypto.randomUUID()}@example.com`;
  const account = { email, password: PASSWORD, name: 'Admin' };
  const body = { ...account, isAdmin: true, shouldChangePassword: false };
  const me = await fetch(`${url}/api/users/me`, { headers: { 'x-api-key': adminKey } });
  const admin = (await me.json()) as { email: string };
  await post(
    `${url}/api/admin/users`,
    body,
    await openSession(url, { ...admin, password: PASSWORD }),
  );
  return logInByApi(url, account);
}

/** Returns the header of a new session. */
export async function openSession(
  url: string,
  { email, password }: Pick<Account, 'email' | 'password'>,
): Promise<Record<string, string>> {
  const { accessToken } = await post(`${url}/api/auth/login`, { email, password });
  return { authorization: `Bearer ${accessToken}` };
}

async function logInByApi(
  url: string,
  account: Pick<Account, 'email' | 'password' | 'name'>,
): Promise<Account> {
  const { accessToken, userId } = await post(`${url}/api/auth/login`, account);
  const headers = { authorization: `Bearer ${accessToken}` };
  const key = { name: 'test', permissions: ['all'] };
  const { secret } = await post(`${url}/api/api-keys`, key, headers);
  return { ...account, id: userId, accessToken, apiKey: secret };
}

async function post(
  url: string,
  body: object,
  headers: Record<string, string> = {},
): Promise<Json> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`);
  return response.status === 204 ? undefined : response.json();
}

/** Limit for whatever a test waits for, in ms; long, for a busy machine. */
export const PATIENCE_MS = 240_000;

/** Polls until the result is truthy. Throws with the description on timeout. */
export async function until<T>(
  what: string,
  ask: () => Promise<T | undefined | false>,
  seconds = PATIENCE_MS / 1000,
): Promise<T> {
  const end = Date.now() + seconds * 1000;
  while (Date.now() < end) {
    const found = await ask();
    if (found) return found;
    await Bun.sleep(100);
  }
  throw new Error(`waited ${seconds} s for ${what}`);
}
