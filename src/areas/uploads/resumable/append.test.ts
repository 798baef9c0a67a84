import { describe, expect, test } from 'bun:test';
import { toSha256, randomFileBytes } from '../../../../test/support/forms.ts';
import {
  append,
  create,
  digestField,
  waitUntil,
  head,
  type HeaderChanges,
  NO_BYTES,
  INCOMPLETE,
  reserve,
  getUploadState,
  formatAppend,
} from '../../../../test/support/resumable.ts';
import { useUploadServer } from '../../../../test/support/upload-server.ts';
import { openConnection } from '../../../../test/support/wire.ts';
import { overrideUploadLimits } from './responses.ts';

const place = useUploadServer();

describe('PATCH appends to an upload', () => {
  test('A01 ST-028: publishes an asset only after the last part', async () => {
    const file = randomFileBytes(100_000);
    const location = await reserve(place.client, file);
    for (const [from, to] of [
      [0, 30_000],
      [30_000, 70_000],
    ] as const) {
      const part = await append(place.client, location, from, file.subarray(from, to), {
        headers: INCOMPLETE,
      });
      expect(part).toMatchObject({
        status: 204,
        headers: { 'upload-complete': '?0', 'upload-offset': String(to) },
      });
      expect(part.headers).not.toHaveProperty('location');
      expect(await place.findAsset(file)).toBeUndefined();
    }
    const last = await append(place.client, location, 70_000, file.subarray(70_000));
    expect(last).toMatchObject({
      status: 202,
      headers: { 'upload-complete': '?1', 'upload-offset': '100000', location },
      body: { status: 'verified', assetId: (await place.findAsset(file))!['id'] },
    });
    expect(await place.isWhole(file)).toBe(true);
    expect(await place.partials()).toEqual([]);
  });

  test('A02: an empty last part completes the upload; A15: an empty part before it changes nothing', async () => {
    const file = randomFileBytes(1000);
    const location = await reserve(place.client, file);
    await append(place.client, location, 0, file, { headers: INCOMPLETE });
    expect(
      (await append(place.client, location, 1000, NO_BYTES, { headers: INCOMPLETE })).status,
    ).toBe(204);
    expect(await getUploadState(place.client, location)).toEqual([204, 1000, '?0']);
    expect((await append(place.client, location, 1000, NO_BYTES)).status).toBe(202);
    expect(await place.isWhole(file)).toBe(true);
  });

  test('A03: a wrong offset is refused with the correct one', async () => {
    const file = randomFileBytes(1000);
    const location = await reserve(place.client, file);
    await append(place.client, location, 0, file.subarray(0, 400), { headers: INCOMPLETE });
    for (const offset of [0, 399, 401, 5000]) {
      expect(await append(place.client, location, offset, file.subarray(0, 10))).toMatchObject({
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
    expect(await getUploadState(place.client, location)).toEqual([204, 400, '?0']);
  });

  test('A04: a wrong content type returns 415 with the supported one in Accept-Patch', async () => {
    const location = await reserve(place.client, randomFileBytes(100));
    for (const type of ['image/jpeg', 'application/json', 'application/offset+octet-stream']) {
      const headers = { 'content-type': type };
      expect(
        await append(place.client, location, 0, randomFileBytes(5), { headers }),
      ).toMatchObject({
        status: 415,
        headers: { 'accept-patch': 'application/partial-upload' },
        body: { code: 'unsupported_media_type' },
      });
    }
    const headers = { 'content-encoding': 'br' };
    expect((await append(place.client, location, 0, randomFileBytes(5), { headers })).status).toBe(
      415,
    );
  });

  test('A05: a missing or invalid offset, or a missing Upload-Complete, returns 400', async () => {
    const location = await reserve(place.client, randomFileBytes(100));
    for (const offset of [undefined, 'abc', '-1', '1.5']) {
      expect((await append(place.client, location, offset, randomFileBytes(5))).status).toBe(400);
    }
    const headers = { 'upload-complete': undefined };
    expect((await append(place.client, location, 0, randomFileBytes(5), { headers })).status).toBe(
      400,
    );
    expect(await getUploadState(place.client, location)).toEqual([204, 0, '?0']);
  });

  test.each([false, true])(
    'A06 A08: bytes beyond the length end the upload (chunked: %p)',
    async (isChunked) => {
      const file = randomFileBytes(1000);
      const location = await reserve(place.client, file);
      await append(place.client, location, 0, file.subarray(0, 900), { headers: INCOMPLETE });
      const reply = await append(place.client, location, 900, randomFileBytes(101), { isChunked });
      expect(reply).toMatchObject({
        status: 400,
        headers: { 'upload-complete': '?0' },
        body: { code: 'upload_length_inconsistent' },
      });
      expect((await head(place.client, location)).status).toBe(404);
      expect((await append(place.client, location, 900, file.subarray(900))).status).toBe(404);
      expect(await place.partials()).toEqual([]);
    },
  );

  test('A07: a last part with a too short Content-Length is refused and can be sent again', async () => {
    const file = randomFileBytes(1000);
    const location = await reserve(place.client, file);
    await append(place.client, location, 0, file.subarray(0, 500), { headers: INCOMPLETE });
    expect(await append(place.client, location, 500, file.subarray(500, 900))).toMatchObject({
      status: 400,
      headers: { 'upload-complete': '?0', 'upload-offset': '500' },
      body: { code: 'upload_length_inconsistent' },
    });
    expect((await append(place.client, location, 500, file.subarray(500))).status).toBe(202);
    expect(await place.isWhole(file)).toBe(true);
  });

  test('A09: a too short chunked last part returns 400 and keeps its bytes', async () => {
    const file = randomFileBytes(1000);
    const location = await reserve(place.client, file);
    const short = await append(place.client, location, 0, file.subarray(0, 900), {
      isChunked: true,
    });
    expect(short).toMatchObject({
      status: 400,
      headers: { 'upload-complete': '?0', 'upload-offset': '900' },
      body: { code: 'upload_length_inconsistent' },
    });
    expect((await append(place.client, location, 900, file.subarray(900))).status).toBe(202);
    expect(await place.isWhole(file)).toBe(true);
  });

  test('A10: a length given by a later part is stored and cannot be changed', async () => {
    const file = randomFileBytes(1000);
    const headers = { ...INCOMPLETE, 'upload-length': undefined };
    const location = await reserve(place.client, file, headers);
    const length = (value: number) => ({ headers: { ...INCOMPLETE, 'upload-length': value } });
    expect(
      (await append(place.client, location, 0, file.subarray(0, 100), length(1000))).status,
    ).toBe(204);
    expect((await head(place.client, location)).headers['upload-length']).toBe('1000');
    expect(
      await append(place.client, location, 100, file.subarray(100, 200), length(999)),
    ).toMatchObject({ status: 400, headers: { 'upload-offset': '100' } });
    expect((await append(place.client, location, 100, file.subarray(100))).status).toBe(202);
  });

  test('A11: repeating the completed last request returns the same response', async () => {
    const file = randomFileBytes(1000);
    const location = await reserve(place.client, file);
    const first = await append(place.client, location, 0, file);
    expect(await getUploadState(place.client, location)).toEqual([204, 1000, '?1']);
    const again = await append(place.client, location, 1000, NO_BYTES);
    expect(again).toMatchObject({ status: 202, headers: { 'upload-complete': '?1', location } });
    expect(again.body).toEqual(first.body);
    const [row] = await place.database.sql`select count(*)::int as count from asset
      where sha256 = ${toSha256(file)}`;
    expect(row!['count']).toBe(1);
  });

  test('A12: appending to a complete upload returns 409', async () => {
    const file = randomFileBytes(1000);
    const location = await reserve(place.client, file);
    await append(place.client, location, 0, file);
    for (const [offset, headers] of [
      [1000, {}],
      [0, {}],
      [1000, INCOMPLETE],
    ] as const) {
      const reply = await append(place.client, location, offset, randomFileBytes(5), { headers });
      expect(reply).toMatchObject({
        status: 409,
        headers: { 'upload-complete': '?0', 'upload-offset': '1000' },
      });
    }
    expect(await place.isWhole(file)).toBe(true);
  });

  test('A13 A14: 20 MB report their progress by 104 to clients of the draft only', async () => {
    const file = randomFileBytes(20_000_000);
    for (const version of [9, undefined]) {
      const location = await reserve(place.client, file);
      const wire = await openConnection(place.client.port);
      const headers = { 'upload-draft-interop-version': version };
      formatAppend(wire, place.client, location, 0, file, { headers });
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
    expect(await place.isWhole(file)).toBe(true);
  });

  test('bytes beyond the maximum size end the upload, also without a length', async () => {
    overrideUploadLimits({ maxBytes: 50_000 });
    const file = randomFileBytes(60_000);
    const headers = { ...INCOMPLETE, 'upload-length': undefined };
    const location = await reserve(place.client, file, headers);
    expect(await append(place.client, location, 0, file, { isChunked: true })).toMatchObject({
      status: 413,
      headers: { 'upload-limit': 'max-size=50000' },
    });
    expect((await head(place.client, location)).status).toBe(404);
    expect(await place.partials()).toEqual([]);
  });
});

describe('Content-Digest of a part', () => {
  const digested = (bytes: Uint8Array, more: HeaderChanges = {}) => ({
    headers: { 'content-digest': digestField(bytes), ...more },
  });

  test('accepts a part with a matching digest and discards one with a wrong digest', async () => {
    overrideUploadLimits({ progressBytes: 1000 });
    const file = randomFileBytes(100_000);
    const location = await reserve(place.client, file);
    const [half, rest] = [file.subarray(0, 50_000), file.subarray(50_000)];
    const first = await append(place.client, location, 0, half, digested(half, INCOMPLETE));
    expect([first.status, first.interim]).toEqual([204, []]);
    const wrong = await append(place.client, location, 50_000, rest, digested(half));
    expect(wrong).toMatchObject({
      status: 400,
      interim: [],
      headers: { 'upload-complete': '?0', 'upload-offset': '50000' },
      body: { code: 'digest_mismatch', 'mismatched-digests': [{ header: 'Content-Digest' }] },
    });
    expect(await getUploadState(place.client, location)).toEqual([204, 50_000, '?0']);
    const sha512 = new Bun.CryptoHasher('sha512').update(rest).digest('base64');
    const headers = { 'content-digest': `md5=:YQ==:, sha-512=:${sha512}:;x` };
    expect((await append(place.client, location, 50_000, rest, { headers })).status).toBe(202);
    expect(await place.isWhole(file)).toBe(true);
  });

  test('a wrong digest of the first part keeps the upload open at offset 0', async () => {
    const file = randomFileBytes(10_000);
    const wrong = await create(place.client, file, digested(randomFileBytes(5)));
    expect(wrong).toMatchObject({
      status: 400,
      headers: { 'upload-complete': '?0', 'upload-offset': '0' },
    });
    expect((await append(place.client, wrong.headers['location']!, 0, file)).status).toBe(202);
    expect(await place.isWhole(file)).toBe(true);
  });

  test('is not checked for an interrupted part, whose bytes are kept', async () => {
    const file = randomFileBytes(10_000);
    const location = await reserve(place.client, file);
    const wire = await openConnection(place.client.port);
    formatAppend(wire, place.client, location, 0, file.subarray(0, 4000), {
      headers: { ...digested(file).headers, 'content-length': 10_000 },
    });
    wire.socket.end();
    await wire.closed;
    // HEAD may be there before the server has asked who sent it.
    await waitUntil('the bytes are kept', async () => {
      const [, offset] = await getUploadState(place.client, location);
      return offset === 4000;
    });
    expect((await append(place.client, location, 4000, file.subarray(4000))).status).toBe(202);
    expect(await place.isWhole(file)).toBe(true);
  });
});
