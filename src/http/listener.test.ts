import { afterEach, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLog, silentLog } from '../core/log.ts';
import { fileResponse } from './files.ts';
import {
  clientAddress,
  correlationIdOf,
  informational,
  type Listener,
  type ListenerOptions,
  startListener,
} from './listener.ts';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

type Fetch = ListenerOptions['fetch'];

async function listen(fetch: Fetch, over: Partial<ListenerOptions> = {}): Promise<Listener> {
  const listener = await startListener({
    fetch,
    host: '127.0.0.1',
    port: 0,
    log: silentLog,
    ...over,
  });
  cleanups.push(() => listener.stop(50));
  return listener;
}

/** A connection whose bytes the test writes and reads itself. */
function open({ port }: Listener) {
  const socket: Socket = connect(port, '127.0.0.1');
  let text = '';
  let closed = false;
  let wake = () => {};
  socket.on('data', (chunk) => {
    text += chunk.toString('latin1');
    wake();
  });
  socket.on('error', () => {});
  socket.on('close', () => {
    closed = true;
    wake();
  });
  cleanups.push(() => socket.destroy());
  return {
    socket,
    send: (bytes: string) => socket.write(bytes),
    text: () => text,
    async until(done: (text: string, closed: boolean) => boolean): Promise<string> {
      while (!done(text, closed)) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      return text;
    },
  };
}

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'listener-'));
  cleanups.push(() => rmSync(path, { recursive: true }));
  return path;
}

/** Memory of this process in MiB, after what can be freed is freed. */
function residentMiB(): number {
  Bun.gc(true);
  return process.memoryUsage.rss() / 1024 / 1024;
}

async function until(check: () => boolean): Promise<void> {
  while (!check()) await new Promise((resolve) => setImmediate(resolve));
}

