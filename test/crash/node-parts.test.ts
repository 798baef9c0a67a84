import { afterAll, afterEach, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { readdir } from 'node:fs/promises';
import { type AddressInfo, connect, createServer } from 'node:net';
import { join } from 'node:path';
import { Upload, type UploadOptions } from 'tus-js-client';
import { handleExpireUploads } from '../../src/areas/uploads/resumable/expiry.handlers.ts';
import { handleRemoveFiles } from '../../src/areas/trash/removal/removal.handlers.ts';
import { PART_BYTES } from '../../src/storage/object-store.ts';
import { MARKER } from '../../src/storage/stored-file.ts';
import { useDatabase } from '../support/database.ts';
import { createSeededRandom, effort } from '../support/effort.ts';
import { randomFileBytes, toSha256 } from '../support/forms.ts';
import { seed, type TestUser } from '../support/harness.ts';
import { createNodeChildren, type NodeChild } from '../support/node-children.ts';
import { jobCtx } from '../support/processing.ts';
import {
  append,
  digestField,
  encode,
  getUploadState,
  head,
  METADATA,
  reserve,
  UPLOADS,
  waitUntil,
} from '../support/resumable.ts';
import { startS3Server } from '../support/s3-server.ts';
import { closeAllConnections } from '../support/wire.ts';

// Servers with folders of their own beside one object store: what one has received is continued when it is gone for good.

setDefaultTimeout(300_000);

const MIB = 1024 ** 2;
const ROUNDS = effort({ quick: 2, full: 12 });
const random = createSeededRandom('node-parts');

const server = startS3Server();
const database = await useDatabase();
const { sql, deps } = database;
const settings = { ...deps.settings, ...server.settings };
const children = createNodeChildren(database, server);
let one: NodeChild;
let other: NodeChild;
let alice: TestUser;
beforeAll(async () => {
  alice = await seed(database).user();
  [one, other] = [await children.start(), await children.start()];
});
afterEach(async () => {
  closeAllConnections();
  await expectNothingLeft();
});
afterAll(async () => {
  await children.stopAll();
  await server.stop();
});

const toClient = (node: NodeChild) => node.toClient(alice.key);
const makeFile = () => randomFileBytes(60 * MIB + random.below(40 * MIB)) as Buffer;
const countParts = async () => (await sql`select from upload_part`).length;
const getOffset = async () => {
  const [row] = await sql`select committed_offset from upload order by created_at desc limit 1`;
  return Number(row?.['committed_offset'] ?? 0);
};

/** Expects that every object is an original of an asset, once what is over was swept, and no file is staged. */
async function expectNothingLeft(): Promise<void> {
  await sql`update upload set status = 'cancelled' where status = 'incomplete'`;
  const ctx = jobCtx(database, { settings });
  await handleExpireUploads(ctx, {});
  await sql`update object_deletion set due_at = now()`;
  await handleRemoveFiles(ctx, {});
  const named = await sql<{ key: string }[]>`select object_key as key from original order by key`;
  const stored = [...server.objects.keys()].filter((key) => key !== MARKER).toSorted();
  expect(stored).toEqual(named.map(({ key }) => key));
  expect(await countParts()).toBe(0);
}

const listStaged = async ({ dataDir }: NodeChild) =>
  (await readdir(join(dataDir, 'incoming'))).filter((name) => !name.startsWith('.'));

/** Expects the file to be the object of the only asset that has its digest. */
async function expectWhole(file: Uint8Array): Promise<void> {
  const rows = await sql<{ key: string }[]>`
    select object_key as key from original join asset using (sha256) where sha256 = ${toSha256(file)}`;
  expect(rows).toHaveLength(1);
  expect(Buffer.compare(server.objects.get(rows[0]!.key)!.bytes, file)).toBe(0);
}

/** Sends the rest of a file to a server, and kills it a moment after the condition holds. */
async function killWhileSending(
  node: NodeChild,
  location: string,
  file: Uint8Array,
  { from, until }: { readonly from: number; readonly until: () => Promise<boolean> },
): Promise<void> {
  const sending = append(toClient(node), location, from, file.subarray(from)).catch(() => {});
  await waitUntil('it is time to kill the server', until);
  await Bun.sleep(random.below(100));
  await node.kill();
  await sending;
}

test(`${ROUNDS} files go on behind the parts of two servers that were killed`, async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const file = makeFile();
    const location = await reserve(toClient(one), file);
    // At times less than a part: nothing of it is there.
    const bytes = random.below(file.length - 20 * MIB);
    const until = async () => (await getOffset()) >= bytes;
    await killWhileSending(one, location, file, { from: 0, until });
    const parts = await countParts();
    // Without parts, or if they are far behind, the server would be waited for.
    await sql`update upload set updated_at = now() - interval '2 minutes'`;
    const [status, offset] = await getUploadState(toClient(other), location);
    const isFinished = status === 204 && Number(offset) === file.length;
    if (parts === 0 && !isFinished) {
      expect(status).toBe(404);
      const again = await reserve(toClient(other), file);
      expect(await append(toClient(other), again, 0, file)).toMatchObject({ status: 202 });
    } else if (!isFinished) {
      expect([status, offset]).toEqual([204, parts * PART_BYTES]);
      const third = await children.start();
      const from = Number(offset);
      const more = from + random.below(file.length - from - MIB);
      const isMaking = async () => (await listStaged(other)).length > 0;
      const hasMore = async () => (await getOffset()) >= more;
      await killWhileSending(other, location, file, {
        from,
        until: round % 2 === 0 ? isMaking : hasMore,
      });
      await sql`update upload set updated_at = now() - interval '2 minutes'`;
      const [, next] = await getUploadState(toClient(third), location);
      expect(Number(next)).toBeGreaterThanOrEqual(from);
      const rest = file.subarray(Number(next));
      expect(await append(toClient(third), location, Number(next), rest)).toMatchObject({
        status: 202,
      });
      expect(await listStaged(third)).toEqual([]);
      other = third;
    }
    one = await children.start();
    await expectWhole(file);
    await expectNothingLeft();
  }
});

