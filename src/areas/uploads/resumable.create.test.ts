import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { sha256Of, someBytes } from '../../../test/forms.ts';
import { call, seed, testApp } from '../../../test/harness.ts';
import {
  append,
  ask,
  type Client,
  create,
  creationHeaders,
  digestField,
  encode,
  head,
  type HeaderChanges,
  METADATA,
  standing,
  UPLOADS,
  writeCreation,
} from '../../../test/resumable.ts';
import { openPlace, type Place } from '../../../test/upload-place.ts';
import { dial, hangUpAll, headOf } from '../../../test/wire.ts';

let place: Place;
let client: Client;
beforeAll(async () => {
  place = await openPlace();
  ({ client } = place);
});
afterEach(async () => {
  hangUpAll();
  // Else the limit of open uploads is what later tests meet.
  await place.forget();
});
afterAll(() => place.close());

const NOTHING = Buffer.alloc(0);
const LOCATION =
  /^\/api\/assets\/uploads\/[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;
const LIMIT = 'max-size=2147483648, max-append-size=2147483648, max-age=86400';

async function counts(): Promise<object> {
  const [row] = await place.database.sql`select
    (select count(*)::int from asset) as assets, (select count(*)::int from original) as originals,
    (select count(*)::int from job) as jobs, (select count(*)::int from upload) as uploads`;
  return { ...row, partials: (await place.partials()).length };
}

describe('a whole file at once', () => {
  test('C01 ST-029: 104 with the place, then 202 at the same place, and one asset', async () => {
    const file = someBytes(100_000);
    const reply = await create(client, file);
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

    const asset = await place.assetOf(file);
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
    const shown = await ask(client, `GET ${location}`);
    expect(shown.body).toMatchObject({ status: 'published', assetId: asset!['id'] });
  });

  test('C05: in chunks and without a length', async () => {
    const file = someBytes(70_000);
    const reply = await create(client, file, { isChunked: true });
    expect(reply).toMatchObject({ status: 202, headers: { 'upload-offset': '70000' } });
    expect((await place.original(file))!.equals(file)).toBe(true);
  });

  test('ST-030 C22: a wrong digest is final, publishes nothing, keeps nothing, is replayed', async () => {
    const [file, other] = [someBytes(5000), someBytes(5000)];
    const reply = await create(client, file, { headers: { 'repr-digest': digestField(other) } });
    expect(reply).toMatchObject({
      status: 400,
      headers: { 'upload-complete': '?1', 'content-type': 'application/problem+json' },
      body: {
        type: 'https://iana.org/assignments/http-problem-types#digest-mismatched-values',
        status: 400,
        code: 'digest_mismatch',
      },
    });
    expect(reply.text).not.toContain(Buffer.from(sha256Of(file)).toString('base64'));
    expect([await place.assetOf(file), await place.assetOf(other)]).toEqual([undefined, undefined]);
    expect(await place.partials()).toEqual([]);
    const { location } = reply.headers;
    expect(await standing(client, location!)).toEqual([204, 5000, '?1']);
    const again = await append(client, location!, 5000, NOTHING);
    expect(again).toMatchObject({ status: 400, headers: { 'upload-complete': '?1' } });
    expect(again.body).toEqual(reply.body);
    expect((await ask(client, `GET ${location}`)).body).toMatchObject({
      status: 'failed',
      assetId: null,
    });
  });

  test('C23 ST-031: the same bytes again are the asset that is there; of another owner, new', async () => {
    const file = someBytes(3000);
    const first = await create(client, file);
    const again = await create(client, file);
    expect(again).toMatchObject({
      status: 200,
      headers: { 'upload-complete': '?1' },
      body: { status: 'duplicate', assetId: first.body.assetId },
    });
    await place.assetOf(file);
    const bob = await seed(place.database).user();
    const his = await create({ ...client, key: bob.key }, file);
    expect(his.status).toBe(202);
    expect(his.body.assetId).not.toBe(first.body.assetId);
    expect(await place.partials()).toEqual([]);
  });

  test('C24: a client that waits for 100 Continue gets it, and 104', async () => {
    const file = someBytes(2000);
    const wire = await dial(client.port);
    const headers = {
      ...creationHeaders(client, file),
      'content-length': file.length,
      expect: '100-continue',
    };
    wire.write(headOf(`POST ${UPLOADS}`, headers));
    const early = [await wire.message(), await wire.message()].map((message) => message?.status);
    expect(new Set(early)).toEqual(new Set([100, 104]));
    wire.write(file);
    expect(await wire.answer()).toMatchObject({ status: 202, interim: [] });
  });

  test('C25: HTTP/1.0 gets no interim answer', async () => {
    const file = someBytes(2000);
    const wire = await dial(client.port);
    const headers = { ...creationHeaders(client, file), 'content-length': file.length };
    wire.write(headOf(`POST ${UPLOADS}`, headers, 'HTTP/1.0'), file);
    expect(await wire.answer()).toMatchObject({ status: 202, interim: [] });
  });

  test('C26: neither does a client behind a proxy, unless the owner says that it works', async () => {
    for (const proxied of [{ via: '1.1 x' }, { forwarded: 'for=1.2.3.4' }] as HeaderChanges[]) {
      const reply = await create(client, someBytes(), { headers: proxied });
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
      const reply = await create(told, someBytes(), { headers });
      expect([uploadInterim, reply.status, reply.interim.length]).toEqual([
        uploadInterim,
        202,
        interims,
      ]);
    }
  });

  test('what is said about the file arrives, and the isFavorite of text too', async () => {
    const metadata = {
      ...METADATA,
      filename: 'été 東京.MOV',
      duration: 1500,
      isFavorite: 'true',
      visibility: 'archive',
      metadata: [{ key: 'mobile-app', value: { iCloudId: 'x' } }],
      publication: 'immediate',
    };
    const file = someBytes(800);
    const headers = { 'asset-metadata': encode(metadata), 'content-type': 'video/quicktime' };
    expect((await create(client, file, { headers })).status).toBe(202);
    const asset = await place.assetOf(file);
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

describe('the careful way', () => {
  test('C02 ST-026: nothing but a place', async () => {
    const file = someBytes(100);
    const headers = { 'upload-complete': '?0', 'upload-length': 100 };
    const reply = await create(client, file, { send: NOTHING, headers });
    expect(reply).toMatchObject({
      status: 201,
      headers: { 'upload-complete': '?0', 'upload-offset': '0', 'upload-limit': LIMIT },
      body: { status: 'incomplete', offset: 0, length: 100, assetId: null, error: null },
    });
    expect(reply.headers['location']).toMatch(LOCATION);
    expect(reply.body.expiresAt).toBe('2026-01-03T03:04:05.000Z');
  });

  test('C03 ST-025: the first half is kept and is no asset', async () => {
    const file = someBytes(100);
    const app = testApp(place.database);
    const before = await call(app, 'GET /assets/statistics', { as: place.alice });
    const reply = await create(client, file, {
      send: file.subarray(0, 40),
      headers: { 'upload-complete': '?0', 'upload-length': 100 },
    });
    expect(reply).toMatchObject({
      status: 201,
      headers: { 'upload-complete': '?0', 'upload-offset': '40' },
    });
    expect(await standing(client, reply.headers['location']!)).toEqual([204, 40, '?0']);
    expect(await place.assetOf(file)).toBeUndefined();
    expect((await call(app, 'GET /assets/statistics', { as: place.alice })).body).toEqual(
      before.body,
    );
  });

  test('C04: without a length there is none to tell', async () => {
    const reply = await create(client, someBytes(50), { headers: { 'upload-complete': '?0' } });
    expect(reply.status).toBe(201);
    const told = await head(client, reply.headers['location']!);
    expect(told.headers['upload-offset']).toBe('50');
    expect(told.headers).not.toHaveProperty('upload-length');
  });

  test('C10: parameters mean nothing', async () => {
    const headers = { 'upload-complete': '?1;p=1;q', 'upload-length': '1000; x="y"' };
    expect((await create(client, someBytes(), { headers })).status).toBe(202);
  });

  test('C14 LM-001: lengths from one byte to 2 GiB', async () => {
    for (const length of [1, 2_147_483_648]) {
      const headers = { 'upload-complete': '?0', 'upload-length': length };
      const reply = await create(client, someBytes(), { send: NOTHING, headers });
      expect([length, reply.status]).toEqual([length, 201]);
    }
  });
});

const METADATA_CASES: [string, string | undefined][] = [
  ['missing', undefined],
  ['padded', `${encode({ ...METADATA, filename: 'aa.jpg' })}=`],
  ['not canonical', `${Buffer.from('{"a":1}  ').toString('base64url').slice(0, -1)}h`],
  ['base64 and not base64url', Buffer.from([123, 255, 254, 253, 251, 240]).toString('base64')],
  ['no UTF-8', Buffer.from([0x7b, 0xff, 0x7d]).toString('base64url')],
  ['no JSON', encode('{')],
  ['a list', encode([METADATA])],
  ['without a name', encode({ ...METADATA, filename: undefined })],
  ['with an unknown key', encode({ ...METADATA, deviceId: 'x' })],
  ['with a sidecar', encode({ ...METADATA, sidecarData: 'x' })],
  ['with another asset', encode({ ...METADATA, livePhotoVideoId: crypto.randomUUID() })],
  ['with a folder', encode({ ...METADATA, filename: '../a.jpg' })],
  ['with a folder of Windows', encode({ ...METADATA, filename: 'c:\\a.jpg' })],
  ['with a NUL', encode({ ...METADATA, filename: 'a\0.jpg' })],
  ['isFavorite yes', encode({ ...METADATA, isFavorite: 'yes' })],
  ['duration as text', encode({ ...METADATA, duration: '12' })],
  ['negative duration', encode({ ...METADATA, duration: -1 })],
  ['a date without offset', encode({ ...METADATA, fileCreatedAt: '2024-05-06T07:08:09' })],
  ['a day that is none', encode({ ...METADATA, fileCreatedAt: '2024-02-30T07:08:09Z' })],
  ['a shelf that is none', encode({ ...METADATA, visibility: 'attic' })],
  ['publication later', encode({ ...METADATA, publication: 'later' })],
  ['an item with more', encode({ ...METADATA, metadata: [{ key: 'k', value: {}, x: 1 }] })],
  ['20 kB', encode({ ...METADATA, metadata: [{ key: 'k', value: { x: 'y'.repeat(15_000) } }] })],
];

type Case = [string, HeaderChanges, number, object?];
const LENGTH_PATH = { errors: [{ path: ['Upload-Length'] }] };
const UNSUPPORTED = { type: expect.stringMatching(/#digest-unsupported-algorithms$/) };
const INVALID = { type: expect.stringMatching(/#digest-invalid-values$/) };
const INCONSISTENT = {
  type: expect.stringMatching(/#inconsistent-upload-length$/),
  code: 'upload_length_inconsistent',
};
const SHORT = `sha-256=:${Buffer.alloc(3).toString('base64')}:`;
const FULL = `sha-256=:${Buffer.alloc(32).toString('base64')}:`;

const REFUSED: Case[] = [
  ['C06: version missing', { 'upload-draft-interop-version': undefined }, 400],
  ['C07: version 8', { 'upload-draft-interop-version': 8 }, 400],
  ['C08: Upload-Complete true', { 'upload-complete': 'true' }, 400],
  ['C09: Upload-Complete twice', { 'upload-complete': '?1\r\nupload-complete: ?1' }, 400],
  ['C11: Upload-Complete missing', { 'upload-complete': undefined }, 400],
  ['C12: another length than what comes', { 'upload-length': 999 }, 400, INCONSISTENT],
  [
    'C13: more comes than the length',
    { 'upload-length': 999, 'upload-complete': '?0' },
    400,
    INCONSISTENT,
  ],
  ['C14: a byte too many', { 'upload-length': 2_147_483_649 }, 413],
  ['C14: a byte too many comes', { 'content-length': 2_147_483_649 }, 413],
  ['C15 LM-002: length 0', { 'upload-length': 0 }, 400, LENGTH_PATH],
  // The draft would let us ignore these two; the specification of this API names them as errors.
  ['C16 LM-002: length abc', { 'upload-length': 'abc' }, 400, LENGTH_PATH],
  ['LM-002: length 1.5', { 'upload-length': '1.5' }, 400, LENGTH_PATH],
  ['length -1', { 'upload-length': '-1' }, 400, LENGTH_PATH],
  ['C17: digest missing', { 'repr-digest': undefined }, 400],
  ['C17: two digests', { 'repr-digest': `${FULL}, md5=:YQ==:` }, 400, UNSUPPORTED],
  ['C17: sha-512', { 'repr-digest': FULL.replace('256', '512') }, 400, UNSUPPORTED],
  ['C17: three bytes', { 'repr-digest': SHORT }, 400, INVALID],
  ['C17: no byte sequence', { 'repr-digest': 'sha-256="x"' }, 400, INVALID],
  ['C17: no dictionary', { 'repr-digest': '=x' }, 400, INVALID],
  ['C20: text', { 'content-type': 'text/plain' }, 415],
  ['C20: no type', { 'content-type': undefined }, 415],
  ['C20: a type that only begins so', { 'content-type': 'imagery/jpeg' }, 415],
  [
    'a name that is no photo',
    { 'asset-metadata': encode({ ...METADATA, filename: 'a.exe' }) },
    415,
  ],
  ['coded content', { 'content-encoding': 'gzip' }, 415],
  ['Content-Digest that is none', { 'content-digest': 'sha-256=1' }, 400, INVALID],
  ['Content-Digest of another kind', { 'content-digest': 'md5=:YQ==:' }, 400, UNSUPPORTED],
  ...METADATA_CASES.map(([name, value]): Case => [
    `C18 EP-023: Asset-Metadata ${name}`,
    { 'asset-metadata': value },
    400,
    { code: 'validation_failed' },
  ]),
];

describe('refused, and nothing is there', () => {
  for (const [name, headers, status, body = {}] of REFUSED) {
    test(name, async () => {
      const before = await counts();
      const reply = await create(client, someBytes(), { headers });
      expect(reply).toMatchObject({
        status,
        interim: [],
        headers: { 'content-type': 'application/problem+json' },
        body: { status, message: expect.any(String), code: expect.any(String), ...body },
      });
      expect(reply.headers['x-correlation-id']).toBeString();
      if (status === 413) expect(reply.headers['upload-limit']).toContain('max-size=2147483648');
      expect(await counts()).toEqual(before);
    });
  }

  test('C15: nothing at all, with and without chunks', async () => {
    expect(await create(client, NOTHING)).toMatchObject({ status: 400, interim: [] });
    const reply = await create(client, NOTHING, { isChunked: true });
    expect(reply).toMatchObject({ status: 400, headers: { 'upload-complete': '?0' } });
  });

  test('C27: heads that are too long', async () => {
    const long = (length: number) => ({ 'asset-metadata': 'e'.repeat(length) });
    expect((await create(client, someBytes(10), { headers: long(20_000) })).status).toBe(400);
    const wire = await dial(client.port);
    writeCreation(wire, client, someBytes(10), { headers: long(100_000) });
    expect([400, 431]).toContain((await wire.answer()).status);
  });
});

describe('who may', () => {
  test('C21: a stranger is refused before a byte is sent, and without 104', async () => {
    const wire = await dial(client.port);
    const headers = { ...creationHeaders(client, someBytes()), 'content-length': 1e6 };
    wire.write(headOf(`POST ${UPLOADS}`, { ...headers, 'x-api-key': undefined }));
    expect(await wire.answer()).toMatchObject({ status: 401, interim: [] });
    const wrong = await create({ ...client, key: 'wrong' }, someBytes());
    expect(wrong).toMatchObject({ status: 401, interim: [] });
  });

  test('a key without the permission, and a shared link that lets guests upload', async () => {
    const reader = await seed(place.database).user(['asset.read']);
    const reply = await create({ ...client, key: reader.key }, someBytes());
    expect(reply).toMatchObject({ status: 403, interim: [] });
    expect(reply.text).toContain('asset.upload');

    const key = Buffer.from(crypto.getRandomValues(new Uint8Array(50)));
    await place.database.sql`insert into shared_link (owner_id, type, key, allow_upload)
      values (${place.alice.id}, 'INDIVIDUAL', ${key}, true)`;
    const guest = { 'x-api-key': undefined, 'x-immich-share-key': key.toString('base64url') };
    expect(await create(client, someBytes(), { headers: guest })).toMatchObject({
      status: 403,
      interim: [],
    });
  });
});

test('L01 EP-022: OPTIONS tells the limits', async () => {
  expect(await ask(client, `OPTIONS ${UPLOADS}`)).toMatchObject({
    status: 204,
    text: '',
    headers: { 'upload-limit': LIMIT },
  });
  expect((await ask({ ...client, key: undefined }, `OPTIONS ${UPLOADS}`)).status).toBe(401);
});

test('S01 S02: one after the other over one connection, also sent before the answer', async () => {
  const wire = await dial(client.port);
  const files = [someBytes(), someBytes(), someBytes(), someBytes()];
  writeCreation(wire, client, files[0]!);
  expect(await wire.answer()).toMatchObject({ status: 202, interim: [{ status: 104 }] });
  writeCreation(wire, client, files[1]!);
  expect(await wire.answer()).toMatchObject({ status: 202, interim: [{ status: 104 }] });
  writeCreation(wire, client, files[2]!);
  writeCreation(wire, client, files[3]!);
  expect(await wire.answer()).toMatchObject({ status: 202, interim: [{ status: 104 }] });
  expect(await wire.answer()).toMatchObject({ status: 202, interim: [{ status: 104 }] });
  for (const file of files) expect(await place.assetOf(file)).toBeDefined();
});
