import { expect, test } from 'bun:test';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { Agent, request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLog } from '../core/log.ts';
import { sendInformational, type ListenerOptions, startListener } from './listener.ts';
import { createSeededRandom } from '../../test/support/effort.ts';

const listen = (fetch: ListenerOptions['fetch'], over: Partial<ListenerOptions> = {}) =>
  startListener({ fetch, host: '127.0.0.1', port: 0, log: silentLog, ...over });

type Outcome = 'answered' | 'refused' | 'dropped';

/** One request over a connection that is kept: `refused` means that it never reached anybody. */
const ask = (port: number, agent: Agent) =>
  new Promise<Outcome>((resolve) => {
    const request = httpRequest({ port, host: '127.0.0.1', agent }, (response) => {
      let text = '';
      response.on('data', (chunk: Buffer) => {
        text += chunk.toString();
      });
      response.on('end', () => resolve(text === 'whole answer' ? 'answered' : 'dropped'));
      response.on('error', () => resolve('dropped'));
    });
    request.on('error', (error: NodeJS.ErrnoException) => {
      resolve(error.code === 'ECONNREFUSED' ? 'refused' : 'dropped');
    });
    request.end();
  });

const random = createSeededRandom('stop');

test('a stop under load drops no request', async () => {
  for (let round = 0; round < 3; round++) {
    const listener = await listen(async () => {
      await Bun.sleep(random.below(8));
      return new Response('whole answer');
    });
    const counts: Record<Outcome, number> = { answered: 0, refused: 0, dropped: 0 };
    const clients = Array.from({ length: 12 }, async (_, index) => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      for (;;) {
        const outcome = await ask(listener.port, agent);
        counts[outcome] += 1;
        if (outcome !== 'answered') break;
        // Some pause between two requests: theirs are the connections that look idle.
        if (index % 3 === 0) await Bun.sleep(random.below(40));
      }
      agent.destroy();
    });
    while (counts.answered < 150) await Bun.sleep(5);
    expect(await listener.stop(60_000)).toBe('clean');
    await Promise.all(clients);
    expect(counts.dropped).toBe(0);
    expect(counts.refused).toBe(12);
  }
});

test('a stop waits for running requests, sends Connection: close, and closes idle connections', async () => {
  const gate = Promise.withResolvers<void>();
  const entered = Promise.withResolvers<void>();
  const listener = await listen(async (request) => {
    if (request.url.endsWith('/idle')) return new Response('short');
    entered.resolve();
    await gate.promise;
    return new Response('whole answer');
  });
  const idle = connect(listener.port, '127.0.0.1');
  const idleClosed = new Promise<void>((resolve) => idle.on('close', () => resolve()));
  idle.write('GET /idle HTTP/1.1\r\nhost: x\r\n\r\n');
  await new Promise((resolve) => idle.once('data', resolve));
  const answer = fetch(listener.url);
  await entered.promise;
  let stopped = false;
  const stopping = listener.stop(60_000).then((how) => {
    stopped = true;
    return how;
  });
  await Bun.sleep(700);
  expect(stopped).toBe(false);
  gate.resolve();
  const response = await answer;
  expect(response.headers.get('connection')).toBe('close');
  expect(await response.text()).toBe('whole answer');
  expect(await stopping).toBe('clean');
  await idleClosed;
});

test('a stop aborts requests that exceed the grace, and reports it', async () => {
  const entered = Promise.withResolvers<void>();
  const listener = await listen((request) => {
    entered.resolve();
    const hung = Promise.withResolvers<Response>();
    request.signal.addEventListener('abort', () => hung.resolve(new Response('late')));
    return hung.promise;
  });
  const answer = fetch(listener.url).then(
    () => 'answered',
    () => 'cut',
  );
  await entered.promise;
  expect(await listener.stop(100)).toBe('forced');
  expect(await answer).toBe('cut');
});

test('a port in use is an error', async () => {
  const first = await listen(() => new Response());
  const second = listen(() => new Response(), { port: first.port });
  await expect(second).rejects.toThrow(/EADDRINUSE|in use/i);
  await first.stop(50);
});

test('the same over TLS, interim answers included', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'listener-tls-'));
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const made = Bun.spawnSync(
    `openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 1
     -subj /CN=localhost -addext subjectAltName=DNS:localhost -keyout ${key} -out ${cert}`.split(
      /\s+/,
    ),
  );
  expect(made.exitCode).toBe(0);
  const tls = { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') };
  rmSync(folder, { recursive: true });
  const listener = await listen(
    async (request) => {
      const interim = sendInformational(request, 104, { 'upload-offset': '0' });
      return Response.json({
        interim,
        scheme: new URL(request.url).protocol,
        text: await request.text(),
      });
    },
    { tls },
  );
  expect(listener.url).toStartWith('https://');
  const url = `https://localhost:${listener.port}`;
  const response = await fetch(url, { method: 'POST', body: 'secret', tls: { ca: tls.cert } });
  expect(await response.json()).toEqual({ interim: true, scheme: 'https:', text: 'secret' });
  const large = await fetch(url, {
    method: 'POST',
    body: 'x'.repeat(3_000_000),
    tls: { ca: tls.cert },
  });
  expect(((await large.json()) as { text: string }).text).toHaveLength(3_000_000);
  expect(await listener.stop(2000)).toBe('clean');
});
