import { handleExpireUploads } from '../../src/areas/uploads/resumable/expiry.handlers.ts';
import { createSeededRandom, effort } from '../support/effort.ts';
import { useDatabase } from '../support/database.ts';
import { jobCtx } from '../support/processing.ts';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { mkdir, readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { originalPath } from '../../src/storage/stored-file.ts';
import { toSha256, randomFileBytes } from '../support/forms.ts';
import { seed, type TestUser } from '../support/harness.ts';
import { append, sendRequest, type Client, head, reserve, UPLOADS } from '../support/resumable.ts';
import { closeAllConnections } from '../support/wire.ts';
import { type Child, startChild } from './child.ts';
import { createFile } from './resumable-files.ts';

const database = await useDatabase();
let alice: TestUser;
beforeAll(async () => {
  alice = await seed(database).user();
});
afterEach(closeAllConnections);

const AT_ONCE = 8;
const ROUNDS = effort({ quick: 4 * AT_ONCE, full: 200 });
const random = createSeededRandom('resumable');
const NOTHING = Buffer.alloc(0);

/** The server that the last test has left running: the next one kills it. */
let running: Child | undefined;
afterAll(() => running?.kill());

async function start(): Promise<Child> {
  const { databaseUrl, dataDir } = database.deps.settings;
  const limits = { progressBytes: 16_384 };
  return (running = await startChild(databaseUrl!, dataDir, { limits }));
}
const toClient = ({ url }: Child): Client => ({ port: Number(new URL(url).port), key: alice.key });

/** Expects every visible asset to be whole and unique. */
async function expectWhole(): Promise<void> {
  const { paths } = database.deps;
  await mkdir(paths.originals, { recursive: true });
  const found = await readdir(paths.originals, { recursive: true, withFileTypes: true });
  const files = new Set(
    found.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name)),
  );
  for (const path of files) {
    expect(path).toBe(originalPath(paths, toSha256(await readFile(path))));
  }
  const rows = await database.sql`select sha256, file_size from asset`;
  for (const { sha256 } of rows) expect(files).toContain(originalPath(paths, sha256));
}

const isAsset = async (file: Uint8Array): Promise<boolean> =>
  (await database.sql`select 1 from asset where sha256 = ${toSha256(file)}`).length === 1;

type PromisedUpload = { location?: string; offset: number; isDone: boolean };

/** Reads the acknowledgements that a client prints until it or the server ends. */
async function readPromises(
  stream: ReadableStream<Uint8Array>,
  onLine: () => void,
): Promise<Map<number, PromisedUpload>> {
  const promised = new Map<number, PromisedUpload>();
  let rest = '';
  const decoder = new TextDecoder();
  for await (const bytes of stream) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split('\n');
    rest = lines.pop()!;
    for (const line of lines) {
      const { n, location, offset, status } = JSON.parse(line);
      const known = promised.get(n) ?? { offset: 0, isDone: false };
      promised.set(n, {
        ...known,
        ...(location && { location }),
        offset: Math.max(known.offset, offset ?? 0),
        isDone: known.isDone || status === 202,
      });
      onLine();
    }
  }
  return promised;
}

/** Resumes the uploads: no acknowledged byte is lost, and the remaining bytes complete them. */
async function resume(
  client: Client,
  n: number,
  promised: PromisedUpload,
  isAgain = false,
): Promise<void> {
  const file = createFile(n);
  const { location, offset: told, isDone } = promised;
  if (isDone) expect({ n, isAsset: await isAsset(file) }).toEqual({ n, isAsset: true });
  if (!location) return;
  const { status, headers } = await head(client, location);
  expect({ n, status }).toEqual({ n, status: 204 });
  const offset = Number(headers['upload-offset']);
  expect(offset).toBeGreaterThanOrEqual(told);
  expect(offset).toBeLessThanOrEqual(file.length);
  const isComplete = headers['upload-complete'] === '?1';
  // Not before every byte was there, and then all of it.
  expect({ n, isAsset: await isAsset(file) }).toEqual({ n, isAsset: isComplete });
  const rest = isComplete ? NOTHING : file.subarray(offset);
  const sending = append(client, location, offset, rest);
  // The server may read the dead client's last bytes only now: they end our request or move the offset. Once.
  const last = isAgain ? await sending : await sending.catch(() => undefined);
  if (!last || (last.status === 409 && !isAgain)) return resume(client, n, promised, true);
  expect({ n, status: last.status }).toEqual({ n, status: 202 });
  expect(await isAsset(file)).toBe(true);
}

