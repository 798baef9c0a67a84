import { beforeAll, describe, expect, test } from 'bun:test';
import { randomFileBytes } from '../../../../test/support/forms.ts';
import { seed } from '../../../../test/support/harness.ts';
import {
  append,
  sendRequest,
  type Client,
  create,
  digestField,
  encode,
  head,
  type HeaderChanges,
  METADATA,
  INCOMPLETE,
  NO_BYTES,
  reserve,
  getUploadState,
  UPLOADS,
} from '../../../../test/support/resumable.ts';
import { useUploadServer } from '../../../../test/support/upload-server.ts';
import { openStaging } from '../../../staging/staging-id.ts';

const place = useUploadServer();
let bob: Client;

beforeAll(async () => {
  bob = { ...place.client, key: (await seed(place.database).user()).key };
});

const UNKNOWN = `${UPLOADS}/${crypto.randomUUID()}`;

describe('HEAD and GET of an upload', () => {
  test('O01 ST-027: HEAD returns offset, length and limits with Cache-Control: no-store', async () => {
    const file = randomFileBytes(100);
    const location = await reserve(place.client, file);
    await append(place.client, location, 0, file.subarray(0, 40), { headers: INCOMPLETE });
    const reply = await head(place.client, location);
    expect(reply).toMatchObject({
      status: 204,
      headers: {
        'upload-offset': '40',
        'upload-complete': '?0',
        'upload-length': '100',
        'upload-limit': 'max-size=2147483648, max-append-size=2147483648, max-age=86400',
        'cache-control': 'no-store',
      },
    });
  });

  test('O02: GET returns the same and the resulting asset', async () => {
    const file = randomFileBytes(100);
    const location = await reserve(place.client, file);
    const first = await sendRequest(place.client, `GET ${location}`);
    expect(first).toMatchObject({
      status: 200,
      headers: { 'upload-offset': '0', 'upload-complete': '?0', 'upload-length': '100' },
      body: { status: 'incomplete', offset: 0, length: 100, assetId: null },
    });
    await append(place.client, location, 0, file);
    expect(await sendRequest(place.client, `GET ${location}`)).toMatchObject({
      headers: { 'upload-offset': '100', 'upload-complete': '?1' },
      body: { status: 'published', offset: 100, assetId: (await place.findAsset(file))!['id'] },
    });
  });

  test('O03: unknown, malformed and foreign ids return the same 404; a missing key returns 401', async () => {
    const location = await reserve(place.client, randomFileBytes(100));
    for (const method of ['HEAD', 'GET', 'DELETE']) {
      const replies = [
        await sendRequest(place.client, `${method} ${UNKNOWN}`),
        await sendRequest(place.client, `${method} ${UPLOADS}/1`),
        await sendRequest(bob, `${method} ${location}`),
      ];
      expect(replies.map((reply) => reply.status)).toEqual([404, 404, 404]);
      expect(replies[1]!.text).toBe(replies[0]!.text);
      expect(replies[2]!.text).toBe(replies[0]!.text);
      const stranger = await sendRequest(
        { ...place.client, key: undefined },
        `${method} ${location}`,
      );
      expect(stranger.status).toBe(401);
    }
    expect((await append(bob, location, 0, randomFileBytes(100))).status).toBe(404);
    expect(
      (await append({ ...place.client, key: undefined }, location, 0, randomFileBytes(9))).status,
    ).toBe(401);
    expect(await getUploadState(place.client, location)).toEqual([204, 0, '?0']);
  });

  test('O03: a key without the permission and a shared link get an error without details', async () => {
    const location = await reserve(place.client, randomFileBytes(100));
    const reader = { ...place.client, key: (await seed(place.database).user(['asset.read'])).key };
    const key = Buffer.from(crypto.getRandomValues(new Uint8Array(50)));
    await place.database.sql`insert into shared_link (owner_id, type, key, allow_upload)
      values (${place.alice.id}, 'INDIVIDUAL', ${key}, true)`;
    const guest = { ...place.client, key: undefined };
    const link = { 'x-immich-share-key': key.toString('base64url') };
    for (const method of ['HEAD', 'GET', 'DELETE']) {
      expect((await sendRequest(reader, `${method} ${location}`)).status).toBe(403);
      expect((await sendRequest(guest, `${method} ${location}`, link)).status).toBe(403);
    }
    expect((await append(reader, location, 0, randomFileBytes(9))).status).toBe(403);
    expect((await append(guest, location, 0, randomFileBytes(9), { headers: link })).status).toBe(
      403,
    );
    expect(await getUploadState(place.client, location)).toEqual([204, 0, '?0']);
  });

  test('a client that lost the refusal of its bytes is told it by each later request', async () => {
    const [file, other] = [randomFileBytes(5000), randomFileBytes(5000)];
    const headers = { 'repr-digest': digestField(other) };
    const location = await reserve(place.client, file, headers);
    const reply = await append(place.client, location, 0, file);
    expect([reply.status, reply.body.code]).toEqual([400, 'digest_mismatch']);
    for (const method of ['HEAD', 'GET']) {
      const state = await sendRequest(place.client, `${method} ${location}`);
      expect(state).toMatchObject({ status: 400, headers: { 'cache-control': 'no-store' } });
      // The field says that the file is kept.
      expect(state.headers).not.toHaveProperty('upload-complete');
      expect(state.body).toEqual(method === 'HEAD' ? undefined : reply.body);
    }
    for (const [offset, bytes, more] of [
      [0, file, {}],
      [5000, NO_BYTES, {}],
      [5000, NO_BYTES, INCOMPLETE],
      [2000, other.subarray(2000), {}],
    ] as const) {
      const again = await append(place.client, location, offset, bytes, { headers: more });
      expect([again.status, again.body]).toEqual([400, reply.body]);
    }
    expect((await head(bob, location)).status).toBe(404);
    expect([await place.findAsset(file), await place.findAsset(other)]).toEqual([
      undefined,
      undefined,
    ]);
    expect((await sendRequest(place.client, `DELETE ${location}`)).status).toBe(204);
    expect((await head(place.client, location)).status).toBe(404);
  });

  test('the half of a live photo is not said to be kept once its machine is gone', async () => {
    const file = randomFileBytes(1000);
    const metadata = encode({ ...METADATA, publication: 'live-photo' });
    const { headers } = await create(place.client, file, {
      headers: { 'asset-metadata': metadata },
    });
    const location = headers['location']!;
    expect(await getUploadState(place.client, location)).toEqual([204, 1000, '?1']);
    const { sql, deps } = place.database;
    await openStaging(deps.paths);
    await sql`update upload set staging_id = gen_random_uuid(), updated_at = updated_at - interval '1 hour'
      where id = ${location.split('/').at(-1)!}`;
    expect((await head(place.client, location)).status).toBe(404);
    expect((await append(place.client, location, 1000, NO_BYTES)).status).toBe(404);
    expect((await append(place.client, await reserve(place.client, file), 0, file)).status).toBe(
      202,
    );
  });

  test('O04: the draft version can be omitted, and an unsupported one is refused', async () => {
    const location = await reserve(place.client, randomFileBytes(100));
    const version = (value?: number | string): HeaderChanges => ({
      'upload-draft-interop-version': value,
    });
    expect((await sendRequest(place.client, `HEAD ${location}`, version())).status).toBe(204);
    expect((await sendRequest(place.client, `HEAD ${location}`, version(8))).status).toBe(400);
    expect((await sendRequest(place.client, `DELETE ${location}`, version(8))).status).toBe(400);
    // A field that cannot be parsed counts as none.
    expect((await sendRequest(place.client, `HEAD ${location}`, version('8 8'))).status).toBe(204);
  });
});

