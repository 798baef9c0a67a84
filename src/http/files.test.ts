import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLog } from '../core/log.ts';
import { formatContentDisposition } from '../core/content-disposition.ts';
import { bytesResponse, fileResponse, matchesEtag } from './files.ts';
import { type Listener, startListener } from './listener.ts';

const folder = mkdtempSync(join(tmpdir(), 'files-'));
const path = join(folder, 'ten');
const TEN = '0123456789';
const MODIFIED = new Date('2026-01-02T03:04:05.678Z');
const file = {
  path,
  size: 10,
  etag: '"v1"',
  type: 'video/mp4',
  lastModified: MODIFIED,
  cacheControl: 'private, max-age=60',
} as const;

let listener: Listener;
beforeAll(async () => {
  writeFileSync(path, TEN);
  listener = await startListener({
    host: '127.0.0.1',
    port: 0,
    log: silentLog,
    fetch: (request) => fileResponse(request, file),
  });
});
afterAll(async () => {
  await listener.stop(50);
  rmSync(folder, { recursive: true });
});

type Headers_ = Record<string, string>;

/** Both ways out: the response as a caller inside the process reads it, and over the wire. */
async function ask(headers: Headers_, method = 'GET'): Promise<Response[]> {
  return [
    fileResponse(new Request('http://localhost/', { method, headers }), file),
    await fetch(listener.url, { method, headers }),
  ];
}

test('without conditions returns the whole file', async () => {
  for (const response of await ask({})) {
    expect(response.status).toBe(200);
    expect(await response.text()).toBe(TEN);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'accept-ranges': 'bytes',
      'cache-control': 'private, max-age=60',
      'content-length': '10',
      'content-type': 'video/mp4',
      etag: '"v1"',
      'last-modified': 'Fri, 02 Jan 2026 03:04:05 GMT',
      'x-content-type-options': 'nosniff',
    });
    expect(response.headers.has('content-range')).toBe(false);
  }
});

describe('one range', () => {
  const table: [range: string, body: string, contentRange: string][] = [
    ['bytes=0-0', '0', 'bytes 0-0/10'],
    ['bytes=2-4', '234', 'bytes 2-4/10'],
    ['bytes=7-', '789', 'bytes 7-9/10'],
    ['bytes=7-99', '789', 'bytes 7-9/10'],
    ['bytes=-3', '789', 'bytes 7-9/10'],
    ['bytes=-99', TEN, 'bytes 0-9/10'],
    ['BYTES=1-1', '1', 'bytes 1-1/10'],
    ['bytes= 1-1 , ', '1', 'bytes 1-1/10'],
    // One part that can be served is enough.
    ['bytes=1-1,50-60', '1', 'bytes 1-1/10'],
  ];
  test.each(table)('%s is %s', async (range, body, contentRange) => {
    for (const response of await ask({ range })) {
      expect(response.status).toBe(206);
      expect(response.headers.get('content-range')).toBe(contentRange);
      expect(response.headers.get('content-length')).toBe(String(body.length));
      expect(await response.text()).toBe(body);
    }
  });
});

test.each([
  'bytes=4-2',
  'bytes=a-b',
  'bytes=-',
  'bytes=',
  'bytes=1-2-3',
  'items=0-1',
  'nonsense',
  // More bytes than there are, and more parts than a player asks for.
  'bytes=0-8,1-9',
  `bytes=${Array.from({ length: 40 }, () => '0-0').join(',')}`,
])('%s is ignored', async (range) => {
  for (const response of await ask({ range })) {
    expect(response.status).toBe(200);
    expect(await response.text()).toBe(TEN);
  }
});

test.each(['bytes=10-', 'bytes=10-20', 'bytes=99-100,50-', 'bytes=-0'])(
  '%s cannot be satisfied',
  async (range) => {
    for (const response of await ask({ range })) {
      expect(response.status).toBe(416);
      expect(response.headers.get('content-range')).toBe('bytes */10');
      expect(await response.json()).toEqual({ message: 'Range not satisfiable' });
    }
  },
);

