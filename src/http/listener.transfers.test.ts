import { expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { join } from 'node:path';
import { setUpListeners, until } from '../../test/support/listener.ts';
import { formatHead, openConnection, sendBeyondAnswer } from '../../test/support/wire.ts';
import { fileResponse } from './files.ts';

const { after, folder, listen, open } = setUpListeners();

/** Memory of this process in MiB, after what can be freed is freed. */
function residentMiB(): number {
  Bun.gc(true);
  return process.memoryUsage.rss() / 1024 / 1024;
}

test('events are sent without buffering', async () => {
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

test('an upload of any length is streamed without buffering it', async () => {
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

test('a slow reader holds the upload back', async () => {
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
  // The kernel and both ends buffer a part, but not the whole upload.
  expect(written).toBeLessThan(total / 2);
  go();
  while (written < total) {
    written += block.length;
    if (!request.write(block)) await new Promise((resolve) => request.once('drain', resolve));
  }
  request.end();
  expect(await answer).toBe(String(total));
});

test('an aborted upload gives the reader every byte, then an error, and aborts the signal', async () => {
  const outcome = Promise.withResolvers<{ seen: number; error: unknown; aborted: boolean }>();
  const received = Promise.withResolvers<void>();
  const listener = await listen(async (request) => {
    let seen = 0;
    const aborted = new Promise<boolean>((resolve) => {
      request.signal.addEventListener('abort', () => resolve(true));
    });
    try {
      for await (const chunk of request.body!) {
        seen += chunk.length;
        if (seen === 123) received.resolve();
      }
    } catch (error) {
      outcome.resolve({ seen, error, aborted: await aborted });
    }
    return new Response('late');
  });
  const peer = open(listener);
  peer.send(`POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 1000\r\n\r\n${'x'.repeat(123)}`);
  await received.promise;
  peer.socket.destroy();
  const { seen, error, aborted } = await outcome.promise;
  expect(seen).toBe(123);
  expect(error).toBeInstanceOf(Error);
  expect(aborted).toBe(true);
});

test('an aborted download cancels the stream of its body', async () => {
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

test('aborted downloads leave no file open', async () => {
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

test('a client that does not read holds the download back, and is disconnected after a timeout', async () => {
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
  after(() => peer.kill());
  await cut.promise;
  expect(made).toBeGreaterThan(0);
  expect(made).toBeLessThan(64 * 1024 * 1024);
});

test('a stalled upload is disconnected, one with a slow reader is not', async () => {
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

test('a refused upload receives the response', async () => {
  const listener = await listen(() => Response.json({ message: 'No' }, { status: 401 }));
  const response = await fetch(listener.url, {
    method: 'POST',
    body: new Uint8Array(8 * 1024 * 1024),
  });
  expect(response.status).toBe(401);
  expect(await response.json()).toEqual({ message: 'No' });
});

// nginx asks like this; a reset would become its own "502 Bad Gateway".
test('a refused body is read to its end before a connection that is used once is closed', async () => {
  const answers: Readonly<Record<string, () => Response>> = {
    json: () => Response.json({ message: 'No' }, { status: 409 }),
    nothing: () => new Response(null, { status: 204 }),
    stream: () =>
      new Response(
        new ReadableStream({
          async pull(controller) {
            await Bun.sleep(20);
            controller.enqueue(Buffer.from('slow'));
            controller.close();
          },
        }),
      ),
  };
  const { port } = await listen(async (request) => {
    await request.body?.getReader().read();
    return answers[new URL(request.url).pathname.slice(1)]!();
  });
  const [piece, pieces] = [Buffer.alloc(100_000), 20];
  const headers = { connection: 'close', 'content-length': piece.length * pieces };
  for (const [name, method, version] of [
    ['json', 'PATCH', 'HTTP/1.0'],
    ['json', 'POST', 'HTTP/1.1'],
    ['json', 'GET', 'HTTP/1.1'],
    ['nothing', 'POST', 'HTTP/1.1'],
    ['stream', 'POST', 'HTTP/1.1'],
  ] as const) {
    const wire = await openConnection(port);
    const head = formatHead(`${method} /${name}`, headers, version);
    const text = await sendBeyondAnswer(wire, head, piece, pieces);
    expect(text).toStartWith(`HTTP/1.1 ${name === 'nothing' ? 204 : name === 'json' ? 409 : 200}`);
    if (name !== 'nothing') expect(text).toContain(name === 'json' ? '{"message":"No"}' : 'slow');
  }
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
