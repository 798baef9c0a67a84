import { afterAll, afterEach, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { originalPath } from '../../src/storage/stored-file.ts';
import { HOP_HEADER } from '../../src/nodes/hop.ts';
import { useDatabase } from '../support/database.ts';
import { randomFileBytes, toSha256 } from '../support/forms.ts';
import { call, seed, type TestUser } from '../support/harness.ts';
import { createNodeChildren, type NodeChild } from '../support/node-children.ts';
import {
  append,
  create,
  encode,
  formatAppend,
  getUploadId,
  getUploadState,
  head,
  INCOMPLETE,
  METADATA,
  reserve,
  sendRequest,
  waitUntil,
} from '../support/resumable.ts';
import { closeAllConnections, openConnection } from '../support/wire.ts';

// Servers on machines of their own: what was begun at one is continued at another.

setDefaultTimeout(120_000);

const database = await useDatabase();
const { sql, deps } = database;
const children = createNodeChildren(database);
let one: NodeChild;
let other: NodeChild;
let alice: TestUser;
beforeAll(async () => {
  alice = await seed(database).user();
  one = await children.start();
  other = await children.start();
});
afterEach(async () => {
  closeAllConnections();
  await sql`delete from upload`;
  for (const { dataDir } of [one, other])
    for (const name of await listStaged({ dataDir })) await rm(join(dataDir, 'incoming', name));
});
afterAll(() => children.stopAll());

const listStaged = async ({ dataDir }: Pick<NodeChild, 'dataDir'>) =>
  (await readdir(join(dataDir, 'incoming'))).filter((name) => !name.startsWith('.'));
const isWhole = async (file: Uint8Array) =>
  (await readFile(originalPath(deps.paths, toSha256(file)))).equals(file);
const toClient = (node: NodeChild) => node.toClient(alice.key);

/** Waits until the only file at the first server has so many bytes. */
const waitForBytes = (bytes: number) =>
  waitUntil('the bytes arrive', async () => {
    const [staged = ''] = await listStaged(one);
    return (await stat(join(one.dataDir, 'incoming', staged))).size >= bytes;
  });

async function begin(node: NodeChild, file: Uint8Array, bytes: number): Promise<string> {
  const location = await reserve(toClient(node), file);
  const part = await append(toClient(node), location, 0, file.subarray(0, bytes), {
    headers: INCOMPLETE,
  });
  expect(part.status).toBe(204);
  return location;
}

test('an upload is continued at another server, which sends its bytes to the first', async () => {
  const file = randomFileBytes(900_000);
  const location = await begin(one, file, 100_000);
  expect(await getUploadState(toClient(other), location)).toEqual([204, 100_000, '?0']);
  const wrong = await append(toClient(other), location, 5, file.subarray(5));
  expect(wrong).toMatchObject({ status: 409, headers: { 'upload-offset': '100000' } });
  const part = await append(toClient(other), location, 100_000, file.subarray(100_000, 500_000), {
    headers: INCOMPLETE,
    isChunked: true,
  });
  expect(part).toMatchObject({ status: 204, headers: { 'upload-offset': '500000' } });
  expect([(await listStaged(one)).length, await listStaged(other)]).toEqual([1, []]);
  const last = await append(toClient(other), location, 500_000, file.subarray(500_000));
  expect(last).toMatchObject({ status: 202, headers: { 'upload-complete': '?1', location } });
  expect(await isWhole(file)).toBe(true);
  expect([await listStaged(one), await listStaged(other)]).toEqual([[], []]);
  expect((await append(toClient(other), location, 900_000, new Uint8Array())).status).toBe(202);
});

test('progress is told through another server, to clients of the draft only', async () => {
  const file = randomFileBytes(8_000_000);
  for (const version of [9, undefined]) {
    const location = await reserve(toClient(one), file);
    const { interim, ...reply } = await append(toClient(other), location, 0, file, {
      headers: { 'upload-draft-interop-version': version },
    });
    expect(reply.status).toBe(version ? 202 : 200);
    expect(interim.length > 0).toBe(version === 9);
    const offsets = interim.map(({ headers }) => Number(headers['upload-offset']));
    expect(offsets).toEqual(offsets.toSorted((a, b) => a - b));
    expect(interim.every(({ status }) => status === 104)).toBe(true);
  }
  expect(await isWhole(file)).toBe(true);
});

test('a client that is lost ends its transfer at the other server, which keeps the bytes', async () => {
  const file = randomFileBytes(400_000);
  const location = await begin(one, file, 100_000);
  const lost = await openConnection(toClient(other).port);
  const headers = { 'content-length': 300_000, expect: '100-continue' };
  const part = file.subarray(100_000, 300_000);
  formatAppend(lost, toClient(other), location, 100_000, part, { headers });
  await waitForBytes(100_001);
  const getOffset = async () => {
    const [row] = await sql`select committed_offset from upload`;
    return Number(row!['committed_offset']);
  };
  lost.socket.destroy();
  // Nothing else ends it: the server waits ten minutes for a client that is silent.
  await waitUntil('the transfer ends', async () => (await getOffset()) > 100_000);
  const [status, offset] = await getUploadState(toClient(other), location);
  expect([status, Number(offset) > 100_000]).toEqual([204, true]);
  const last = await append(
    toClient(other),
    location,
    Number(offset),
    file.subarray(Number(offset)),
  );
  expect(last.status).toBe(202);
  expect(await isWhole(file)).toBe(true);
});

test('a request to any server ends a transfer that hangs at another one', async () => {
  const file = randomFileBytes(400_000);
  const location = await begin(one, file, 100_000);
  const hanging = await openConnection(toClient(other).port);
  formatAppend(hanging, toClient(other), location, 100_000, file.subarray(100_000, 200_000), {
    headers: { 'content-length': 300_000 },
  });
  await waitForBytes(100_001);
  const [status, offset] = await getUploadState(toClient(one), location);
  expect([status, Number(offset) > 100_000]).toEqual([204, true]);
  // Nobody answers it, as if it were connected to that server.
  expect(await hanging.closed).not.toMatch(/HTTP\/1.1 [2-5]/);
  const last = await append(
    toClient(other),
    location,
    Number(offset),
    file.subarray(Number(offset)),
  );
  expect(last.status).toBe(202);
  expect(await isWhole(file)).toBe(true);
});

test('an upload is cancelled through another server', async () => {
  const location = await begin(one, randomFileBytes(1000), 500);
  expect((await sendRequest(toClient(other), `DELETE ${location}`)).status).toBe(204);
  expect(await listStaged(one)).toEqual([]);
  expect((await head(toClient(one), location)).status).toBe(404);
});

test('strangers, weak keys, nobody and forged headers reach no upload through another server', async () => {
  const file = randomFileBytes(1000);
  const location = await begin(one, file, 500);
  const stranger = await seed(database).user();
  const weak = await seed(database).user(['asset.read']);
  const callers = [
    [stranger.key, 404],
    [weak.key, 403],
    [undefined, 401],
  ] as const;
  for (const [key, status] of callers) {
    const client = { ...toClient(other), key };
    expect((await head(client, location)).status).toBe(status);
    expect((await append(client, location, 500, file.subarray(500))).status).toBe(status);
    expect((await sendRequest(client, `DELETE ${location}`)).status).toBe(status);
  }
  const hop = { to: other.id, origin: { address: '10.0.0.1', host: null, isEncrypted: true } };
  const text = Buffer.from(JSON.stringify(hop)).toString('base64url');
  for (const forged of ['x', `${text}.`, `${text}.${'A'.repeat(43)}`]) {
    const reply = await sendRequest(toClient(other), `HEAD ${location}`, { [HOP_HEADER]: forged });
    expect(reply.status).toBe(421);
  }
  expect(await getUploadState(toClient(one), location)).toEqual([204, 500, '?0']);
});

test('the halves of a live photo come to one server, and are published through any', async () => {
  const addHalf = async (node: NodeChild, type: string, file: Uint8Array) => {
    const filename = type.startsWith('image') ? 'IMG_1.HEIC' : 'IMG_1.MOV';
    const metadata = { ...METADATA, filename, publication: 'live-photo' };
    const headers = { 'content-type': type, 'asset-metadata': encode(metadata) };
    const reply = await create(toClient(node), file, { headers });
    expect(reply).toMatchObject({ status: 202, body: { status: 'verified' } });
    return getUploadId(reply.headers['location']!);
  };
  const [photo, video] = [randomFileBytes(5000), randomFileBytes(9000)];
  const body = {
    photoUploadId: await addHalf(one, 'image/heic', photo),
    videoUploadId: await addHalf(other, 'video/quicktime', video),
  };
  expect([(await listStaged(one)).length, await listStaged(other)]).toEqual([2, []]);
  const commit = (as: TestUser) =>
    call(other.app, 'POST /assets/uploads/live-photo/commit', { as, body });
  expect((await commit(await seed(database).user())).status).toBe(404);
  expect(await commit(alice)).toMatchObject({ status: 202, body: { status: 'committed' } });
  expect([await isWhole(photo), await isWhole(video)]).toEqual([true, true]);
  expect([await listStaged(one), await listStaged(other)]).toEqual([[], []]);
});

test('bytes on a server that died are waited for while it may come back, and are there when it is', async () => {
  const file = randomFileBytes(300_000);
  const location = await begin(one, file, 100_000);
  const { dataDir } = one;
  await one.kill();
  const refused = await head(toClient(other), location);
  expect([refused.status, refused.headers['retry-after']]).toEqual([503, '5']);
  one = await children.start(dataDir);
  expect(await getUploadState(toClient(other), location)).toEqual([204, 100_000, '?0']);
  const last = await append(toClient(other), location, 100_000, file.subarray(100_000));
  expect(last.status).toBe(202);
  expect(await isWhole(file)).toBe(true);
});

test('an upload whose server is gone is begun anew', async () => {
  const [file, untouched] = [randomFileBytes(300_000), randomFileBytes(1000)];
  const location = await begin(one, file, 100_000);
  const empty = await reserve(toClient(one), untouched);
  await one.kill();
  await sql`update upload set updated_at = now() - interval '2 minutes'`;
  expect((await head(toClient(other), location)).status).toBe(404);
  expect((await append(toClient(other), location, 100_000, file.subarray(100_000))).status).toBe(
    404,
  );
  const { status, body } = await create(toClient(other), file);
  expect([status, body.status]).toEqual([202, 'verified']);
  expect(await isWhole(file)).toBe(true);
  // None of its bytes is lost.
  expect((await append(toClient(other), empty, 0, untouched)).status).toBe(202);
  expect(await isWhole(untouched)).toBe(true);
  one = await children.start();
});

test('servers that share the folder go on without each other', async () => {
  const sharing = await children.start(one.dataDir);
  const file = randomFileBytes(300_000);
  const location = await begin(one, file, 100_000);
  process.kill(one.pid, 'SIGSTOP');
  try {
    const last = await append(toClient(sharing), location, 100_000, file.subarray(100_000));
    expect(last.status).toBe(202);
  } finally {
    process.kill(one.pid, 'SIGCONT');
  }
  expect(await isWhole(file)).toBe(true);
  await sharing.kill();
});

/** Whether bytes have come for a server that it has not read. */
const hasUnread = ({ url }: NodeChild): boolean => {
  const port = `:${Number(new URL(url).port).toString(16).padStart(4, '0').toUpperCase()}`;
  const sockets = readFileSync('/proc/net/tcp', 'utf8').split('\n');
  return sockets.some((socket) => {
    const [, local, , state, queues] = socket.trim().split(/\s+/);
    return state === '01' && local!.endsWith(port) && !queues!.endsWith(':00000000');
  });
};

test('a server that hangs is waited for until it is given up, and the others answer then', async () => {
  const file = randomFileBytes(1000);
  const location = await begin(one, file, 500);
  process.kill(one.pid, 'SIGSTOP');
  try {
    const asked = head(toClient(other), location);
    await waitUntil('it is asked', async () => hasUnread(one));
    await sql`update node set state = 'gone' where id = ${one.id}`;
    expect((await asked).status).toBe(503);
  } finally {
    process.kill(one.pid, 'SIGCONT');
  }
  await waitUntil('it is back', async () => (await head(toClient(other), location)).status === 204);
});

test('a wrong address leads nowhere', async () => {
  const location = await begin(one, randomFileBytes(1000), 500);
  const third = await children.start();
  // Its heartbeats would mend the row.
  process.kill(one.pid, 'SIGSTOP');
  try {
    for (const address of [third.url, other.url, 'http://127.0.0.1:1']) {
      await sql`update node set address = ${address}, seen_at = now() + interval '1 hour' where id = ${one.id}`;
      await Bun.sleep(300);
      expect((await head(toClient(other), location)).status).toBe(503);
    }
  } finally {
    process.kill(one.pid, 'SIGCONT');
    await third.kill();
  }
});