test('several ranges give one multipart body with its exact length', async () => {
  for (const response of await ask({ range: 'bytes=0-1,4-5,-1' })) {
    expect(response.status).toBe(206);
    expect(response.headers.has('content-range')).toBe(false);
    const boundary = /^multipart\/byteranges; boundary=(\S+)$/.exec(
      response.headers.get('content-type') ?? '',
    )?.[1];
    const text = await response.text();
    expect(Number(response.headers.get('content-length'))).toBe(text.length);
    const parts = text.split(`--${boundary}`);
    expect(parts.at(-1)).toBe('--\r\n');
    expect(parts.slice(1, -1).map((part) => part.trim().split('\r\n'))).toEqual([
      ['content-type: video/mp4', 'content-range: bytes 0-1/10', '', '01'],
      ['content-type: video/mp4', 'content-range: bytes 4-5/10', '', '45'],
      ['content-type: video/mp4', 'content-range: bytes 9-9/10', '', '9'],
    ]);
  }
});

test('HEAD has the length of the whole file, whatever range it names', async () => {
  for (const response of await ask({ range: 'bytes=0-1' }, 'HEAD')) {
    expect(response.status).toBe(200);
    expect(response.headers.get('content-length')).toBe('10');
    expect(await response.text()).toBe('');
  }
});

describe('a conditional range', () => {
  const table: [ifRange: string, status: number][] = [
    ['"v1"', 206],
    ['"v2"', 200],
    ['W/"v1"', 200],
    ['Fri, 02 Jan 2026 03:04:05 GMT', 206],
    ['Fri, 02 Jan 2026 03:04:06 GMT', 200],
    ['nonsense', 200],
  ];
  test.each(table)('If-Range: %s gives %d', async (ifRange, status) => {
    for (const response of await ask({ range: 'bytes=0-1', 'if-range': ifRange })) {
      expect(response.status).toBe(status);
    }
  });
});

describe('conditions', () => {
  const before = 'Fri, 02 Jan 2026 03:04:04 GMT';
  const same = 'Fri, 02 Jan 2026 03:04:05 GMT';
  const table: [headers: Headers_, status: number][] = [
    [{ 'if-none-match': '"v1"' }, 304],
    [{ 'if-none-match': 'W/"v1"' }, 304],
    [{ 'if-none-match': '"v0", "v1"' }, 304],
    [{ 'if-none-match': '*' }, 304],
    [{ 'if-none-match': '"v2"' }, 200],
    [{ 'if-none-match': 'v1' }, 200],
    [{ 'if-modified-since': same }, 304],
    [{ 'if-modified-since': before }, 200],
    [{ 'if-modified-since': 'nonsense' }, 200],
    // The tag wins: it is the better witness.
    [{ 'if-none-match': '"v2"', 'if-modified-since': same }, 200],
    [{ 'if-none-match': '"v1"', range: 'bytes=0-1' }, 304],
    [{ 'if-match': '"v1"' }, 200],
    [{ 'if-match': '*' }, 200],
    [{ 'if-match': '"v2"' }, 412],
    [{ 'if-match': 'W/"v1"' }, 412],
    [{ 'if-unmodified-since': same }, 200],
    [{ 'if-unmodified-since': before }, 412],
    [{ 'if-match': '"v2"', range: 'bytes=0-1' }, 412],
  ];
  test.each(table)('%j gives %d', async (headers, status) => {
    for (const response of await ask(headers)) {
      expect(response.status).toBe(status);
      if (status !== 304) continue;
      expect(await response.text()).toBe('');
      expect(response.headers.get('etag')).toBe('"v1"');
      expect(response.headers.get('cache-control')).toBe('private, max-age=60');
      expect(response.headers.has('content-type')).toBe(false);
    }
  });
});