/** Cancels uploads whose location the client never received. */
async function cancelRest(client: Client): Promise<void> {
  const rows = await database.sql`select id from upload where status = 'incomplete'`;
  for (const { id } of rows) {
    // The server may have had all its bytes when the client died, and has just made it an asset.
    expect([204, 409]).toContain((await sendRequest(client, `DELETE ${UPLOADS}/${id}`)).status);
  }
}

test(`kill -9 of server and client, ${ROUNDS} times: acknowledged bytes are kept and visible assets are whole`, async () => {
  let server = running ?? (await start());
  let [interrupted, told] = [0, 0];
  for (let round = 0, first = 1; round < ROUNDS; round += AT_ONCE, first += AT_ONCE) {
    const client = toClient(server);
    const child = Bun.spawn(
      [
        process.execPath,
        join(import.meta.dir, 'resumable-client.ts'),
        String(client.port),
        alice.key,
        String(first),
        String(AT_ONCE),
      ],
      { stdout: 'pipe', stderr: 'inherit' },
    );
    // After so many words of the server: at the first, in the middle, near the end.
    let left = 1 + random.below(90);
    const isServer = (round / AT_ONCE) % 2 === 0;
    const promised = await readPromises(child.stdout, () => {
      left -= 1;
      if (left === 0) process.kill(isServer ? server.pid : child.pid, 'SIGKILL');
    });
    await child.exited;
    if (isServer) {
      await server.kill();
      await expectWhole();
      server = await start();
    }
    const again = toClient(server);
    for (const [n, what] of promised) {
      if (!what.isDone) interrupted += 1;
      told += 1;
      await resume(again, n, what);
    }
    await cancelRest(again);
  }
  await expectWhole();
  await server.kill();
  running = undefined;
  // Killed between the commit and the removal: the file that no upload needs is swept later.
  await handleExpireUploads(jobCtx(database), {});
  expect(await readdir(database.deps.paths.incoming)).toEqual([]);
  // Otherwise the kills came too early to test anything.
  expect(told).toBeGreaterThan(ROUNDS / 2);
  expect(interrupted).toBeGreaterThan(ROUNDS / 8);
}, 600_000);

describe('a server killed while the complete file becomes an asset', () => {
  for (const point of [
    'incoming.synced',
    'asset.inserted',
    'folders.made',
    'original.linked',
    'folder.synced',
    'asset.committed',
  ]) {
    test(`at ${point}: all bytes are kept, and the next request publishes the asset`, async () => {
      const file = randomFileBytes(200_000);
      const doomed = running ?? (await start());
      await doomed.arm(point);
      const location = await reserve(toClient(doomed), file);
      const sending = append(toClient(doomed), location, 0, file);
      await expect(sending).rejects.toThrow('without a final answer');
      expect(await doomed.exited).not.toBe(0);
      await expectWhole();
      const isThere = await isAsset(file);
      expect(isThere).toBe(point === 'asset.committed');

      const next = await start();
      const client = toClient(next);
      const { headers } = await head(client, location);
      expect([headers['upload-offset'], headers['upload-complete']]).toEqual([
        '200000',
        isThere ? '?1' : '?0',
      ]);
      expect((await append(client, location, 200_000, NOTHING)).status).toBe(202);
      expect(await isAsset(file)).toBe(true);
      await expectWhole();
    });
  }
});