test('a client that others wrote goes on through a balancer, at once', async () => {
  const file = makeFile();
  const ports = [one, other].map((node) => Number(new URL(node.url).port));
  let at = 0;
  const balancer = createServer((socket) => {
    const upstream = connect(ports[at]!, '127.0.0.1');
    for (const end of [socket, upstream]) end.on('error', () => socket.destroy());
    upstream.on('close', () => socket.destroy());
    socket.on('close', () => upstream.destroy());
    socket.pipe(upstream).pipe(socket);
  }).listen(0, '127.0.0.1');
  await waitUntil('it listens', () => balancer.listening);
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const offsets: string[] = [];
  const options = {
    endpoint: `http://127.0.0.1:${(balancer.address() as AddressInfo).port}${UPLOADS}`,
    protocol: 'ietf-draft-05',
    headers: { 'x-api-key': alice.key },
    retryDelays: Array.from({ length: 20 }, () => 200),
    onBeforeRequest(request) {
      request.setHeader('Upload-Draft-Interop-Version', '9');
      if (request.getMethod() !== 'POST') return;
      request.setHeader('Content-Type', 'image/jpeg');
      request.setHeader('Repr-Digest', digestField(file));
      request.setHeader('Asset-Metadata', encode(METADATA));
    },
    onAfterResponse: (request, response) => {
      if (request.getMethod() === 'HEAD') offsets.push(response.getHeader('Upload-Offset') ?? '');
    },
    onSuccess: () => resolve(),
    onError: reject,
  } satisfies UploadOptions & { protocol: string };
  new Upload(file, options).start();
  await waitUntil('parts are copied', async () => (await countParts()) >= 2);
  at = 1;
  await one.kill();
  await promise;
  balancer.close();
  expect(Number(offsets.at(-1))).toBeGreaterThanOrEqual(2 * PART_BYTES);
  // It was not begun anew.
  const uploads = await sql`select from upload where sha256 = ${toSha256(file)}`;
  expect(uploads).toHaveLength(1);
  await expectWhole(file);
  one = await children.start();
});

test('a server that was only suspended adds no part, and has no part in what others finish', async () => {
  const file = makeFile();
  const location = await reserve(toClient(one), file);
  const sending = append(toClient(one), location, 0, file).catch(() => undefined);
  await waitUntil('a part is copied', async () => (await countParts()) >= 1);
  process.kill(one.pid, 'SIGSTOP');
  await sql`update node set state = 'gone' where id = ${one.id}`;
  await Bun.sleep(300);
  const stranger = await seed(database).user();
  expect((await head(other.toClient(stranger.key), location)).status).toBe(404);
  const [status, offset] = await getUploadState(toClient(other), location);
  expect([status, Number(offset) % PART_BYTES]).toEqual([204, 0]);
  process.kill(one.pid, 'SIGCONT');
  const before = await countParts();
  expect((await sending)?.status).not.toBe(202);
  await Bun.sleep(1000);
  expect(await countParts()).toBe(before);
  const from = Number(offset);
  const ended = await append(toClient(other), location, from, file.subarray(from));
  expect(ended).toMatchObject({ status: 202 });
  await expectWhole(file);
});