test('an empty file gives an empty body, and no range of it is satisfiable', async () => {
  const empty = { ...file, path: join(folder, 'empty'), size: 0 };
  writeFileSync(empty.path, '');
  const get = (headers: Headers_) =>
    fileResponse(new Request('http://localhost/', { headers }), empty);
  const whole = get({});
  expect([whole.status, whole.headers.get('content-length'), await whole.text()]).toEqual([
    200,
    '0',
    '',
  ]);
  expect(get({ range: 'bytes=0-' }).status).toBe(416);
  expect(get({ range: 'bytes=-1' }).status).toBe(416);
});

test('active content types get a sandboxing Content-Security-Policy, passive ones do not', () => {
  const getPolicy = (type: string) =>
    fileResponse(new Request('http://localhost/'), { ...file, type }).headers.get(
      'content-security-policy',
    );
  for (const type of [
    'image/svg+xml',
    'text/html',
    'application/xhtml+xml',
    'application/pdf',
    'text/xml',
  ]) {
    expect(getPolicy(type)).toContain('sandbox');
  }
  for (const type of ['image/jpeg', 'video/mp4', 'audio/mpeg']) expect(getPolicy(type)).toBeNull();
});

describe('the name of a download', () => {
  const table: [fileName: string, header: string][] = [
    ['a.jpg', 'attachment; filename="a.jpg"'],
    ['Zürich.jpg', `attachment; filename="Z_rich.jpg"; filename*=UTF-8''Z%C3%BCrich.jpg`],
    ['a"b\\c.jpg', `attachment; filename="a_b_c.jpg"; filename*=UTF-8''a%22b%5Cc.jpg`],
    [
      'a\r\nset-cookie: x=1',
      `attachment; filename="a__set-cookie: x=1"; filename*=UTF-8''a%0D%0Aset-cookie%3A%20x%3D1`,
    ],
    ["it's (1)*.jpg", `attachment; filename="it's (1)*.jpg"`],
    ["ü's (1)*", `attachment; filename="_'s (1)*"; filename*=UTF-8''%C3%BC%27s%20%281%29%2A`],
    ['50%25.jpg', `attachment; filename="50_25.jpg"; filename*=UTF-8''50%2525.jpg`],
    ['\uD800.jpg', `attachment; filename="_.jpg"; filename*=UTF-8''%EF%BF%BD.jpg`],
  ];
  test.each(table)('%j', (fileName, header) => {
    expect(formatContentDisposition({ kind: 'attachment', fileName })).toBe(header);
    // A Headers object refuses what could break out of the line.
    expect(new Headers({ 'content-disposition': header }).get('content-disposition')).toBe(header);
  });
});

test('bytes in memory follow the same conditions', async () => {
  const reply = { bytes: Buffer.from(TEN), etag: '"b"', type: 'image/webp' };
  const get = (headers: Headers_, method = 'GET') =>
    bytesResponse(new Request('http://localhost/', { method, headers }), reply);
  expect(await get({}).text()).toBe(TEN);
  expect(get({ 'if-none-match': '"b"' }).status).toBe(304);
  const head = get({}, 'HEAD');
  expect([head.headers.get('content-length'), await head.text()]).toEqual(['10', '']);
});

test('a long body in memory is sent whole, again, and of a clone', async () => {
  const bytes = Buffer.alloc(200_000, 'x');
  const respond = (request: Request) => bytesResponse(request, { bytes, type: 'text/plain' });
  const long = await startListener({ host: '127.0.0.1', port: 0, log: silentLog, fetch: respond });
  const request = new Request('http://localhost/');
  for (const response of [respond(request), respond(request).clone(), await fetch(long.url)]) {
    expect(Buffer.from(await response.bytes()).equals(bytes)).toBe(true);
  }
  await long.stop(50);
});

test('an ETag can be compared before the body is made', () => {
  expect(matchesEtag('W/"a", "b"', '"b"')).toBe(true);
  expect(matchesEtag('"a"', 'W/"a"')).toBe(true);
  expect(matchesEtag('"c"', '"b"')).toBe(false);
  expect(matchesEtag(null, '"b"')).toBe(false);
});
