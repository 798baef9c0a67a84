import { describe, expect, test } from 'bun:test';
import { randomFileBytes } from '../../../../test/support/forms.ts';
import { seed } from '../../../../test/support/harness.ts';
import {
  create,
  creationHeaders,
  encode,
  type HeaderChanges,
  METADATA,
  NO_BYTES,
  UPLOADS,
  formatCreation,
} from '../../../../test/support/resumable.ts';
import { useUploadServer } from '../../../../test/support/upload-server.ts';
import { openConnection, formatHead } from '../../../../test/support/wire.ts';

const place = useUploadServer();

async function counts(): Promise<object> {
  const [row] = await place.database.sql`select
    (select count(*)::int from asset) as assets, (select count(*)::int from original) as originals,
    (select count(*)::int from job) as jobs, (select count(*)::int from upload) as uploads`;
  return { ...row, partials: (await place.partials()).length };
}

const METADATA_CASES: [string, string | undefined][] = [
  ['missing', undefined],
  ['padded', `${encode({ ...METADATA, filename: 'aa.jpg' })}=`],
  ['not canonical', `${Buffer.from('{"a":1}  ').toString('base64url').slice(0, -1)}h`],
  ['base64 and not base64url', Buffer.from([123, 255, 254, 253, 251, 240]).toString('base64')],
  ['invalid UTF-8', Buffer.from([0x7b, 0xff, 0x7d]).toString('base64url')],
  ['invalid JSON', encode('{')],
  ['a list', encode([METADATA])],
  ['without a name', encode({ ...METADATA, filename: undefined })],
  ['with an unknown key', encode({ ...METADATA, deviceId: 'x' })],
  ['with a sidecar', encode({ ...METADATA, sidecarData: 'x' })],
  ['with the id of a video', encode({ ...METADATA, livePhotoVideoId: crypto.randomUUID() })],
  ['with a folder', encode({ ...METADATA, filename: '../a.jpg' })],
  ['with a folder of Windows', encode({ ...METADATA, filename: 'c:\\a.jpg' })],
  ['with a NUL', encode({ ...METADATA, filename: 'a\0.jpg' })],
  ['with half of a surrogate pair', encode({ ...METADATA, filename: 'a\ud83d.jpg' })],
  [
    'with half of a surrogate pair in an item',
    encode({ ...METADATA, metadata: [{ key: 'k', value: { '\udc00': 1 } }] }),
  ],
  ['isFavorite yes', encode({ ...METADATA, isFavorite: 'yes' })],
  ['duration as text', encode({ ...METADATA, duration: '12' })],
  ['negative duration', encode({ ...METADATA, duration: -1 })],
  ['a date without offset', encode({ ...METADATA, fileCreatedAt: '2024-05-06T07:08:09' })],
  ['29 February of a common year', encode({ ...METADATA, fileModifiedAt: '2023-02-29T07:08:09Z' })],
  ['a day that does not exist', encode({ ...METADATA, fileCreatedAt: '2024-02-30T07:08:09Z' })],
  ['an unknown visibility', encode({ ...METADATA, visibility: 'attic' })],
  ['publication later', encode({ ...METADATA, publication: 'later' })],
  [
    'a metadata item with an unknown member',
    encode({ ...METADATA, metadata: [{ key: 'k', value: {}, x: 1 }] }),
  ],
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
  ['C12: a length that differs from the body', { 'upload-length': 999 }, 400, INCONSISTENT],
  [
    'C13: a body longer than the length',
    { 'upload-length': 999, 'upload-complete': '?0' },
    400,
    INCONSISTENT,
  ],
  ['C14: a length beyond the maximum size', { 'upload-length': 2_147_483_649 }, 413],
  ['C14: a body beyond the maximum size', { 'content-length': 2_147_483_649 }, 413],
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
  ['C20: a type that only begins like a supported one', { 'content-type': 'imagery/jpeg' }, 415],
  [
    'a file name that is not a photo',
    { 'asset-metadata': encode({ ...METADATA, filename: 'a.exe' }) },
    415,
  ],
  ['a content encoding', { 'content-encoding': 'gzip' }, 415],
  ['a malformed Content-Digest', { 'content-digest': 'sha-256=1' }, 400, INVALID],
  ['an unsupported Content-Digest', { 'content-digest': 'md5=:YQ==:' }, 400, UNSUPPORTED],
  ...METADATA_CASES.map(([name, value]): Case => [
    `C18 EP-023: Asset-Metadata ${name}`,
    { 'asset-metadata': value },
    400,
    { code: 'validation_failed' },
  ]),
];

describe('a refused creation creates no upload', () => {
  for (const [name, headers, status, body = {}] of REFUSED) {
    test(name, async () => {
      const before = await counts();
      const reply = await create(place.client, randomFileBytes(), { headers });
      expect(reply).toMatchObject({
        status,
        interim: [],
        headers: { 'content-type': 'application/problem+json', 'upload-complete': '?0' },
        body: { status, message: expect.any(String), code: expect.any(String), ...body },
      });
      expect(reply.headers['x-correlation-id']).toBeString();
      if (status === 413) expect(reply.headers['upload-limit']).toContain('max-size=2147483648');
      expect(await counts()).toEqual(before);
    });
  }

  test('C15: an empty body without an announced length, chunked or not, returns 400', async () => {
    expect(await create(place.client, NO_BYTES)).toMatchObject({ status: 400, interim: [] });
    const reply = await create(place.client, NO_BYTES, { isChunked: true });
    expect(reply).toMatchObject({ status: 400, headers: { 'upload-complete': '?0' } });
  });

  test('C27: too long headers are refused with 400 or 431', async () => {
    const long = (length: number) => ({ 'asset-metadata': 'e'.repeat(length) });
    expect(
      (await create(place.client, randomFileBytes(10), { headers: long(20_000) })).status,
    ).toBe(400);
    const wire = await openConnection(place.client.port);
    formatCreation(wire, place.client, randomFileBytes(10), { headers: long(100_000) });
    expect((await wire.answer()).status).toBe(431);
  });
});

describe('permission to create an upload', () => {
  test('C21: a client without a valid key gets 401 without 104 before sending the body', async () => {
    const wire = await openConnection(place.client.port);
    const headers = { ...creationHeaders(place.client, randomFileBytes()), 'content-length': 1e6 };
    wire.write(formatHead(`POST ${UPLOADS}`, { ...headers, 'x-api-key': undefined }));
    expect(await wire.answer()).toMatchObject({ status: 401, interim: [] });
    const wrong = await create({ ...place.client, key: 'wrong' }, randomFileBytes());
    expect(wrong).toMatchObject({ status: 401, interim: [] });
  });

  test('a key without the permission and a shared link with uploads allowed get 403', async () => {
    const reader = await seed(place.database).user(['asset.read']);
    const reply = await create({ ...place.client, key: reader.key }, randomFileBytes());
    expect(reply).toMatchObject({ status: 403, interim: [] });
    expect(reply.text).toContain('asset.upload');

    const key = Buffer.from(crypto.getRandomValues(new Uint8Array(50)));
    await place.database.sql`insert into shared_link (owner_id, type, key, allow_upload)
      values (${place.alice.id}, 'INDIVIDUAL', ${key}, true)`;
    const guest = { 'x-api-key': undefined, 'x-immich-share-key': key.toString('base64url') };
    expect(await create(place.client, randomFileBytes(), { headers: guest })).toMatchObject({
      status: 403,
      interim: [],
    });
  });
});
