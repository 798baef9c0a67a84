import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test';
import { readdir, rm } from 'node:fs/promises';
import { randomFileBytes, toSha256 } from '../../../../test/support/forms.ts';
import { call, seed, send, testApp } from '../../../../test/support/harness.ts';
import {
  append,
  create,
  encode,
  getUploadId,
  INCOMPLETE,
  METADATA,
  NO_BYTES,
  reserve,
} from '../../../../test/support/resumable.ts';
import { startS3Server } from '../../../../test/support/s3-server.ts';
import { useUploadServer } from '../../../../test/support/upload-server.ts';
import type { App } from '../../../app.ts';
import type { Settings } from '../../../core/settings.ts';

const server = startS3Server();
const place = useUploadServer();
let settings: Settings;
let app: App;
let client: Awaited<ReturnType<typeof place.open>>;
beforeAll(async () => {
  settings = {
    ...place.database.deps.settings,
    ...server.settings,
  };
  app = testApp(place.database, { settings });
  client = await place.open({ settings });
});
afterEach(() => {
  server.fault = undefined;
});
afterAll(() => server.stop());

const findKeys = (bytes: Uint8Array) =>
  [...server.objects.keys()].filter((key) =>
    key.includes(Buffer.from(toSha256(bytes)).toString('hex')),
  );

async function expectServed(id: string, bytes: Uint8Array): Promise<void> {
  await rm(`${settings.dataDir}/cache`, { recursive: true, force: true });
  const response = await send(app, `GET /assets/${id}/original`, { as: place.alice });
  expect(response.status).toBe(200);
  expect(Buffer.compare(new Uint8Array(await response.arrayBuffer()), bytes)).toBe(0);
}

test('a resumable upload in parts ends as an object', async () => {
  const bytes = randomFileBytes(100_000);
  const location = await reserve(client, bytes);
  await append(client, location, 0, bytes.subarray(0, 40_000), { headers: INCOMPLETE });
  expect(findKeys(bytes)).toEqual([]);
  const ended = await append(client, location, 40_000, bytes.subarray(40_000));
  expect(ended.status).toBe(202);
  expect(findKeys(bytes)).toHaveLength(1);
  await expectServed((await place.findAsset(bytes))!['id'], bytes);
  expect(await readdir(place.database.deps.paths.incoming)).toEqual([]);
});

async function addHalf(bytes: Uint8Array, filename: string, type: string): Promise<string> {
  const metadata = encode({ ...METADATA, filename, publication: 'live-photo' });
  const headers = { 'content-type': type, 'asset-metadata': metadata };
  const reply = await create(client, bytes, { headers });
  expect(reply.status).toBe(202);
  return getUploadId(reply.headers['location']!);
}

const commit = async (still: Uint8Array, moving: Uint8Array) => {
  const photoUploadId = await addHalf(still, 'IMG_1.HEIC', 'image/heic');
  const videoUploadId = await addHalf(moving, 'IMG_1.MOV', 'video/quicktime');
  const body = { photoUploadId, videoUploadId };
  return call(app, 'POST /assets/uploads/live-photo/commit', { as: place.alice, body });
};

test('both halves of a live photo are objects before they are committed; a lost one comes back', async () => {
  const [still, moving] = [randomFileBytes(), randomFileBytes()];
  const { status, body } = await commit(still, moving);
  expect(status).toBe(202);
  expect([findKeys(still).length, findKeys(moving).length]).toEqual([1, 1]);
  await expectServed(body.photoAssetId, still);
  for (const key of findKeys(moving)) server.objects.delete(key);
  expect((await commit(still, moving)).body.status).toBe('duplicate');
  await expectServed(body.videoAssetId, moving);
});

/** The answer while the object store is away: 507 would mean that a disk is full. */
const AWAY = {
  status: 503,
  headers: { 'retry-after': '5' },
  body: { status: 503, code: 'source_unavailable', retryable: true },
};
const refusePuts = () => {
  server.fault = (request) =>
    request.method === 'PUT' ? new Response(null, { status: 403 }) : undefined;
};

test('the last part is refused with 503 while the object store is away, and can be sent later', async () => {
  const bytes = randomFileBytes();
  refusePuts();
  const reply = await create(client, bytes);
  expect(reply).toMatchObject(AWAY);
  server.fault = undefined;
  const location = reply.headers['location']!;
  const stranger = { ...client, key: (await seed(place.database).user()).key };
  expect((await append(stranger, location, bytes.length, NO_BYTES)).status).toBe(404);
  expect((await append(client, location, bytes.length, NO_BYTES)).status).toBe(202);
  await expectServed((await place.findAsset(bytes))!['id'], bytes);
});

test('a live photo that the object store does not take is not published, and can be committed later', async () => {
  const [still, moving] = [randomFileBytes(), randomFileBytes()];
  refusePuts();
  const { status, headers, body } = await commit(still, moving);
  expect({ status, headers: Object.fromEntries(headers), body }).toMatchObject(AWAY);
  server.fault = undefined;
  expect(await place.findAsset(still)).toBeUndefined();
  expect((await commit(still, moving)).status).toBe(202);
});