describe('DELETE of an upload', () => {
  test('D01 ST-036: deletes the bytes, and the upload is unknown afterwards', async () => {
    const file = randomFileBytes(1000);
    const location = await reserve(place.client, file);
    await append(place.client, location, 0, file.subarray(0, 500), { headers: INCOMPLETE });
    expect(await place.partials()).toHaveLength(1);
    expect((await sendRequest(place.client, `DELETE ${location}`)).status).toBe(204);
    expect(await place.partials()).toEqual([]);
    expect((await head(place.client, location)).status).toBe(404);
    expect((await sendRequest(place.client, `DELETE ${location}`)).status).toBe(404);
    expect((await append(place.client, location, 500, file.subarray(500))).status).toBe(404);
    expect(await place.findAsset(file)).toBeUndefined();
  });

  test('D02 ST-037: is refused for a published asset', async () => {
    const file = randomFileBytes(1000);
    const { headers } = await create(place.client, file);
    for (let twice = 0; twice < 2; twice++) {
      expect(await sendRequest(place.client, `DELETE ${headers['location']}`)).toMatchObject({
        status: 409,
        body: { code: 'upload_published' },
      });
    }
    expect(await place.isWhole(file)).toBe(true);
    expect(await place.findAsset(file)).toBeDefined();
  });

  test('D03: deletes a half of a live photo that is not committed', async () => {
    const file = randomFileBytes(1000);
    const metadata = encode({ ...METADATA, publication: 'live-photo' });
    const { status, headers } = await create(place.client, file, {
      headers: { 'asset-metadata': metadata },
    });
    expect(status).toBe(202);
    expect(await place.partials()).toHaveLength(1);
    expect((await sendRequest(place.client, `DELETE ${headers['location']}`)).status).toBe(204);
    expect(await place.partials()).toEqual([]);
    expect((await head(place.client, headers['location']!)).status).toBe(404);
  });

  test('ST-038: is refused for the upload of another user', async () => {
    const location = await reserve(place.client, randomFileBytes(1000));
    expect((await sendRequest(bob, `DELETE ${location}`)).status).toBe(404);
    expect(await getUploadState(place.client, location)).toEqual([204, 0, '?0']);
  });
});
