import { expect, test } from 'bun:test';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setUpListeners, until } from '../../test/support/listener.ts';
import { getCorrelationId } from '../core/correlation.ts';
import { createLog } from '../core/log.ts';
import { fileResponse } from './files.ts';
import { findClientAddress, sendInformational } from './listener.ts';

const { folder, listen, open } = setUpListeners();

test('requests and responses are passed on completely', async () => {
  const { url } = await listen(async (request) => {
    expect(findClientAddress(request)).toBe('127.0.0.1');
    return Response.json(
      {
        method: request.method,
        url: new URL(request.url).pathname + new URL(request.url).search,
        twice: request.headers.get('x-twice'),
        body: await request.text(),
      },
      {
        status: 201,
        headers: [
          ['set-cookie', 'a=1'],
          ['set-cookie', 'b=2'],
          ['x-own', 'yes'],
        ],
      },
    );
  });
  const response = await fetch(`${url}/a/b?c=d&c=e`, {
    method: 'PUT',
    headers: [
      ['x-twice', '1'],
      ['x-twice', '2'],
    ],
    body: 'text',
  });
  expect(response.status).toBe(201);
  expect(response.headers.getSetCookie()).toEqual(['a=1', 'b=2']);
  expect(response.headers.get('x-own')).toBe('yes');
  expect(await response.json()).toEqual({
    method: 'PUT',
    url: '/a/b?c=d&c=e',
    twice: '1, 2',
    body: 'text',
  });
});

test('every response has a correlation id, that of the client if it is valid', async () => {
  const { url } = await listen(() => new Response(getCorrelationId()));
  const own = await fetch(url);
  expect(own.headers.get('x-correlation-id')).toMatch(/^[\da-f-]{36}$/);
  expect(await own.text()).toBe(own.headers.get('x-correlation-id')!);
  const given = await fetch(url, { headers: { 'x-correlation-id': 'trace-0123456789' } });
  expect(given.headers.get('x-correlation-id')).toBe('trace-0123456789');
  const silly = await fetch(url, { headers: { 'x-correlation-id': '<script>alert(1)' } });
  expect(silly.headers.get('x-correlation-id')).toMatch(/^[\da-f-]{36}$/);
});

test('HEAD returns the headers of GET without a body', async () => {
  let cancelled = false;
  const listener = await listen((request) =>
    request.url.endsWith('/stream')
      ? new Response(new ReadableStream({ cancel: () => void (cancelled = true) }))
      : Response.json({ some: 'body' }),
  );
  const peer = open(listener);
  peer.send(
    'HEAD / HTTP/1.1\r\nhost: x\r\n\r\nHEAD /stream HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n',
  );
  const text = await peer.until((_, closed) => closed);
  expect(text.match(/HTTP\/1.1 200/g)).toHaveLength(2);
  expect(text).toContain('application/json');
  expect(text).not.toContain('body');
  expect(cancelled).toBe(true);
});

test('pipelined requests are answered in order', async () => {
  const listener = await listen(async (request) => {
    const { pathname } = new URL(request.url);
    if (pathname === '/slow') await Bun.sleep(30);
    return new Response(pathname);
  });
  const peer = open(listener);
  for (const path of ['/slow', '/fast', '/last'])
    peer.send(`GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`);
  const text = await peer.until((seen) => seen.includes('/last'));
  expect(text.match(/\/(slow|fast|last)/g)).toEqual(['/slow', '/fast', '/last']);
});

test('an error before the response gives a 500 without details, and a log line with them', async () => {
  const lines: string[] = [];
  const log = createLog({ level: 'info', format: 'json', write: (line) => void lines.push(line) });
  const { url } = await listen(() => Promise.reject(new Error('secret detail')), { log });
  const response = await fetch(`${url}/api/x?apiKey=hidden`, {
    headers: { 'x-correlation-id': 'trace-0123456789' },
  });
  expect(response.status).toBe(500);
  expect(await response.json()).toEqual({ message: 'Internal server error' });
  await until(() => lines.length === 2);
  const [failure, request] = lines.map((line) => JSON.parse(line));
  expect(failure).toMatchObject({
    level: 'error',
    correlationId: 'trace-0123456789',
    path: '/api/x',
  });
  expect(failure.error).toContain('secret detail');
  expect(request).toMatchObject({
    level: 'error',
    message: 'request ended with a server error',
    method: 'GET',
    path: '/api/x',
    status: 500,
    correlationId: 'trace-0123456789',
  });
  expect(lines.join('')).not.toContain('hidden');
});