test('a request reaches the application whole, and the answer the client', async () => {
  const { url } = await listen(async (request) => {
    expect(clientAddress(request)).toBe('127.0.0.1');
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

test('every answer carries a correlation id, the sane one of the client if it sent one', async () => {
  const { url } = await listen((request) => new Response(correlationIdOf(request)!));
  const own = await fetch(url);
  expect(own.headers.get('x-correlation-id')).toMatch(/^[\da-f-]{36}$/);
  expect(await own.text()).toBe(own.headers.get('x-correlation-id')!);
  const given = await fetch(url, { headers: { 'x-correlation-id': 'trace-0123456789' } });
  expect(given.headers.get('x-correlation-id')).toBe('trace-0123456789');
  const silly = await fetch(url, { headers: { 'x-correlation-id': '<script>alert(1)' } });
  expect(silly.headers.get('x-correlation-id')).toMatch(/^[\da-f-]{36}$/);
});

test('HEAD answers the headers of GET and no body', async () => {
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

test('requests sent at once on one connection are answered in order', async () => {
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

test('an error before the answer is a 500 in JSON that tells nothing, and a log line that tells all', async () => {
  const lines: string[] = [];
  const log = createLog({ level: 'info', format: 'json', write: (line) => void lines.push(line) });
  const { url } = await listen(() => Promise.reject(new Error('secret detail')), { log });
  const response = await fetch(`${url}/api/x?apiKey=hidden`, {
    headers: { 'x-correlation-id': 'trace-0123456789' },
  });
  expect(response.status).toBe(500);
  expect(await response.json()).toEqual({ message: 'Internal server error', statusCode: 500 });
  await until(() => lines.length === 2);
  const [failure, request] = lines.map((line) => JSON.parse(line));
  expect(failure).toMatchObject({
    level: 'error',
    correlationId: 'trace-0123456789',
    path: '/api/x',
  });
  expect(failure.error).toContain('secret detail');
  expect(request).toMatchObject({
    level: 'info',
    message: 'request',
    method: 'GET',
    path: '/api/x',
    status: 500,
    correlationId: 'trace-0123456789',
  });
  expect(lines.join('')).not.toContain('hidden');
});

test('an error in the middle of an answer cuts the connection', async () => {
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

test('bytes that are no HTTP get a 400, a host that is none too', async () => {
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

test('a head that does not end is refused after a while', async () => {
  const listener = await listen(() => new Response('never'), { limits: { headersTimeoutMs: 100 } });
  const peer = open(listener);
  peer.send('GET / HTTP/1.1\r\nhost: x\r\nx-slow: ');
  expect(await peer.until((_, closed) => closed)).toStartWith('HTTP/1.1 408');
});

test('events are sent as they come', async () => {
  let feed: ReadableStreamDefaultController<Uint8Array> | undefined;
  const { url } = await listen(
    () =>
      new Response(
        new ReadableStream<Uint8Array>({ start: (controller) => void (feed = controller) }),
        {
          headers: { 'content-type': 'text/event-stream' },
        },
      ),
  );
  // The head comes before the first event.
  const response = await fetch(url);
  const reader = response.body!.getReader();
  for (const event of ['data: 1\n\n', 'data: 2\n\n']) {
    feed!.enqueue(new TextEncoder().encode(event));
    expect(new TextDecoder().decode((await reader.read()).value)).toBe(event);
  }
  feed!.close();
  expect((await reader.read()).done).toBe(true);
});

test('an upload of any length passes without being kept in memory', async () => {
  const { url } = await listen(async (request) => {
    let length = 0;
    const hash = new Bun.CryptoHasher('sha1');
    for await (const chunk of request.body!) {
      length += chunk.length;
      hash.update(chunk);
    }
    return Response.json({ length, sha1: hash.digest('hex') });
  });
  const chunk = crypto.getRandomValues(new Uint8Array(65_536));
  const chunks = 4096;
  const hash = new Bun.CryptoHasher('sha1');
  const before = residentMiB();
  let sent = 0;
  const response = await fetch(url, {
    method: 'POST',
    body: new ReadableStream({
      pull(controller) {
        if (sent++ === chunks) return controller.close();
        hash.update(chunk);
        controller.enqueue(chunk);
      },
    }),
  });
  expect(await response.json()).toEqual({
    length: chunk.length * chunks,
    sha1: hash.digest('hex'),
  });
  expect(residentMiB() - before).toBeLessThan(120);
});

test('a reader that is slow holds the upload back', async () => {
  let go = () => {};
  const started = new Promise<void>((resolve) => {
    go = resolve;
  });
  let seen = 0;
  const listener = await listen(async (request) => {
    const reader = request.body!.getReader();
    seen += (await reader.read()).value!.length;
    await started;
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return new Response(String(seen));
      seen += value.length;
    }
  });
  const total = 64 * 1024 * 1024;
  let written = 0;
  const request = httpRequest(listener.url, {
    method: 'POST',
    headers: { 'content-length': total },
  });
  const block = Buffer.alloc(1024 * 1024);
  const answer = new Promise<string>((resolve, reject) => {
    request.on('error', reject);
    request.on('response', (response) => response.on('data', (text) => resolve(String(text))));
  });
  while (written < total) {
    written += block.length;
    if (request.write(block)) continue;
    const drained = await Promise.race([
      new Promise<boolean>((resolve) => request.once('drain', () => resolve(true))),
      Bun.sleep(300).then(() => false),
    ]);
    if (!drained) break;
  }
  // What the kernel and both ends buffer, but not the upload.
  expect(written).toBeLessThan(total / 2);
  go();
  while (written < total) {
    written += block.length;
    if (!request.write(block)) await new Promise((resolve) => request.once('drain', resolve));
  }
  request.end();
  expect(await answer).toBe(String(total));
});

test('a client that drops its upload: the reader gets every byte, then an error, and the signal fires', async () => {
  const outcome = Promise.withResolvers<{ seen: number; error: unknown; aborted: boolean }>();
  const listener = await listen(async (request) => {
    let seen = 0;
    const aborted = new Promise<boolean>((resolve) => {
      request.signal.addEventListener('abort', () => resolve(true));
    });
    try {
      for await (const chunk of request.body!) seen += chunk.length;
    } catch (error) {
      outcome.resolve({ seen, error, aborted: await aborted });
    }
    return new Response('late');
  });
  const peer = open(listener);
  peer.send(`POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 1000\r\n\r\n${'x'.repeat(123)}`);
  await Bun.sleep(20);
  peer.socket.destroy();
  const { seen, error, aborted } = await outcome.promise;
  expect(seen).toBe(123);
  expect(error).toBeInstanceOf(Error);
  expect(aborted).toBe(true);
});

test('a client that drops its download ends the stream behind it', async () => {
  const cancelled = Promise.withResolvers<void>();
  const listener = await listen(
    () =>
      new Response(
        new ReadableStream({
          async pull(controller) {
            controller.enqueue(new Uint8Array(65_536));
            await Bun.sleep(1);
          },
          cancel: () => cancelled.resolve(),
        }),
      ),
  );
  const peer = open(listener);
  peer.send('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
  await peer.until((text) => text.length > 100_000);
  peer.socket.destroy();
  await cancelled.promise;
});

test('dropped downloads of files leave no file open', async () => {
  const path = join(folder(), 'large');
  writeFileSync(path, new Uint8Array(8 * 1024 * 1024));
  const listener = await listen((request) =>
    fileResponse(request, { path, size: 8 * 1024 * 1024, type: 'video/mp4' }),
  );
  const openFiles = () =>
    Bun.spawnSync(['ls', '-l', `/proc/${process.pid}/fd`])
      .stdout.toString()
      .split(path).length - 1;
  for (let i = 0; i < 10; i++) {
    const peer = open(listener);
    peer.send('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
    await peer.until((text) => text.length > 50_000);
    peer.socket.destroy();
  }
  await until(() => openFiles() === 0);
});

test('a client that does not read holds the download back, and is cut off in the end', async () => {
  let made = 0;
  const cut = Promise.withResolvers<void>();
  const listener = await listen(
    (request) => {
      request.signal.addEventListener('abort', () => cut.resolve());
      return new Response(
        new ReadableStream({
          async pull(controller) {
            await Promise.resolve();
            made += 65_536;
            controller.enqueue(new Uint8Array(65_536));
          },
        }),
      );
    },
    { limits: { idleTimeoutMs: 200 } },
  );
  // Another process: only there does nobody read what the kernel has received.
  const peer = Bun.spawn([
    'bash',
    '-c',
    `exec 3<>/dev/tcp/127.0.0.1/${listener.port}; printf 'GET / HTTP/1.1\\r\\nhost: x\\r\\n\\r\\n' >&3; exec sleep 60`,
  ]);
  cleanups.push(() => peer.kill());
  await cut.promise;
  expect(made).toBeGreaterThan(0);
  expect(made).toBeLessThan(64 * 1024 * 1024);
});

test('an upload that stands still is cut off, one whose reader is slow is not', async () => {
  const listener = await listen(
    async (request) => {
      if (request.url.endsWith('/slow')) await Bun.sleep(500);
      return new Response(`got ${(await request.bytes()).length}`);
    },
    { limits: { idleTimeoutMs: 150 } },
  );
  const still = open(listener);
  still.send('POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\n\r\nabc');
  const slow = open(listener);
  slow.send('POST /slow HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\n\r\nabcde');
  expect(await still.until((_, closed) => closed)).toBe('');
  expect(await slow.until((text) => text.includes('got'))).toContain('got 5');
});

test('an upload that is refused can read why', async () => {
  const listener = await listen(() => Response.json({ message: 'No' }, { status: 401 }));
  const response = await fetch(listener.url, {
    method: 'POST',
    body: new Uint8Array(8 * 1024 * 1024),
  });
  expect(response.status).toBe(401);
  expect(await response.json()).toEqual({ message: 'No' });
});

test('100 Continue is sent when the body is read, not before', async () => {
  const listener = await listen(async (request) =>
    request.url.endsWith('/no')
      ? new Response('refused', { status: 403 })
      : new Response(`got ${await request.text()}`),
  );
  const head = 'HTTP/1.1\r\nhost: x\r\ncontent-length: 3\r\nexpect: 100-continue\r\n\r\n';
  const taken = open(listener);
  taken.send(`POST /yes ${head}`);
  expect(await taken.until((text) => text !== '')).toStartWith('HTTP/1.1 100 Continue');
  taken.send('abc');
  expect(await taken.until((text) => text.includes('got'))).toContain('got abc');
  const refused = open(listener);
  refused.send(`POST /no ${head}`);
  const text = await refused.until((_, closed) => closed);
  expect(text).toStartWith('HTTP/1.1 403');
  expect(text).not.toContain('100 Continue');
});

test('a JSON body above the limit is refused, with a length or without', async () => {
  const { url } = await listen(async (request) => Response.json(await request.json()), {
    limits: { maxBodyBytes: 1000 },
  });
  const body = JSON.stringify('x'.repeat(5000));
  const headers = { 'content-type': 'application/json' };
  const known = await fetch(url, { method: 'POST', headers, body });
  expect(known.status).toBe(413);
  expect(await known.json()).toEqual({ message: 'The request body is too large', statusCode: 413 });
  const chunked = await fetch(url, { method: 'POST', headers, body: new Blob([body]).stream() });
  expect(chunked.status).toBe(413);
  const small = await fetch(url, { method: 'POST', headers, body: '{"a":1}' });
  expect(await small.json()).toEqual({ a: 1 });
});

test('an interim answer goes out before the final one', async () => {
  const listener = await listen(async (request) => {
    expect(informational(request, 104, { 'upload-offset': '0' })).toBe(true);
    return new Response('done', { status: 201 });
  });
  const peer = open(listener);
  peer.send('POST / HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: 0\r\n\r\n');
  const text = await peer.until((_, closed) => closed);
  expect(text).toMatch(/^HTTP\/1.1 104 .*\r\nupload-offset: 0\r\n\r\nHTTP\/1.1 201/i);
  const old = open(listener);
  old.send('POST / HTTP/1.0\r\nhost: x\r\ncontent-length: 0\r\n\r\n');
  expect(await old.until((_, closed) => closed)).toStartWith('HTTP/1.1 500');
  expect(informational(new Request('http://localhost/'), 104, {})).toBe(false);
});

test('text is compressed for who asks, its tag becomes weak; events, images and short texts are not', async () => {
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

test('a file that is gone is a 404, one that is too short is never sent as if it were whole', async () => {
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
    expect(await gone.json()).toEqual({ message: 'Not found', statusCode: 404 });
    writeFileSync(path, 'abc');
    expect((await fetch(`${listener.url}/?size=${size}`)).status).toBe(500);
  }
});

test('the log is quiet about what pages and monitors ask all day, and hides share keys', async () => {
  const lines: string[] = [];
  const log = createLog({ level: 'debug', format: 'json', write: (line) => void lines.push(line) });
  const { url } = await listen(() => new Response('ok'), { log });
  const paths = [
    '/api/server/ping',
    '/assets/app.js',
    '/api/assets/1/thumbnail?size=preview',
    '/share/geheim',
    '/api/albums?key=geheim',
  ];
  for (const path of paths) await fetch(`${url}${path}`);
  await until(() => lines.length === paths.length);
  expect(
    lines.map((line) => JSON.parse(line)).map(({ level, path }) => `${level} ${path}`),
  ).toEqual([
    'debug /api/server/ping',
    'debug /assets/app.js',
    'debug /api/assets/1/thumbnail',
    'debug /share/…',
    'info /api/albums',
  ]);
  expect(lines.join('')).not.toContain('geheim');
});
