import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { openDatabase } from '../../src/db/client.ts';
import { type RunningServer, signUp, startServerWithCluster, until } from '../e2e/server.ts';
import { createSeededRandom, effort } from '../support/effort.ts';
import { readCommandLine } from '../support/processes.ts';
import { listProcessTree } from '../../src/core/process-memory.ts';
import { DATES } from '../support/forms.ts';

setDefaultTimeout(600_000);

/** Longest time in ms between the return of the database and the last response. */
const ANSWERED_WITHIN_MS = 60_000;

let server: RunningServer;
let headers: Record<string, string>;
beforeAll(async () => {
  server = await startServerWithCluster('--models=/nonexistent', '--reserve=0');
  headers = { 'x-api-key': (await signUp(server.url)).apiKey };
});
afterAll(() => server.stop());

const postmaster = () =>
  Number(readFileSync(join(server.dataDir, 'postgres/postmaster.pid'), 'utf8').split('\n')[0]);

/** Processes that serve connections, of the server's own and of nobody else. */
function backends(): number[] {
  return listProcessTree(postmaster()).filter((pid) =>
    readCommandLine(pid).startsWith('postgres: safelight safelight'),
  );
}

/** Retries until a new connection succeeds. */
async function waitForDatabase(): Promise<void> {
  await until('the database', async () => {
    const database = openDatabase(server.databaseUrl, { max: 1 });
    try {
      return (await database.sql`select 1`).length === 1;
    } catch {
      return false;
    } finally {
      await database.close();
    }
  });
}

/** Returns a picture that differs from all others. */
const makePicture = () =>
  sharp(crypto.getRandomValues(new Uint8Array(64 * 48 * 3)), {
    raw: { width: 64, height: 48, channels: 3 },
  })
    .jpeg()
    .toBuffer();

type Sent = { readonly what: string; readonly status: number; readonly retryAfter: string | null };

/** Starts clients that send requests sequentially until `stop` and records each response. */
function startLoad() {
  const answers: Sent[] = [];
  const pending = new Map<symbol, { what: string; since: number }>();
  let isOver = false;

  async function ask(what: string, init: RequestInit = {}): Promise<Response | undefined> {
    const mark = Symbol(what);
    pending.set(mark, { what, since: performance.now() });
    try {
      const response = await fetch(`${server.url}/api${what}`, { headers, ...init });
      const body = await response.arrayBuffer();
      const { status } = response;
      answers.push({ what, status, retryAfter: response.headers.get('retry-after') });
      return new Response(status === 204 ? null : body, { status });
    } finally {
      pending.delete(mark);
    }
  }
  const whileOn = async (work: () => Promise<void>) => {
    while (!isOver) await work();
  };

  const uploaded: string[] = [];
  /** Retries an upload until it is accepted, as a phone does. */
  async function upload(): Promise<void> {
    const jpeg = await makePicture();
    for (;;) {
      const body = new FormData();
      body.set('assetData', new Blob([jpeg as Uint8Array<ArrayBuffer>]), 'a.jpg');
      for (const { name, value } of DATES) body.set(name, value!);
      const response = await ask('/assets', { method: 'POST', body });
      if (response?.ok) return void uploaded.push((await response.json()).id);
      if (isOver) return;
      await Bun.sleep(100);
    }
  }
  const search = {
    method: 'POST',
    body: '{}',
    headers: { ...headers, 'content-type': 'application/json' },
  };
  const running = [
    ...Array.from({ length: 6 }, () => whileOn(async () => void (await ask('/timeline/buckets')))),
    ...Array.from({ length: 4 }, () =>
      whileOn(async () => void (await ask('/search/metadata', search))),
    ),
    ...Array.from({ length: 2 }, () => whileOn(async () => void (await ask('/users/me')))),
    ...Array.from({ length: 2 }, () => whileOn(upload)),
  ];
  return {
    answers,
    uploaded,
    /** Requests that are older than this and still without an answer. */
    unansweredSince: (time: number) =>
      [...pending.values()].filter(({ since }) => since < time).map(({ what }) => what),
    async stop() {
      isOver = true;
      await Promise.all(running);
    },
  };
}

async function crash(load: ReturnType<typeof startLoad>, kill: () => void): Promise<void> {
  kill();
  await Bun.sleep(20);
  await waitForDatabase();
  const back = performance.now();
  while (load.unansweredSince(back).length > 0 && performance.now() - back < ANSWERED_WITHIN_MS) {
    await Bun.sleep(20);
  }
  expect(load.unansweredSince(back)).toEqual([]);
  // And everything works again.
  const seen = load.answers.length;
  await until('reads and uploads', async () => {
    const fresh = load.answers.slice(seen).filter(({ status }) => status < 300);
    return new Set(fresh.map(({ what }) => what)).size === 4;
  });
}

const ROUNDS = effort({ quick: 2, full: 4 });
const random = createSeededRandom('database');

const killHard = (pid: number) => process.kill(pid, 'SIGKILL');

test.each([
  ['one backend', () => killHard(random.pick(backends()))],
  ['the postmaster', () => killHard(postmaster())],
])(
  'after %s dies under load every request gets a response and the server recovers by itself',
  async (_, kill) => {
    const load = startLoad();
    await until('the first uploads', async () => load.uploaded.length >= 3);
    for (let round = 0; round < ROUNDS; round++) {
      await crash(load, kill);
      await Bun.sleep(300);
    }
    await load.stop();

    const other = load.answers.filter(
      ({ status, retryAfter }) => status >= 300 && !(status === 503 && retryAfter === '1'),
    );
    expect(other).toEqual([]);
    expect(load.answers.filter(({ status }) => status === 503)).not.toEqual([]);

    // Nothing that was acknowledged is missing, and every lane did its work.
    for (const id of load.uploaded) {
      const url = `${server.url}/api/assets/${id}/thumbnail`;
      await until('a thumbnail', async () => (await fetch(url, { headers })).status === 200);
    }
    const database = openDatabase(server.databaseUrl, { max: 1 });
    expect([
      ...(await database.sql`select name, last_error from job where state = 'failed'`),
    ]).toEqual([]);
    await database.close();
    expect(server.log.filter((line) => /thread .* died|keeps dying|TypeError/.test(line))).toEqual(
      [],
    );
    expect(server.process.exitCode).toBeNull();
  },
);
