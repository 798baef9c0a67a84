import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { signUp } from '../e2e/server.ts';
import { makeClip } from '../fixtures/clips.ts';
import { addDatabase } from '../fixtures/data-folder.ts';
import { openFixtures, quarters } from '../fixtures/index.ts';
import { FORM_TYPE, photoForm, toSha1Hex } from '../support/forms.ts';
import type { Json } from '../support/json.ts';
import { serveFrom } from '../support/served.ts';
import { until } from '../support/until.ts';
import {
  closeAllConnections,
  formatHead,
  openConnection,
  sendBeyondAnswer,
} from '../support/wire.ts';

setDefaultTimeout(300_000);

// Programs that ask for the head of a file before they fetch it, and proxies, as a server of its own answers them.

const fixtures = openFixtures();
const served = serveFrom(fixtures.folder);
let server: Awaited<ReturnType<typeof served.serve>>;
let headers: Record<string, string>;
let photo: string;
let film: string;
beforeAll(async () => {
  const dataDir = join(fixtures.folder, 'data');
  await addDatabase(dataDir);
  server = await served.serve('--data', dataDir);
  headers = { authorization: `Bearer ${(await signUp(server.url)).accessToken}` };
  photo = await add('photo.jpg', await quarters(300, 200).jpeg().toBuffer());
  const clip = ['-f', 'lavfi', '-i', 'testsrc2=s=320x180:r=10:d=1', '-pix_fmt', 'yuv420p'];
  const path = makeClip(join(fixtures.folder, 'film.mp4'), clip);
  // Bytes behind the film belong to its file.
  film = await add('film.mp4', Buffer.concat([readFileSync(path), Buffer.alloc(LARGE)]));
});
afterAll(async () => {
  closeAllConnections();
  await served.stopAll();
  rmSync(fixtures.folder, { recursive: true, force: true });
});

const LARGE = 32 * 1024 * 1024;

async function add(name: string, bytes: Buffer): Promise<string> {
  const response = await fetch(`${server.url}/api/assets`, {
    method: 'POST',
    headers: { ...headers, 'content-type': FORM_TYPE },
    body: Buffer.from(photoForm(bytes, [], name)),
  });
  const { id }: Json = await response.json();
  await until(async () => (await ask('GET', `/assets/${id}/thumbnail`)).status === 200, 100_000);
  return id;
}

const ask = (method: string, path: string, more: Record<string, string> = {}) =>
  fetch(`${server.url}/api${path}`, { method, headers: { ...headers, ...more } });

test('400: the head of each file tells the length that a download has', async () => {
  const paths = [
    ...[photo, film].flatMap((id) => [
      `/assets/${id}/original`,
      `/assets/${id}/thumbnail`,
      `/assets/${id}/thumbnail?size=preview`,
    ]),
    `/assets/${film}/video/playback`,
  ];
  for (const path of paths) {
    const [head, whole] = [await ask('HEAD', path), await ask('GET', path)];
    const { length } = await whole.bytes();
    expect(length).toBeGreaterThan(100);
    expect([path, head.status, head.headers.get('content-length')]).toEqual([
      path,
      200,
      String(length),
    ]);
    for (const name of ['content-type', 'etag', 'last-modified', 'accept-ranges'])
      expect([path, name, head.headers.get(name)]).toEqual([path, name, whole.headers.get(name)]);
    expect(await head.text()).toBe('');
  }
});

test('401: a range is no part of a head, and conditions are', async () => {
  const path = `/assets/${film}/original`;
  const ranged = await ask('HEAD', path, { range: 'bytes=0-1' });
  expect([ranged.status, ranged.headers.has('content-range')]).toEqual([200, false]);
  const known = await ask('HEAD', path, { 'if-none-match': ranged.headers.get('etag')! });
  expect(known.status).toBe(304);
});

test('402: for the head of a large file hardly anything of it is read', async () => {
  const countRead = () =>
    Number(/rchar: (\d+)/.exec(readFileSync(`/proc/${server.child.pid}/io`, 'utf8'))![1]);
  const before = countRead();
  expect((await ask('HEAD', `/assets/${film}/original`)).status).toBe(200);
  expect(countRead() - before).toBeLessThan(LARGE / 4);
});

test('403: a head is refused as its file is', async () => {
  const path = `${server.url}/api/assets/${photo}/original`;
  expect((await fetch(path, { method: 'HEAD' })).status).toBe(401);
  expect((await ask('HEAD', `/assets/${crypto.randomUUID()}/original`)).status).toBe(400);
  await ask('HEAD', '/assets/uploads/none').then(({ status }) => expect(status).toBe(404));
});

// Proxies use a connection once, unless they are told otherwise: nginx speaks HTTP/1.0 to the servers behind it.
test('619: an upload that is answered before it has come whole gets the answer through a proxy', async () => {
  const known = toSha1Hex(await (await ask('GET', `/assets/${photo}/original`)).bytes());
  const [json, form] = ['application/json', FORM_TYPE];
  const cases = [
    [401, { 'content-type': form }, 'POST /api/assets'],
    [200, { ...headers, 'content-type': form, 'x-immich-checksum': known }, 'POST /api/assets'],
    [413, { ...headers, 'content-type': json }, 'POST /api/albums'],
    [415, headers, 'PATCH /api/assets/uploads/none'],
  ] as const;
  const piece = Buffer.alloc(500_000, ' ');
  const pieces = 30;
  for (const [status, given, route] of cases) {
    const wire = await openConnection(Number(new URL(server.url).port));
    const length = { 'content-length': piece.length * pieces, connection: 'close' };
    const head = formatHead(route, { ...given, ...length }, 'HTTP/1.0');
    const text = await sendBeyondAnswer(wire, head, piece, pieces);
    expect(text).toStartWith(`HTTP/1.1 ${status} `);
    expect(text).toEndWith('}');
    if (status === 200) expect(text).toContain(`"id":"${photo}","status":"duplicate"`);
  }
});
