import { afterAll, beforeAll, expect, setSystemTime, test } from 'bun:test';
import { join } from 'node:path';
import { useDatabase } from '../../../test/support/database.ts';
import { photoForm, randomFileBytes, upload } from '../../../test/support/forms.ts';
import { call, seed, send, testApp, type TestUser } from '../../../test/support/harness.ts';
import { startS3Server } from '../../../test/support/s3-server.ts';
import { createConnection } from '../../storage/s3-request.ts';
import * as storage from '../../storage/index.ts';

const server = startS3Server();
const database = await useDatabase();
const { sql } = database;
const settings = {
  ...database.deps.settings,
  ...server.settings,
  objectStoreRedirect: 'large' as const,
};
const deps = { ...database.deps, settings };
const app = testApp(database, { settings });
const proxying = testApp(database, { settings: { ...settings, objectStoreRedirect: 'never' } });
const BYTES = randomFileBytes(1_200_000);
let me: TestUser;
let id: string;
beforeAll(async () => {
  me = await seed(database).user();
  id = (await upload(app, photoForm(BYTES, [], 'Größe.jpg'), { as: me })).body.id;
});
afterAll(() => server.stop());

const original = (caller: object = { as: me }, to = app, asset = id) =>
  send(to, `GET /assets/${asset}/original` as 'GET /', caller);

test('a large original is answered with an address of a minute, which has its name and type', async () => {
  const { status, headers } = await original();
  expect(status).toBe(302);
  expect(headers.get('cache-control')).toBe('private, no-store');
  const location = headers.get('location')!;
  expect(new URL(location).searchParams.get('X-Amz-Expires')).toBe('60');
  const found = await fetch(location);
  expect(Buffer.compare(await found.bytes(), BYTES)).toBe(0);
  expect(found.headers.get('content-type')).toBe('image/jpeg');
  expect(found.headers.get('content-disposition')).toStartWith('attachment; filename="Gr__e');
  expect(found.headers.get('cache-control')).toBe('private, no-store');
  const part = await fetch(location, { headers: { range: 'bytes=5-9' } });
  expect(part.status).toBe(206);

  const other = new URL(location);
  other.searchParams.set('response-content-type', 'text/html');
  expect((await fetch(other)).status).toBe(403);
  setSystemTime(new Date(Date.now() + 61_000));
  expect((await fetch(location)).status).toBe(403);
  setSystemTime();
});

test('it is sent by the server where nothing else is set, and to the page', async () => {
  expect((await original({ as: me }, proxying)).status).toBe(200);
  expect((await original({ as: me, headers: { 'sec-fetch-dest': 'video' } })).status).toBe(200);
  expect((await original({ as: me, headers: { 'sec-fetch-dest': 'document' } })).status).toBe(302);
  const { headers } = await original({ as: me }, proxying);
  const again = { as: me, headers: { 'if-none-match': headers.get('etag')! } };
  expect((await original(again)).status).toBe(304);
});

test('small originals, other types, guests and strangers get no address', async () => {
  const small = (await upload(app, photoForm(randomFileBytes()), { as: me })).body.id;
  expect((await original({ as: me }, app, small)).status).toBe(200);
  const drawing = photoForm(randomFileBytes(1_200_000), [], 'a.svg');
  const drawn = (await upload(app, drawing, { as: me })).body.id;
  expect((await original({ as: me }, app, drawn)).status).toBe(200);
  const stranger = await seed(database).user();
  const refused = await original({ as: stranger });
  expect([refused.status, refused.headers.get('location')]).toEqual([400, null]);
  for (const password of [undefined, 'secret']) {
    const body = { type: 'INDIVIDUAL', assetIds: [id], allowDownload: true, password };
    const { key } = (await call(app, 'POST /shared-links', { as: me, body })).body;
    const guest = await send(app, `GET /assets/${id}/original?key=${key}` as 'GET /', {});
    expect(guest.headers.get('location')).toBeNull();
    expect(guest.status).toBe(password === undefined ? 200 : 401);
  }
});

test('what is Locked gets no address', async () => {
  const locked = (await upload(app, photoForm(randomFileBytes(1_200_000)), { as: me })).body.id;
  await sql`update asset set locked_at = now() where id = ${locked}`;
  const response = await original({ as: me }, app, locked);
  expect(response.headers.get('location')).toBeNull();
});

test('a large converted video is answered with an address, a thumbnail is not', async () => {
  const video = (await upload(app, photoForm(randomFileBytes(2000), [], 'a.mp4'), { as: me })).body
    .id;
  const bytes = randomFileBytes(1_200_000);
  const path = join(deps.paths.incoming, 'video');
  for (const [kind, type] of [
    ['encoded_video', 'video/mp4'],
    ['thumbnail', 'image/webp'],
  ] as const) {
    await Bun.write(path, bytes);
    const name = await storage.putDerived(deps, path, { id: video, kind, extension: 'bin' });
    await sql`
      insert into asset_file values (${video}, ${kind}, ${name}, ${type}, ${bytes.length}, 't')`;
  }
  const playback = await send(app, `GET /assets/${video}/video/playback` as 'GET /', { as: me });
  expect(playback.status).toBe(302);
  const found = await fetch(playback.headers.get('location')!);
  expect(found.headers.get('content-type')).toBe('video/mp4');
  expect(Buffer.compare(await found.bytes(), bytes)).toBe(0);
  const thumbnail = await send(app, `GET /assets/${video}/thumbnail` as 'GET /', { as: me });
  expect(thumbnail.status).toBe(200);
});

// https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-query-string-auth.html
test('an address is signed as in the example that AWS has published', async () => {
  const credentials = join(deps.paths.incoming, 'credentials');
  await Bun.write(
    credentials,
    'aws_access_key_id = AKIAIOSFODNN7EXAMPLE\n' +
      'aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY\n',
  );
  const url = 'https://examplebucket.s3.amazonaws.com';
  const { presign } = createConnection({ url, prefix: '', region: 'us-east-1' }, credentials);
  setSystemTime(new Date('2013-05-24T00:00:00Z'));
  const link = new URL(await presign('test.txt', { 'X-Amz-Expires': '86400' }));
  setSystemTime();
  expect(link.pathname).toBe('/test.txt');
  expect(Object.fromEntries(link.searchParams)).toEqual({
    'X-Amz-Algorithm': 'AWS4-HMAC-SHA256',
    'X-Amz-Credential': 'AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request',
    'X-Amz-Date': '20130524T000000Z',
    'X-Amz-Expires': '86400',
    'X-Amz-SignedHeaders': 'host',
    'X-Amz-Signature': 'aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404',
  });
});
