import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { readdir, readFile, stat } from 'node:fs/promises';
import { handleExpireUploads } from '../../src/areas/uploads/resumable/expiry.handlers.ts';
import { FAULT_POINTS } from '../../src/core/fault-points.ts';
import { originalPath } from '../../src/storage/stored-file.ts';
import { useDatabase } from '../support/database.ts';
import { createSeededRandom, effort } from '../support/effort.ts';
import { randomFileBytes, toSha256 } from '../support/forms.ts';
import { seed, type TestUser } from '../support/harness.ts';
import { jobCtx } from '../support/processing.ts';
import {
  append,
  type Client,
  formatAppend,
  getUploadState,
  INCOMPLETE,
  reserve,
  waitUntil,
} from '../support/resumable.ts';
import { closeAllConnections, openConnection, type Wire } from '../support/wire.ts';
import { type Child, startChild } from './child.ts';

// Two processes over one database and one data folder, as after a start beside one that hangs, and with two nodes.

const database = await useDatabase();
const { databaseUrl, dataDir } = database.deps.settings;
const { incoming } = database.deps.paths;
const servers: Child[] = [];
let alice: TestUser;
beforeAll(async () => {
  alice = await seed(database).user();
  servers.push(await start(), await start());
});
beforeEach(async () => {
  for (const [at, { pid }] of servers.entries()) {
    if (!isAlive(pid)) servers[at] = await start();
  }
});
afterEach(closeAllConnections);
afterAll(() => Promise.all(servers.map((server) => server.kill())));

const start = () => startChild(databaseUrl!, dataDir, { limits: { progressBytes: 16_384 } });
const toClient = (at: number): Client => ({
  port: Number(new URL(servers[at]!.url).port),
  key: alice.key,
});
const signal = (at: number, name: NodeJS.Signals) => process.kill(servers[at]!.pid, name);

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

const getPath = (file: Uint8Array) => originalPath(database.deps.paths, toSha256(file));
const isWhole = async (file: Uint8Array) => (await readFile(getPath(file))).equals(file);
const listStaged = () => readdir(incoming).catch(() => []);

/** Removes the files of uploads that are over: no others are left. */
async function expectNothingStaged(): Promise<void> {
  await handleExpireUploads(jobCtx(database), {});
  expect(await listStaged()).toEqual([]);
}

/** Sends bytes of a request for the whole rest of the file, which hangs then. */
async function beginAppend(at: number, location: string, file: Uint8Array, [from, to]: Part) {
  const wire = await openConnection(toClient(at).port);
  formatAppend(wire, toClient(at), location, from, file.subarray(from, to), {
    headers: { 'content-length': file.length - from },
  });
  return wire;
}
type Part = readonly [from: number, to: number];

const countStaged = async (bytes: number) => {
  const sizes = await Promise.all(
    (await listStaged()).map((name) => stat(`${incoming}/${name}`).catch(() => undefined)),
  );
  return sizes.filter((found) => found?.size === bytes).length;
};

test('a request that hangs in another process cannot write to the original', async () => {
  const file = randomFileBytes(300_000);
  const location = await reserve(toClient(0), file);
  const hanging = await beginAppend(0, location, file, [0, 100_000]);
  await waitUntil('the bytes arrive', async () => (await countStaged(100_000)) === 1);
  expect(await getUploadState(toClient(1), location)).toEqual([204, 100_000, '?0']);
  const rest = await append(toClient(1), location, 100_000, file.subarray(100_000));
  expect(rest.status).toBe(202);
  expect(await isWhole(file)).toBe(true);
  hanging.write(randomFileBytes(200_000));
  expect((await hanging.answer()).status).toBe(409);
  expect(await isWhole(file)).toBe(true);
  expect((await stat(getPath(file))).mode & 0o222).toBe(0);
  await expectNothingStaged();
});

