import { afterAll, afterEach, beforeEach, expect, setDefaultTimeout, test } from 'bun:test';
import { closeSync, mkdtempSync, rmSync } from 'node:fs';
import { createConnection } from 'node:net';
import { join } from 'node:path';
import { silentLog } from '../../src/core/log.ts';
import { toSocketName } from '../../src/front.ts';
import { startListener } from '../../src/http/listener.ts';
import { copyListeningSocket } from '../../src/http/listening-socket.ts';
import { addDatabase } from '../fixtures/data-folder.ts';
import { createMemoryFolder } from '../support/memory-folder.ts';
import { getProgram } from '../support/program.ts';
import { until } from '../support/until.ts';
import { plainEnvironment } from '../e2e/server.ts';

// A service that starts again: its manager keeps the listening socket (FileDescriptorStoreMax of systemd).

setDefaultTimeout(300_000);

const folder = createMemoryFolder('restart-');
const HOST = '127.0.0.1';
let dataDir: string;
let port: number;
let socket: number;
let servers: Bun.Subprocess[] = [];
beforeEach(async () => {
  dataDir = join(mkdtempSync(join(folder, 'place-')), 'data');
  await addDatabase(dataDir);
  const fetch = () => new Response();
  const listener = await startListener({ fetch, host: HOST, port: 0, log: silentLog });
  ({ port } = listener);
  socket = copyListeningSocket(port);
  await listener.stop(0);
});
afterEach(async () => {
  closeSync(socket);
  for (const child of servers) {
    child.kill('SIGKILL');
    await child.exited;
  }
  servers = [];
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** As systemd starts it: with the socket as file descriptor 3. */
function spawn(): Bun.Subprocess {
  const flags = ['--data', dataDir, '--host', HOST, '--port', String(port)];
  const env = {
    ...plainEnvironment(),
    LISTEN_FDS: '1',
    LISTEN_FDNAMES: toSocketName({ host: HOST, port }),
  };
  const command = ['sh', '-c', 'LISTEN_PID=$$ exec "$@"', 'sh', ...getProgram(), 'serve', ...flags];
  const child = Bun.spawn(command, { env, stdio: ['ignore', 'ignore', 'ignore', socket] });
  servers.push(child);
  return child;
}

const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(`http://${HOST}:${port}${path}`, { headers: { connection: 'close', ...headers } });
const isServing = async () => (await get('/api/server/ready')).status === 200;

test('no connection is refused while the server stops, is killed and starts, and until it serves it says so', async () => {
  const first = spawn();
  // Sent before anything listens to it.
  const page = await get('/photos', { accept: 'text/html', 'accept-language': 'de-AT,en' });
  expect([page.status, page.headers.get('retry-after')]).toEqual([503, '2']);
  const html = await page.text();
  expect(html).toContain('Der Server startet');
  expect(html).toContain('http-equiv="refresh"');
  const early = await get('/api/server/ping');
  expect([early.status, await early.json()]).toEqual([503, { message: 'The server is starting' }]);
  await until(isServing, 120_000);

  const stopped = new AbortController();
  const counts = { refused: 0, cut: 0, answered: 0, longestMs: 0 };
  const polling = poll(counts, stopped.signal);
  first.kill('SIGTERM');
  await first.exited;
  const second = spawn();
  await until(isServing, 120_000);
  second.kill('SIGKILL');
  await second.exited;
  spawn();
  await until(isServing, 120_000);
  stopped.abort();
  await polling;
  expect(counts.refused).toBe(0);
  expect(counts.answered).toBeGreaterThan(10);
});

/** Connects again and again, and counts what came of it. */
async function poll(
  counts: { refused: number; cut: number; answered: number; longestMs: number },
  stopped: AbortSignal,
): Promise<void> {
  while (!stopped.aborted) {
    const from = performance.now();
    counts[await connectOnce()] += 1;
    counts.longestMs = Math.max(counts.longestMs, Math.round(performance.now() - from));
    await Bun.sleep(20);
  }
}

const connectOnce = () =>
  new Promise<'refused' | 'cut' | 'answered'>((resolve) => {
    const connection = createConnection({ host: HOST, port });
    connection.on('connect', () => {
      connection.write(
        `GET /api/server/ping HTTP/1.1\r\nhost: ${HOST}\r\nconnection: close\r\n\r\n`,
      );
    });
    connection.on('data', () => {
      connection.destroy();
      resolve('answered');
    });
    connection.on('error', ({ code }: NodeJS.ErrnoException) =>
      resolve(code === 'ECONNREFUSED' ? 'refused' : 'cut'),
    );
    connection.on('close', () => resolve('cut'));
  });
