import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomFileBytes } from '../support/forms.ts';
import type { Json } from '../support/json.ts';
import { createStill, createVideo } from '../support/live-photos.ts';
import {
  append,
  sendRequest,
  type Client,
  create,
  encode,
  METADATA,
  reserve,
  getUploadState,
} from '../support/resumable.ts';
import { addAccount, until } from './server.ts';
import { getSharedServer } from './shared.ts';

// The resumable protocol against a whole server with its jobs.

let url: string;
let client: Client;
let folder: string;
beforeAll(async () => {
  const server = await getSharedServer();
  ({ url } = server);
  const { apiKey } = await addAccount(url, server.adminKey);
  client = { port: Number(new URL(url).port), key: apiKey };
  folder = await mkdtemp(join(tmpdir(), 'e2e-live-'));
}, 300_000);
afterAll(() => rm(folder, { recursive: true }));

const get = async (path: string): Promise<Json> => {
  const reply = await fetch(`${url}/api${path}`, { headers: { 'x-api-key': client.key! } });
  return reply.json();
};

test('a photo uploaded in parts becomes an asset with a thumbnail', async () => {
  const photo = await createStill();
  const location = await reserve(client, photo);
  const half = photo.subarray(0, 100);
  const open = { headers: { 'upload-complete': '?0' } };
  expect((await append(client, location, 0, half, open)).status).toBe(204);
  expect(await getUploadState(client, location)).toEqual([204, 100, '?0']);
  const last = await append(client, location, 100, photo.subarray(100));
  expect(last.status).toBe(202);
  const { assetId } = (await sendRequest(client, `GET ${location}`)).body;
  const asset = await until('the thumbnail', async () => {
    const found = await get(`/assets/${assetId}`);
    return found.thumbhash && found;
  });
  expect(asset).toMatchObject({ originalFileName: 'IMG_0001.jpg', type: 'IMAGE' });
}, 300_000);

test('104 is received before the body is sent', async () => {
  const reply = await create(client, randomFileBytes(50_000));
  expect(reply).toMatchObject({ status: 202, interim: [{ status: 104 }] });
});

test('a live photo is committed after its content identifiers are compared', async () => {
  const metadata = (filename: string) =>
    encode({ ...METADATA, filename, publication: 'live-photo' });
  const add = async (bytes: Buffer, type: string, name: string) => {
    const headers = { 'content-type': type, 'asset-metadata': metadata(name) };
    return (await create(client, bytes, { headers })).body.id as string;
  };
  const [one, two] = [crypto.randomUUID(), crypto.randomUUID()];
  const photo = await add(await createStill(one), 'image/jpeg', 'a.jpg');
  const other = await add(await createVideo(folder, two), 'video/quicktime', 'b.mov');
  const video = await add(await createVideo(folder, one), 'video/quicktime', 'a.mov');
  const commit = (videoUploadId: string) =>
    fetch(`${url}/api/assets/uploads/live-photo/commit`, {
      method: 'POST',
      headers: { 'x-api-key': client.key!, 'content-type': 'application/json' },
      body: JSON.stringify({ photoUploadId: photo, videoUploadId }),
    });
  expect((await commit(other)).status).toBe(409);
  const made = await commit(video);
  expect(made.status).toBe(202);
  const { photoAssetId, videoAssetId } = (await made.json()) as Record<string, string>;
  expect(await get(`/assets/${photoAssetId}`)).toMatchObject({ livePhotoVideoId: videoAssetId });
}, 300_000);