test('an error during the response closes the connection', async () => {
  const listener = await listen(
    () =>
      new Response(
        new ReadableStream({
          async pull(controller) {
            controller.enqueue(new TextEncoder().encode('first'));
            await Bun.sleep(5);
            controller.error(new Error('broken'));
          },
        }),
      ),
  );
  const peer = open(listener);
  peer.send('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
  const text = await peer.until((_, closed) => closed);
  expect(text).toContain('first');
  // The closing chunk would say that the body is complete.
  expect(text).not.toContain('\r\n0\r\n');
});

test('invalid HTTP and an invalid Host get 400', async () => {
  const listener = await listen(() => new Response('never'));
  for (const bytes of [
    'BLAH\r\n\r\n',
    'GET / HTTP/1.1\r\nhost: a b:c\r\nconnection: close\r\n\r\n',
  ]) {
    const peer = open(listener);
    peer.send(bytes);
    const text = await peer.until((_, closed) => closed);
    expect(text).toStartWith('HTTP/1.1 400');
    expect(text.toLowerCase()).toContain('x-correlation-id: ');
    expect(text).toContain('{"message":"Bad request"}'.slice(0, 12));
  }
});

test('a head that is too long gets 431, in one field or in many', async () => {
  const listener = await listen(() => new Response('never'));
  const field = `x-a: ${'a'.repeat(90)}\r\n`;
  for (const head of [`x-a: ${'a'.repeat(70_000)}\r\n`, field.repeat(1000)]) {
    const peer = open(listener);
    peer.send(`GET / HTTP/1.1\r\nhost: a\r\n${head}\r\n`);
    const text = await peer.until((_, closed) => closed);
    expect(text).toStartWith('HTTP/1.1 431 Request Header Fields Too Large');
    expect(text).toContain('"message":"Request Header Fields Too Large"');
  }
});

test('an unfinished head is refused after a timeout', async () => {
  const listener = await listen(() => new Response('never'), { limits: { headersTimeoutMs: 100 } });
  const peer = open(listener);
  peer.send('GET / HTTP/1.1\r\nhost: x\r\nx-slow: ');
  expect(await peer.until((_, closed) => closed)).toStartWith('HTTP/1.1 408');
});

test('a JSON body above the limit is refused, with a length or without', async () => {
  const { url } = await listen(async (request) => Response.json(await request.json()), {
    limits: { maxBodyBytes: 1000 },
  });
  const body = JSON.stringify('x'.repeat(5000));
  const headers = { 'content-type': 'application/json' };
  const known = await fetch(url, { method: 'POST', headers, body });
  expect(known.status).toBe(413);
  expect(await known.json()).toEqual({ message: 'The request body is too large' });
  const chunked = await fetch(url, { method: 'POST', headers, body: new Blob([body]).stream() });
  expect(chunked.status).toBe(413);
  const small = await fetch(url, { method: 'POST', headers, body: '{"a":1}' });
  expect(await small.json()).toEqual({ a: 1 });
});

test('an interim response is sent before the final one', async () => {
  const listener = await listen(async (request) => {
    expect(sendInformational(request, 104, { 'upload-offset': '0' })).toBe(true);
    return new Response('done', { status: 201 });
  });
  const peer = open(listener);
  peer.send('POST / HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: 0\r\n\r\n');
  const text = await peer.until((_, closed) => closed);
  expect(text).toMatch(/^HTTP\/1.1 104 .*\r\nupload-offset: 0\r\n\r\nHTTP\/1.1 201/i);
  const old = open(listener);
  old.send('POST / HTTP/1.0\r\nhost: x\r\ncontent-length: 0\r\n\r\n');
  expect(await old.until((_, closed) => closed)).toStartWith('HTTP/1.1 500');
  expect(sendInformational(new Request('http://localhost/'), 104, {})).toBe(false);
});

test('compresses text on request with a weak ETag, but no events, images and short texts', async () => {
  const long = JSON.stringify({ text: 'abc '.repeat(2000) });
  const { url } = await listen((request) => {
    const { pathname } = new URL(request.url);
    const type = pathname === '/image' ? 'image/webp' : 'application/json';
    return new Response(pathname === '/short' ? '{}' : long, {
      headers: { 'content-type': type, etag: '"strong"' },
    });
  });
  const get = (path: string, encodings: string) =>
    fetch(`${url}${path}`, { headers: { 'accept-encoding': encodings }, decompress: false });
  for (const encoding of ['zstd', 'gzip']) {
    const response = await get('/', `br, ${encoding}`);
    expect(response.headers.get('content-encoding')).toBe(encoding);
    expect(response.headers.get('vary')).toBe('accept-encoding');
    expect(response.headers.get('etag')).toBe('W/"strong"');
    const bytes = await response.bytes();
    expect(Number(response.headers.get('content-length'))).toBe(bytes.length);
    const plain = encoding === 'zstd' ? Bun.zstdDecompressSync(bytes) : Bun.gunzipSync(bytes);
    expect(Buffer.from(plain).toString()).toBe(long);
  }
  for (const [path, encodings] of [
    ['/', 'identity'],
    ['/', 'gzip;q=0'],
    ['/image', 'gzip'],
    ['/short', 'gzip'],
  ]) {
    const response = await get(path!, encodings!);
    expect(response.headers.has('content-encoding')).toBe(false);
    expect(response.headers.get('etag')).toBe('"strong"');
  }
});

test('a large text is sent in one piece, compressed or not', async () => {
  const long = JSON.stringify(Array.from({ length: 100_000 }, (_, i) => ({ i })));
  const { url } = await listen(
    () => new Response(long, { headers: { 'content-type': 'application/json' } }),
  );
  for (const encoding of ['identity', 'gzip', 'zstd']) {
    const response = await fetch(url, { headers: { 'accept-encoding': encoding } });
    expect(response.headers.get('content-length')).not.toBeNull();
    expect(await response.text()).toBe(long);
  }
});

test('a missing, truncated or irregular file gives 404', async () => {
  const path = join(folder(), 'file');
  const listener = await listen((request) =>
    fileResponse(request, {
      path,
      size: Number(new URL(request.url).searchParams.get('size')),
      type: 'image/webp',
    }),
  );
  for (const size of [10, 1_000_000]) {
    rmSync(path, { force: true });
    const gone = await fetch(`${listener.url}/?size=${size}`);
    expect(gone.status).toBe(404);
    expect(await gone.json()).toEqual({ message: 'Not found' });
    writeFileSync(path, 'abc');
    expect((await fetch(`${listener.url}/?size=${size}`)).status).toBe(404);
    rmSync(path);
    mkdirSync(path);
    expect((await fetch(`${listener.url}/?size=${size}`)).status).toBe(404);
    rmSync(path, { recursive: true });
  }
});
