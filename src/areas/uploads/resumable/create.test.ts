import { describe, expect, test } from 'bun:test';
import { chmod, truncate } from 'node:fs/promises';
import { toSha256, randomFileBytes } from '../../../../test/support/forms.ts';
import { call, seed, testApp } from '../../../../test/support/harness.ts';
import {
  append,
  sendRequest,
  create,
  creationHeaders,
  digestField,
  encode,
  head,
  type HeaderChanges,
  METADATA,
  NO_BYTES,
  getUploadState,
  UPLOADS,
  formatCreation,
} from '../../../../test/support/resumable.ts';
import { useUploadServer } from '../../../../test/support/upload-server.ts';
import { openConnection, formatHead } from '../../../../test/support/wire.ts';
import { originalPath } from '../../../storage/stored-file.ts';

const place = useUploadServer();

const LOCATION =
  /^\/api\/assets\/uploads\/[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;

const LIMIT = 'max-size=2147483648, max-append-size=2147483648, max-age=86400';

describe('creation with the whole file', () => {
  test('C01 ST-029: sends 104 with the location, then 202 with the same location, and creates one asset', async () => {
    const file = randomFileBytes(100_000);
    const reply = await create(place.client, file);
    expect(reply.interim).toHaveLength(1);
    expect(reply.interim[0]).toMatchObject({
      status: 104,
      reason: 'Upload Resumption Supported',
      headers: { 'upload-limit': LIMIT, 'upload-draft-interop-version': '9' },
    });
    expect(reply).toMatchObject({
      status: 202,
      headers: { 'upload-complete': '?1', 'upload-offset': '100000' },
      body: { status: 'verified', publication: 'immediate', offset: 100_000, length: 100_000 },
    });
    const { location } = reply.headers;
    expect(location).toMatch(LOCATION);
    expect(reply.interim[0]!.headers['location']).toBe(location!);
    expect(location).toEndWith(reply.body.id);

    const asset = await place.findAsset(file);
    expect(asset).toMatchObject({
      id: reply.body.assetId,
      file_name: 'IMG_0001.jpg',
      type: 'IMAGE',
      visibility: 'timeline',
      file_size: '100000',
      taken_at: '2024-05-06 07:08:09.123+00',
      file_modified_at: '2024-05-06 06:00:00+00',
    });
    expect((await place.original(file))!.equals(file)).toBe(true);
    expect(await place.partials()).toEqual([]);
    const jobs = await place.database.sql`
      select name from job where payload ->> 'assetId' = ${asset!['id']} order by name`;
    expect(jobs.map((job) => job['name'])).toEqual(['assets.readMetadata', 'assets.renderImage']);
    const shown = await sendRequest(place.client, `GET ${location}`);
    expect(shown.body).toMatchObject({ status: 'published', assetId: asset!['id'] });
  });

  test('C05: accepts a chunked body without a length', async () => {
    const file = randomFileBytes(70_000);
    const reply = await create(place.client, file, { isChunked: true });
    expect(reply).toMatchObject({ status: 202, headers: { 'upload-offset': '70000' } });
    expect((await place.original(file))!.equals(file)).toBe(true);
  });

  test('ST-030 C22: a wrong digest fails the upload finally, stores nothing and is reported again on retry', async () => {
    const [file, other] = [randomFileBytes(5000), randomFileBytes(5000)];
    const reply = await create(place.client, file, {
      headers: { 'repr-digest': digestField(other) },
    });
    expect(reply).toMatchObject({
      status: 400,
      headers: { 'upload-complete': '?1', 'content-type': 'application/problem+json' },
      body: {
        type: 'https://iana.org/assignments/http-problem-types#digest-mismatched-values',
        status: 400,
        code: 'digest_mismatch',
      },
    });
    expect(reply.text).not.toContain(Buffer.from(toSha256(file)).toString('base64'));
    expect([await place.findAsset(file), await place.findAsset(other)]).toEqual([
      undefined,
      undefined,
    ]);
    expect(await place.partials()).toEqual([]);
    const { location } = reply.headers;
    const again = await append(place.client, location!, 5000, NO_BYTES);
    expect(again).toMatchObject({ status: 400, headers: { 'upload-complete': '?1' } });
    expect(again.body).toEqual(reply.body);
  });

  test('C23 ST-031: bytes that the owner has return the existing asset; another owner gets a new one', async () => {
    const file = randomFileBytes(3000);
    const first = await create(place.client, file);
    const again = await create(place.client, file);
    expect(again).toMatchObject({
      status: 200,
      headers: { 'upload-complete': '?1' },
      body: { status: 'duplicate', assetId: first.body.assetId },
    });
    await place.findAsset(file);
    const bob = await seed(place.database).user();
    const his = await create({ ...place.client, key: bob.key }, file);
    expect(his.status).toBe(202);
    expect(his.body.assetId).not.toBe(first.body.assetId);
    expect(await place.partials()).toEqual([]);
  });

  test('bytes of a trashed asset restore it and repair a damaged original', async () => {
    const file = randomFileBytes(3000);
    const { assetId } = (await create(place.client, file)).body;
    const { sql, deps } = place.database;
    await sql`update asset set trashed_at = now() where id = ${assetId}`;
    const path = originalPath(deps.paths, toSha256(file));
    await chmod(path, 0o644);
    await truncate(path, 1000);
    const again = await create(place.client, file);
    expect(again).toMatchObject({ status: 200, body: { status: 'duplicate', assetId } });
    expect(await place.findAsset(file)).toMatchObject({ id: assetId, trashed_at: null });
    expect(await place.isWhole(file)).toBe(true);
    expect(await place.partials()).toEqual([]);
  });

  test('C24: Expect: 100-continue gets 100 and 104', async () => {
    const file = randomFileBytes(2000);
    const wire = await openConnection(place.client.port);
    const headers = {
      ...creationHeaders(place.client, file),
      'content-length': file.length,
      expect: '100-continue',
    };
    wire.write(formatHead(`POST ${UPLOADS}`, headers));
    const early = [await wire.message(), await wire.message()].map((message) => message?.status);
    expect(new Set(early)).toEqual(new Set([100, 104]));
    wire.write(file);
    expect(await wire.answer()).toMatchObject({ status: 202, interim: [] });
  });

  test('C25: HTTP/1.0 gets no interim response', async () => {
    const file = randomFileBytes(2000);
    const wire = await openConnection(place.client.port);
    const headers = { ...creationHeaders(place.client, file), 'content-length': file.length };
    wire.write(formatHead(`POST ${UPLOADS}`, headers, 'HTTP/1.0'), file);
    expect(await wire.answer()).toMatchObject({ status: 202, interim: [] });
  });

  test('C26: a client behind a proxy gets no interim response unless they are enabled', async () => {
    for (const proxied of [{ via: '1.1 x' }, { forwarded: 'for=1.2.3.4' }] as HeaderChanges[]) {
      const reply = await create(place.client, randomFileBytes(), { headers: proxied });
      expect(reply).toMatchObject({ status: 202, interim: [] });
    }
    const { settings } = place.database.deps;
    for (const [uploadInterim, interims] of [
      ['always', 1],
      ['never', 0],
      ['auto', 0],
    ] as const) {
      const told = await place.open({ settings: { ...settings, uploadInterim } });
      const headers = { 'x-forwarded-for': '192.0.2.1' };
      const reply = await create(told, randomFileBytes(), { headers });
      expect([uploadInterim, reply.status, reply.interim.length]).toEqual([
        uploadInterim,
        202,
        interims,
      ]);
    }
  });

  test('stores the metadata of Asset-Metadata and accepts isFavorite as a string', async () => {
    const metadata = {
      ...METADATA,
      filename: 'été 東京.MOV',
      duration: 1500,
      isFavorite: 'true',
      visibility: 'archive',
      metadata: [{ key: 'mobile-app', value: { iCloudId: 'x' } }],
      publication: 'immediate',
    };
    const file = randomFileBytes(800);
    const headers = { 'asset-metadata': encode(metadata), 'content-type': 'video/quicktime' };
    expect((await create(place.client, file, { headers })).status).toBe(202);
    const asset = await place.findAsset(file);
    expect(asset).toMatchObject({
      type: 'VIDEO',
      file_name: 'été 東京.MOV',
      duration_ms: 1500,
      is_favorite: true,
      visibility: 'archive',
    });
    const [pair] = await place.database
      .sql`select * from asset_metadata where asset_id = ${asset!['id']}`;
    expect(pair).toMatchObject({ key: 'mobile-app', value: { iCloudId: 'x' } });
  });
});

describe('creation without the whole file', () => {
  test('C02 ST-026: an empty creation returns 201 with a location', async () => {
    const file = randomFileBytes(100);
    const headers = { 'upload-complete': '?0', 'upload-length': 100 };
    const reply = await create(place.client, file, { send: NO_BYTES, headers });
    expect(reply).toMatchObject({
      status: 201,
      headers: { 'upload-complete': '?0', 'upload-offset': '0', 'upload-limit': LIMIT },
      body: { status: 'incomplete', offset: 0, length: 100, assetId: null, error: null },
    });
    expect(reply.headers['location']).toMatch(LOCATION);
    expect(reply.body.expiresAt).toBe('2026-01-03T03:04:05.000Z');
  });

  test('C03 ST-025: the first half is stored and is not an asset', async () => {
    const file = randomFileBytes(100);
    const app = testApp(place.database);
    const before = await call(app, 'GET /assets/statistics', { as: place.alice });
    const reply = await create(place.client, file, {
      send: file.subarray(0, 40),
      headers: { 'upload-complete': '?0', 'upload-length': 100 },
    });
    expect(reply).toMatchObject({
      status: 201,
      headers: { 'upload-complete': '?0', 'upload-offset': '40' },
    });
    expect(await getUploadState(place.client, reply.headers['location']!)).toEqual([204, 40, '?0']);
    expect(await place.findAsset(file)).toBeUndefined();
    expect((await call(app, 'GET /assets/statistics', { as: place.alice })).body).toEqual(
      before.body,
    );
  });

  test('C04: an upload without a length reports none', async () => {
    const reply = await create(place.client, randomFileBytes(50), {
      headers: { 'upload-complete': '?0' },
    });
    expect(reply.status).toBe(201);
    const told = await head(place.client, reply.headers['location']!);
    expect(told.headers['upload-offset']).toBe('50');
    expect(told.headers).not.toHaveProperty('upload-length');
  });

  test('C10: parameters of structured fields are ignored', async () => {
    const headers = { 'upload-complete': '?1;p=1;q', 'upload-length': '1000; x="y"' };
    expect((await create(place.client, randomFileBytes(), { headers })).status).toBe(202);
  });

  // An item of another type is refused: C16.
  test.each(['10 20', '10, 10', '10.', '--10', '"10', '10;', '1234567890123456', '(10)', '1\t0'])(
    'ignores an Upload-Length that is no structured field: %s',
    async (length) => {
      const headers = { 'upload-complete': '?0', 'upload-length': length };
      const bytes = randomFileBytes(50);
      const reply = await create(place.client, bytes, { headers });
      expect(reply.status).toBe(201);
      const told = await head(place.client, reply.headers['location']!);
      expect(told.headers['upload-offset']).toBe('50');
      expect(told.headers).not.toHaveProperty('upload-length');
      const whole = { headers: { 'upload-length': length } };
      expect((await create(place.client, randomFileBytes(), whole)).status).toBe(202);
    },
  );

  test('C14 LM-001: accepts lengths from one byte to 2 GiB', async () => {
    for (const length of [1, 2_147_483_648]) {
      const headers = { 'upload-complete': '?0', 'upload-length': length };
      const reply = await create(place.client, randomFileBytes(), { send: NO_BYTES, headers });
      expect([length, reply.status]).toEqual([length, 201]);
    }
  });
});

test('L01 EP-022: OPTIONS returns the limits', async () => {
  expect(await sendRequest(place.client, `OPTIONS ${UPLOADS}`)).toMatchObject({
    status: 204,
    text: '',
    headers: { 'upload-limit': LIMIT },
  });
  expect(
    (await sendRequest({ ...place.client, key: undefined }, `OPTIONS ${UPLOADS}`)).status,
  ).toBe(401);
});

test('S01 S02: one connection serves sequential and pipelined uploads', async () => {
  const wire = await openConnection(place.client.port);
  const files = [randomFileBytes(), randomFileBytes(), randomFileBytes(), randomFileBytes()];
  formatCreation(wire, place.client, files[0]!);
  expect(await wire.answer()).toMatchObject({ status: 202, interim: [{ status: 104 }] });
  formatCreation(wire, place.client, files[1]!);
  expect(await wire.answer()).toMatchObject({ status: 202, interim: [{ status: 104 }] });
  formatCreation(wire, place.client, files[2]!);
  formatCreation(wire, place.client, files[3]!);
  expect(await wire.answer()).toMatchObject({ status: 202, interim: [{ status: 104 }] });
  expect(await wire.answer()).toMatchObject({ status: 202, interim: [{ status: 104 }] });
  for (const file of files) expect(await place.findAsset(file)).toBeDefined();
});
