import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { sha256Of, someBytes } from '../../../test/forms.ts';
import { seed } from '../../../test/harness.ts';
import {
  append,
  ask,
  type Client,
  create,
  digestField,
  encode,
  eventually,
  head,
  type HeaderChanges,
  METADATA,
  reserve,
  standing,
  UPLOADS,
  writeAppend,
} from '../../../test/resumable.ts';
import { openPlace, type Place } from '../../../test/upload-place.ts';
import { dial, hangUpAll } from '../../../test/wire.ts';
import { limitUploads } from './limits.ts';

let place: Place;
let client: Client;
let bob: Client;
beforeAll(async () => {
  place = await openPlace();
  ({ client } = place);
  bob = { ...client, key: (await seed(place.database).user()).key };
});
afterEach(async () => {
  hangUpAll();
  limitUploads();
  await place.forget();
});
afterAll(() => place.close());

const NOTHING = Buffer.alloc(0);
const OPEN = { 'upload-complete': '?0' };
const UNKNOWN = `${UPLOADS}/${crypto.randomUUID()}`;
const isWhole = async (file: Uint8Array) => (await place.original(file))?.equals(file) ?? false;

describe('where it stands', () => {
  test('O01 ST-027: HEAD tells offset, length, limits, and that nobody may store it', async () => {
    const file = someBytes(100);
    const location = await reserve(client, file);
    await append(client, location, 0, file.subarray(0, 40), { headers: OPEN });
    const reply = await head(client, location);
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

  test('O02: GET tells the same, and what became of the file', async () => {
    const file = someBytes(100);
    const location = await reserve(client, file);
    const first = await ask(client, `GET ${location}`);
    expect(first).toMatchObject({
      status: 200,
      headers: { 'upload-offset': '0', 'upload-complete': '?0', 'upload-length': '100' },
      body: { status: 'incomplete', offset: 0, length: 100, assetId: null },
    });
    await append(client, location, 0, file);
    expect(await ask(client, `GET ${location}`)).toMatchObject({
      headers: { 'upload-offset': '100', 'upload-complete': '?1' },
      body: { status: 'published', offset: 100, assetId: (await place.assetOf(file))!['id'] },
    });
  });

  test('O03: unknown, malformed and foreign are the same 404; without a key 401', async () => {
    const location = await reserve(client, someBytes(100));
    for (const method of ['HEAD', 'GET', 'DELETE']) {
      const replies = [
        await ask(client, `${method} ${UNKNOWN}`),
        await ask(client, `${method} ${UPLOADS}/1`),
        await ask(bob, `${method} ${location}`),
      ];
      expect(replies.map((reply) => reply.status)).toEqual([404, 404, 404]);
      expect(replies[1]!.text).toBe(replies[0]!.text);
      expect(replies[2]!.text).toBe(replies[0]!.text);
      const stranger = await ask({ ...client, key: undefined }, `${method} ${location}`);
      expect(stranger.status).toBe(401);
    }
    expect((await append(bob, location, 0, someBytes(100))).status).toBe(404);
    expect((await append({ ...client, key: undefined }, location, 0, someBytes(9))).status).toBe(
      401,
    );
    expect(await standing(client, location)).toEqual([204, 0, '?0']);
  });

  test('O03: a key without the permission, and a shared link, learn nothing', async () => {
    const location = await reserve(client, someBytes(100));
    const reader = { ...client, key: (await seed(place.database).user(['asset.read'])).key };
    const key = Buffer.from(crypto.getRandomValues(new Uint8Array(50)));
    await place.database.sql`insert into shared_link (owner_id, type, key, allow_upload)
      values (${place.alice.id}, 'INDIVIDUAL', ${key}, true)`;
    const guest = { ...client, key: undefined };
    const link = { 'x-immich-share-key': key.toString('base64url') };
    for (const method of ['HEAD', 'GET', 'DELETE']) {
      expect((await ask(reader, `${method} ${location}`)).status).toBe(403);
      expect((await ask(guest, `${method} ${location}`, link)).status).toBe(403);
    }
    expect((await append(reader, location, 0, someBytes(9))).status).toBe(403);
    expect((await append(guest, location, 0, someBytes(9), { headers: link })).status).toBe(403);
    expect(await standing(client, location)).toEqual([204, 0, '?0']);
  });

  test('O04: the version may be left out, and not be another', async () => {
    const location = await reserve(client, someBytes(100));
    const version = (value?: number): HeaderChanges => ({ 'upload-draft-interop-version': value });
    expect((await ask(client, `HEAD ${location}`, version())).status).toBe(204);
    expect((await ask(client, `HEAD ${location}`, version(8))).status).toBe(400);
    expect((await ask(client, `DELETE ${location}`, version(8))).status).toBe(400);
  });
});

describe('appending', () => {
  test('A01 ST-028: parts, until it is an asset', async () => {
    const file = someBytes(100_000);
    const location = await reserve(client, file);
    for (const [from, to] of [
      [0, 30_000],
      [30_000, 70_000],
    ] as const) {
      const part = await append(client, location, from, file.subarray(from, to), { headers: OPEN });
      expect(part).toMatchObject({
        status: 204,
        headers: { 'upload-complete': '?0', 'upload-offset': String(to) },
      });
      expect(part.headers).not.toHaveProperty('location');
      expect(await place.assetOf(file)).toBeUndefined();
    }
    const last = await append(client, location, 70_000, file.subarray(70_000));
    expect(last).toMatchObject({
      status: 202,
      headers: { 'upload-complete': '?1', 'upload-offset': '100000', location },
      body: { status: 'verified', assetId: (await place.assetOf(file))!['id'] },
    });
    expect(await isWhole(file)).toBe(true);
    expect(await place.partials()).toEqual([]);
  });

  test('A02: an empty last part; A15: an empty one before it changes nothing', async () => {
    const file = someBytes(1000);
    const location = await reserve(client, file);
    await append(client, location, 0, file, { headers: OPEN });
    expect((await append(client, location, 1000, NOTHING, { headers: OPEN })).status).toBe(204);
    expect(await standing(client, location)).toEqual([204, 1000, '?0']);
    expect((await append(client, location, 1000, NOTHING)).status).toBe(202);
    expect(await isWhole(file)).toBe(true);
  });

  test('A03: another offset is told the right one', async () => {
    const file = someBytes(1000);
    const location = await reserve(client, file);
    await append(client, location, 0, file.subarray(0, 400), { headers: OPEN });
    for (const offset of [0, 399, 401, 5000]) {
      expect(await append(client, location, offset, file.subarray(0, 10))).toMatchObject({
        status: 409,
        headers: { 'upload-offset': '400', 'upload-complete': '?0' },
        body: {
          type: 'https://iana.org/assignments/http-problem-types#mismatching-upload-offset',
          code: 'upload_offset_mismatch',
          'expected-offset': 400,
          'provided-offset': offset,
        },
      });
    }
    expect(await standing(client, location)).toEqual([204, 400, '?0']);
  });

  test('A04: another type is told the right one', async () => {
    const location = await reserve(client, someBytes(100));
    for (const type of ['image/jpeg', 'application/json', 'application/offset+octet-stream']) {
      const headers = { 'content-type': type };
      expect(await append(client, location, 0, someBytes(5), { headers })).toMatchObject({
        status: 415,
        headers: { 'accept-patch': 'application/partial-upload' },
        body: { code: 'unsupported_media_type' },
      });
    }
    const headers = { 'content-encoding': 'br' };
    expect((await append(client, location, 0, someBytes(5), { headers })).status).toBe(415);
  });

  test('A05: no offset, one that is none, or not whether it is the last part', async () => {
    const location = await reserve(client, someBytes(100));
    for (const offset of [undefined, 'abc', '-1', '1.5']) {
      expect((await append(client, location, offset, someBytes(5))).status).toBe(400);
    }
    const headers = { 'upload-complete': undefined };
    expect((await append(client, location, 0, someBytes(5), { headers })).status).toBe(400);
    expect(await standing(client, location)).toEqual([204, 0, '?0']);
  });

  test.each([false, true])(
    'A06 A08: bytes past the length end the upload (chunked: %p)',
    async (isChunked) => {
      const file = someBytes(1000);
      const location = await reserve(client, file);
      await append(client, location, 0, file.subarray(0, 900), { headers: OPEN });
      const reply = await append(client, location, 900, someBytes(101), { isChunked });
      expect(reply).toMatchObject({
        status: 400,
        headers: { 'upload-complete': '?0' },
        body: { code: 'upload_length_inconsistent' },
      });
      expect((await head(client, location)).status).toBe(404);
      expect((await append(client, location, 900, file.subarray(900))).status).toBe(404);
      expect(await place.partials()).toEqual([]);
    },
  );

  test('A07: a last part that is announced too short is refused, and may be sent again', async () => {
    const file = someBytes(1000);
    const location = await reserve(client, file);
    await append(client, location, 0, file.subarray(0, 500), { headers: OPEN });
    expect(await append(client, location, 500, file.subarray(500, 900))).toMatchObject({
      status: 400,
      headers: { 'upload-complete': '?0', 'upload-offset': '500' },
      body: { code: 'upload_length_inconsistent' },
    });
    expect((await append(client, location, 500, file.subarray(500))).status).toBe(202);
    expect(await isWhole(file)).toBe(true);
  });

  test('A09: in chunks, its bytes stay', async () => {
    const file = someBytes(1000);
    const location = await reserve(client, file);
    const short = await append(client, location, 0, file.subarray(0, 900), { isChunked: true });
    expect(short).toMatchObject({
      status: 400,
      headers: { 'upload-complete': '?0', 'upload-offset': '900' },
      body: { code: 'upload_length_inconsistent' },
    });
    expect((await append(client, location, 900, file.subarray(900))).status).toBe(202);
    expect(await isWhole(file)).toBe(true);
  });

  test('A10: a length that comes late counts, and is not contradicted', async () => {
    const file = someBytes(1000);
    const headers = { ...OPEN, 'upload-length': undefined };
    const location = await reserve(client, file, headers);
    const length = (value: number) => ({ headers: { ...OPEN, 'upload-length': value } });
    expect((await append(client, location, 0, file.subarray(0, 100), length(1000))).status).toBe(
      204,
    );
    expect((await head(client, location)).headers['upload-length']).toBe('1000');
    expect(await append(client, location, 100, file.subarray(100, 200), length(999))).toMatchObject(
      { status: 400, headers: { 'upload-offset': '100' } },
    );
    expect((await append(client, location, 100, file.subarray(100))).status).toBe(202);
  });

  test('A11: a lost last answer comes again, the same', async () => {
    const file = someBytes(1000);
    const location = await reserve(client, file);
    const first = await append(client, location, 0, file);
    expect(await standing(client, location)).toEqual([204, 1000, '?1']);
    const again = await append(client, location, 1000, NOTHING);
    expect(again).toMatchObject({ status: 202, headers: { 'upload-complete': '?1', location } });
    expect(again.body).toEqual(first.body);
    const [row] = await place.database.sql`select count(*)::int as count from asset
      where sha256 = ${sha256Of(file)}`;
    expect(row!['count']).toBe(1);
  });

  test('A12: nothing is appended to what is complete', async () => {
    const file = someBytes(1000);
    const location = await reserve(client, file);
    await append(client, location, 0, file);
    for (const [offset, headers] of [
      [1000, {}],
      [0, {}],
      [1000, OPEN],
    ] as const) {
      const reply = await append(client, location, offset, someBytes(5), { headers });
      expect(reply).toMatchObject({
        status: 409,
        headers: { 'upload-complete': '?0', 'upload-offset': '1000' },
      });
    }
    expect(await isWhole(file)).toBe(true);
  });

  test('A13 A14: 20 MB tell their progress, to those who speak the draft', async () => {
    const file = someBytes(20_000_000);
    for (const version of [9, undefined]) {
      const location = await reserve(client, file);
      const wire = await dial(client.port);
      const headers = { 'upload-draft-interop-version': version };
      writeAppend(wire, client, location, 0, file, { headers });
      const { interim, ...reply } = await wire.answer();
      expect(reply.status).toBe(version ? 202 : 200);
      expect(interim.length >= 2).toBe(version === 9);
      let before = 0;
      for (const { status, headers: told } of interim) {
        expect(status).toBe(104);
        expect(told['upload-draft-interop-version']).toBe('9');
        expect(told).not.toHaveProperty('location');
        const offset = Number(told['upload-offset']);
        expect(offset).toBeGreaterThan(before);
        expect(offset).toBeLessThanOrEqual(file.length);
        before = offset;
      }
    }
    expect(await isWhole(file)).toBe(true);
  });

  test('more than the maximum ends the upload, also without a length', async () => {
    limitUploads({ maxBytes: 50_000 });
    const file = someBytes(60_000);
    const headers = { ...OPEN, 'upload-length': undefined };
    const location = await reserve(client, file, headers);
    expect(await append(client, location, 0, file, { isChunked: true })).toMatchObject({
      status: 413,
      headers: { 'upload-limit': 'max-size=50000' },
    });
    expect((await head(client, location)).status).toBe(404);
    expect(await place.partials()).toEqual([]);
  });
});

describe('the digest of one part', () => {
  const digested = (bytes: Uint8Array, more: HeaderChanges = {}) => ({
    headers: { 'content-digest': digestField(bytes), ...more },
  });

  test('right: it counts; wrong: it is as if it had not come', async () => {
    limitUploads({ progressBytes: 1000 });
    const file = someBytes(100_000);
    const location = await reserve(client, file);
    const [half, rest] = [file.subarray(0, 50_000), file.subarray(50_000)];
    const first = await append(client, location, 0, half, digested(half, OPEN));
    expect([first.status, first.interim]).toEqual([204, []]);
    const wrong = await append(client, location, 50_000, rest, digested(half));
    expect(wrong).toMatchObject({
      status: 400,
      interim: [],
      headers: { 'upload-complete': '?0', 'upload-offset': '50000' },
      body: { code: 'digest_mismatch', 'mismatched-digests': [{ header: 'Content-Digest' }] },
    });
    expect(await standing(client, location)).toEqual([204, 50_000, '?0']);
    const sha512 = new Bun.CryptoHasher('sha512').update(rest).digest('base64');
    const headers = { 'content-digest': `md5=:YQ==:, sha-512=:${sha512}:;x` };
    expect((await append(client, location, 50_000, rest, { headers })).status).toBe(202);
    expect(await isWhole(file)).toBe(true);
  });

  test('of the first part: the place stays, and can be used', async () => {
    const file = someBytes(10_000);
    const wrong = await create(client, file, digested(someBytes(5)));
    expect(wrong).toMatchObject({
      status: 400,
      headers: { 'upload-complete': '?0', 'upload-offset': '0' },
    });
    expect((await append(client, wrong.headers['location']!, 0, file)).status).toBe(202);
    expect(await isWhole(file)).toBe(true);
  });

  test('of a part that was cut off: what came is kept', async () => {
    const file = someBytes(10_000);
    const location = await reserve(client, file);
    const wire = await dial(client.port);
    writeAppend(wire, client, location, 0, file.subarray(0, 4000), {
      headers: { ...digested(file).headers, 'content-length': 10_000 },
    });
    wire.socket.end();
    await wire.closed;
    // HEAD may be there before the server has asked who sent it.
    await eventually('the bytes are kept', async () => {
      const [, offset] = await standing(client, location);
      return offset === 4000;
    });
    expect((await append(client, location, 4000, file.subarray(4000))).status).toBe(202);
    expect(await isWhole(file)).toBe(true);
  });
});

describe('giving it up', () => {
  test('D01 ST-036: the bytes go, and it is as if it had never been', async () => {
    const file = someBytes(1000);
    const location = await reserve(client, file);
    await append(client, location, 0, file.subarray(0, 500), { headers: OPEN });
    expect(await place.partials()).toHaveLength(1);
    expect((await ask(client, `DELETE ${location}`)).status).toBe(204);
    expect(await place.partials()).toEqual([]);
    expect((await head(client, location)).status).toBe(404);
    expect((await ask(client, `DELETE ${location}`)).status).toBe(404);
    expect((await append(client, location, 500, file.subarray(500))).status).toBe(404);
    expect(await place.assetOf(file)).toBeUndefined();
  });

  test('D02 ST-037: not what is an asset', async () => {
    const file = someBytes(1000);
    const { headers } = await create(client, file);
    for (let twice = 0; twice < 2; twice++) {
      expect(await ask(client, `DELETE ${headers['location']}`)).toMatchObject({
        status: 409,
        body: { code: 'upload_published' },
      });
    }
    expect(await isWhole(file)).toBe(true);
    expect(await place.assetOf(file)).toBeDefined();
  });

  test('D03: a half of a live photo that waits for the other', async () => {
    const file = someBytes(1000);
    const metadata = encode({ ...METADATA, publication: 'live-photo' });
    const { status, headers } = await create(client, file, {
      headers: { 'asset-metadata': metadata },
    });
    expect(status).toBe(202);
    expect(await place.partials()).toHaveLength(1);
    expect((await ask(client, `DELETE ${headers['location']}`)).status).toBe(204);
    expect(await place.partials()).toEqual([]);
    expect((await head(client, headers['location']!)).status).toBe(404);
  });

  test('ST-038: not what is of another', async () => {
    const location = await reserve(client, someBytes(1000));
    expect((await ask(bob, `DELETE ${location}`)).status).toBe(404);
    expect(await standing(client, location)).toEqual([204, 0, '?0']);
  });
});