test('a process that was stopped in the middle gets 409, and the other goes on', async () => {
  const file = randomFileBytes(300_000);
  const location = await reserve(toClient(0), file);
  const hanging = await beginAppend(0, location, file, [0, 100_000]);
  await waitUntil('the bytes arrive', async () => (await countStaged(100_000)) === 1);
  signal(0, 'SIGSTOP');
  try {
    const part = await append(toClient(1), location, 100_000, file.subarray(100_000, 200_000), {
      headers: INCOMPLETE,
    });
    expect(part.status).toBe(204);
    hanging.write(file.subarray(100_000));
  } finally {
    signal(0, 'SIGCONT');
  }
  const late = await hanging.answer();
  expect(late).toMatchObject({ status: 409, headers: { 'upload-complete': '?0' } });
  expect(await getUploadState(toClient(1), location)).toEqual([204, 200_000, '?0']);
  const last = await append(toClient(1), location, 200_000, file.subarray(200_000));
  expect(last.status).toBe(202);
  expect(await isWhole(file)).toBe(true);
});

describe('a process killed while it takes over', () => {
  for (const point of FAULT_POINTS.takeover) {
    test(`at ${point}: no bytes are lost`, async () => {
      const file = randomFileBytes(200_000);
      const location = await reserve(toClient(0), file);
      await append(toClient(0), location, 0, file.subarray(0, 150_000), { headers: INCOMPLETE });
      const doomed = servers[1]!;
      await doomed.arm(point);
      const sending = append(toClient(1), location, 150_000, file.subarray(150_000));
      await expect(sending).rejects.toThrow('without a final answer');
      expect(await doomed.exited).not.toBe(0);
      expect(await getUploadState(toClient(0), location)).toEqual([204, 150_000, '?0']);
      const last = await append(toClient(0), location, 150_000, file.subarray(150_000));
      expect(last.status).toBe(202);
      expect(await isWhole(file)).toBe(true);
      await expectNothingStaged();
    });
  }
});

const ROUNDS = effort({ quick: 8, full: 200 });
const random = createSeededRandom('upload owners');

/** Uploads the file by requests to either process, some of which hang; returns when one was acknowledged. */
async function upload(location: string, file: Uint8Array, hanging: Wire[]): Promise<void> {
  for (;;) {
    const at = random.below(servers.length);
    try {
      const [status, offset, complete] = await getUploadState(toClient(at), location);
      if (complete === '?1') return;
      if (status === 409) continue;
      expect(status).toBe(204);
      const from = Number(offset);
      const to = Math.min(file.length, from + 1 + random.below(120_000));
      if (random.below(3) === 0) {
        hanging.push(await beginAppend(at, location, file, [from, to]));
        await Bun.sleep(random.below(20));
        continue;
      }
      const headers = to === file.length ? {} : INCOMPLETE;
      const { status: told } = await append(toClient(at), location, from, file.subarray(from, to), {
        headers,
      });
      expect([202, 204, 409]).toContain(told);
      if (told === 202) return;
    } catch (error) {
      // Its process was killed, or another request came.
      if (!/without a final answer|refused|reset/i.test(String(error))) throw error;
    }
  }
}

/** Stops and continues, or kills and starts, one of the processes. */
async function disturb(): Promise<void> {
  const at = random.below(servers.length);
  if (random.below(2) === 0) {
    signal(at, 'SIGSTOP');
    await Bun.sleep(random.below(60));
    return void signal(at, 'SIGCONT');
  }
  await servers[at]!.kill();
  servers[at] = await start();
}

test(`${ROUNDS} uploads by two clients over two processes that stop and die: each original is what was sent`, async () => {
  const done: Uint8Array[] = [];
  const hanging: Wire[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const file = randomFileBytes(100_000 + random.below(300_000));
    const location = await reserve(toClient(round % 2), file);
    await Promise.all([
      upload(location, file, hanging),
      upload(location, file, hanging),
      random.below(2) === 0 ? disturb() : undefined,
    ]);
    done.push(file);
    expect(await isWhole(file)).toBe(true);
    // The hanging ones come back with other bytes.
    for (const wire of hanging.splice(0)) wire.write(randomFileBytes(50_000));
  }
  for (const file of done) expect(await isWhole(file)).toBe(true);
  const [row] = await database.sql`select count(*)::int as count from asset
    where sha256 in ${database.sql(done.map(toSha256))}`;
  expect(row!['count']).toBe(ROUNDS);
  await expectNothingStaged();
}, 600_000);
