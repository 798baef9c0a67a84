import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { plainEnvironment, readyUrl } from '../../e2e/server.ts';
import { toDatabaseUrl } from '../../support/harness.ts';
import type { Json } from '../../support/json.ts';

/** A binary to measure. */
export type Target = {
  readonly binary: string;
  /** Distinguishes databases of several targets: a part of their names. */
  readonly label: string;
};

export type ServeOptions = {
  readonly data: string;
  /** Without one, the server runs its own. */
  readonly databaseUrl?: string;
  readonly flags?: readonly string[];
};

export type StartedServer = {
  /** Base URL of its API. */
  readonly url: string;
  readonly pid: number;
  /** Until its first answer. */
  readonly startMs: number;
  stop(): Promise<void>;
};

/** Starts the binary on a free port. Resolves when it has answered a request. */
export async function startBinary(
  { binary }: Target,
  { data, databaseUrl, flags = [] }: ServeOptions,
): Promise<StartedServer> {
  const from = performance.now();
  const child = Bun.spawn(
    [
      // It ends with this process, however that ends.
      'setpriv',
      '--pdeathsig',
      'KILL',
      '--',
      binary,
      'serve',
      `--data=${data}`,
      '--host=127.0.0.1',
      '--port=0',
      '--log-format=json',
      ...(databaseUrl ? [`--database-url=${databaseUrl}`] : []),
      ...flags,
    ],
    { cwd: data, env: plainEnvironment(), stdout: 'ignore', stderr: 'pipe' },
  );
  const url = `${await readyUrl(child.stderr, [])}/api`;
  const answer = await fetch(`${url}/server/ping`);
  await answer.arrayBuffer();
  if (!answer.ok) throw new Error(`the server answers ${answer.status}`);
  return {
    url,
    pid: child.pid,
    startMs: performance.now() - from,
    async stop() {
      child.kill('SIGTERM');
      await child.exited;
    },
  };
}

/** Creates the schema of an empty database as this binary has it. Throws with its own words. */
export async function migrateByBinary({ binary }: Target, databaseName: string): Promise<void> {
  const data = mkdtempSync(join(tmpdir(), 'figures-migrate-'));
  const words = [`--data=${data}`, `--database-url=${toDatabaseUrl(databaseName)}`];
  const child = Bun.spawn([binary, 'migrate', ...words], {
    env: plainEnvironment(),
    stdout: 'ignore',
    stderr: 'pipe',
  });
  const errors = await new Response(child.stderr).text();
  rmSync(data, { recursive: true, force: true });
  if ((await child.exited) !== 0) throw new Error(`migrate failed: ${errors}`);
}

/** Sends requests to an API as one account. Throws on an error status. */
export const createSender =
  (url: string, headers: Readonly<Record<string, string>>) =>
  async (method: string, path: string, body?: object): Promise<Json> => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { ...headers, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return text ? JSON.parse(text) : undefined;
  };

export type Send = ReturnType<typeof createSender>;

/** Longest time that jobs may take: those of 160,000 items take more than 15 minutes. */
const PATIENCE_MS = 60 * 60_000;

/** Polls until the work is done. Throws when that takes too long. */
export async function pollUntilIdle(pollMs: number, isBusy: () => Promise<boolean>): Promise<void> {
  const from = performance.now();
  while (await isBusy()) {
    if (performance.now() - from > PATIENCE_MS) throw new Error('jobs do not end');
    await Bun.sleep(pollMs);
  }
}

/** Waits until no job is waiting or running, by the API. Throws when that takes too long. */
export const waitForJobs = (send: Send, pollMs = 250): Promise<void> =>
  pollUntilIdle(pollMs, async () =>
    Object.values<{ jobCounts?: Record<string, number> }>(await send('GET', '/jobs')).some(
      ({ jobCounts: { active = 0, waiting = 0, delayed = 0 } = {} }) =>
        active + waiting + delayed > 0,
    ),
  );
