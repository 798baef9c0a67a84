import { afterAll, afterEach, expect } from 'bun:test';
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { getFreeBytes } from '../../src/core/disk-reserve.ts';
import { dataPaths } from '../../src/core/paths.ts';
import { listProcessTree } from '../../src/core/process-memory.ts';
import { runningCluster } from '../../src/db/cluster.ts';
import { withConnection } from '../../src/db/databases.ts';
import { openProgress } from '../e2e/ingest.ts';
import { signUp, until } from '../e2e/server.ts';
import { addEarlierDatabase } from '../support/earlier-library.ts';
import { createSeededRandom, effort } from '../support/effort.ts';
import { createMemoryFolder } from '../support/memory-folder.ts';
import { isBackend, readProgramName } from '../support/processes.ts';
import { mountPostgresCopy, replaceLibrary } from '../support/replaced-postgres.ts';
import { isReady, serveFrom } from '../support/served.ts';
import { createClients } from './household-clients.ts';
import { skipWithout } from '../support/requirements.ts';
import { mountDisk, unmount } from '../support/mounts.ts';

// A bad week of a server, which begins with an update: its users go on, while it is killed, its database hangs and is upgraded, its disks vanish
// and are full, its clock is set back. Afterwards everything that was acknowledged is there and processed, and a
// phone holds what the server has: without a command.

const { test } = skipWithout('tmpfs', 'mount namespaces');

/** Every fault once, in random order. */
const ROUNDS = effort({ quick: 1, full: 6 });

const folder = createMemoryFolder('bad-week-');
const disk = join(folder, 'disk');
mkdirSync(disk);
chmodSync(folder, 0o755);
const dataDir = join(disk, 'data');
const paths = dataPaths(dataDir);
const prefix = mountPostgresCopy(folder);
const servers = serveFrom(folder, prefix);
afterEach(() => servers.stopAll());
afterAll(() => {
  unmount(disk);
  rmSync(folder, { recursive: true, force: true });
});

type Server = Awaited<ReturnType<typeof servers.serve>>;
let server: Server;
const random = createSeededRandom('bad week');
/** In seconds: shorter and longer than the deadline of a statement. */
const HANGS = effort({ quick: 1, full: 2 }) === 1 ? [4] : [4, 40];

const start = () => servers.serve('--data', dataDir, `--reserve=${16 * 1024 ** 2}`);

const isServed = () => isReady(server.url).catch(() => false);

async function restart(): Promise<void> {
  server.child.kill('SIGKILL');
  await server.child.exited;
  server = await start();
}

const shuffle = (names: readonly string[]): string[] =>
  names
    .map((name) => ({ name, order: random.below(1e9) }))
    .sort((a, b) => a.order - b.order)
    .map(({ name }) => name);

function signalDatabase(signal: NodeJS.Signals): void {
  for (const pid of listProcessTree(server.child.pid)) {
    if (readProgramName(pid) === 'postgres') process.kill(pid, signal);
  }
}

const FAULTS: Readonly<Record<string, () => Promise<void>>> = {
  'the server is killed': restart,
  async 'the database hangs'() {
    signalDatabase('SIGSTOP');
    await Bun.sleep(random.pick(HANGS) * 1000);
    signalDatabase('SIGCONT');
  },
  async 'a back-end of the database dies'() {
    const backends = listProcessTree(server.child.pid).filter(isBackend);
    process.kill(random.pick(backends), 'SIGKILL');
  },
  async 'the database is killed'() {
    signalDatabase('SIGKILL');
  },
  async 'its package is upgraded'() {
    await replaceLibrary(folder, () => Bun.sleep(8000));
    // Not before the new program has settled: its restart would cut off what is asked after the week.
    const seen = server.lines.length;
    await until('the start of the new program', async () =>
      server.lines.slice(seen).some(({ message }) => message.includes('was replaced')),
    );
  },
  async 'the disks of the pictures vanish'() {
    const stores = [paths.originals, paths.derived];
    for (const store of stores) {
      renameSync(store, `${store}.away`);
      mkdirSync(store);
    }
    await Bun.sleep(4000);
    for (const store of stores) {
      rmSync(store, { recursive: true });
      renameSync(`${store}.away`, store);
    }
  },
  async 'the disk is full'() {
    const filler = join(disk, 'filler');
    Bun.spawnSync(['fallocate', '-l', String(getFreeBytes(disk)), filler]);
    await Bun.sleep(4000);
    rmSync(filler);
  },
  async 'the clock is set back by a day'() {
    // Waiting rows look like this then.
    await withConnection(runningCluster(dataDir)!, async (sql) => {
      await sql`update job set run_at = run_at + interval '1 day' where state = 'waiting'`;
      await sql`update schedule set next_at = next_at + interval '1 day'`;
    }).catch(() => {});
    // A process that starts does not know what the clock was.
    await restart();
  },
  async 'its tools are killed'() {
    for (const pid of listProcessTree(server.child.pid)) {
      const isTool = /^(ffmpeg|exiftool|perl|safelight)/.test(readProgramName(pid));
      if (isTool && pid !== server.child.pid) process.kill(pid, 'SIGKILL');
    }
  },
};

test('afterwards everything acknowledged is there, processed, and on the phone', async () => {
  mountDisk(disk, 900 * 1024 ** 2, '755');
  await addEarlierDatabase(dataDir);
  server = await start();
  await until('the update', isServed);
  const account = await signUp(server.url);
  const clients = createClients(account, () => server.url, random);
  await clients.begin();
  for (let round = 0; round < ROUNDS; round++) {
    for (const fault of shuffle(Object.keys(FAULTS))) {
      const done = clients.live();
      await FAULTS[fault]!();
      await done;
      await until(`the server after: ${fault}`, isServed);
    }
  }
  const progress = openProgress({ databaseUrl: runningCluster(dataDir)! });
  await progress.untilDone();
  const { broken } = await progress.count();
  expect([broken, await progress.countFailed()]).toEqual([[], 0]);
  await progress.close();

  expect(clients.uploaded.size).toBeGreaterThan(ROUNDS * 10);
  for (const [id, sha256] of clients.uploaded) {
    const original = await clients.get(`/assets/${id}/original`);
    expect(original.status).toBe(200);
    const digest = createHash('sha256').update(new Uint8Array(await original.arrayBuffer()));
    expect(digest.digest('hex')).toBe(sha256);
    expect((await clients.get(`/assets/${id}/thumbnail`)).status).toBe(200);
  }
  const onPhone = await clients.countOnPhone().catch((error: Error) => {
    throw new Error(`${error.message}: ${JSON.stringify(server.lines.slice(-5))}`, {
      cause: error,
    });
  });
  expect(onPhone).toBe(clients.uploaded.size);
  expect(existsSync(`${paths.originals}.away`)).toBe(false);
}, 3_600_000);
