import { expect, test } from 'bun:test';
import { setUpListeners, until } from '../../test/support/listener.ts';
import { createLog } from '../core/log.ts';

const { listen } = setUpListeners();

test('requests are logged for debugging, without keys', async () => {
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
    'debug /api/albums',
  ]);
  expect(lines.join('')).not.toContain('geheim');
});

test('a request that failed is an error, a slow one a warning; the time of the client does not count', async () => {
  const lines: { path: string; level: string; message: string }[] = [];
  const write = (line: string) => void lines.push(JSON.parse(line));
  const log = createLog({ level: 'debug', format: 'json', write });
  const slowly = () =>
    new ReadableStream({
      async start(controller) {
        controller.enqueue('first');
        await Bun.sleep(1100);
        controller.close();
      },
    });
  const { url } = await listen(
    async (request) => {
      const path = new URL(request.url).pathname;
      if (path === '/slow') await Bun.sleep(1100);
      if (request.body) await request.text();
      if (path === '/late') await Bun.sleep(1100);
      if (path === '/stream') return new Response(slowly());
      if (path === '/readyz') return new Response('', { status: 503 });
      return new Response('', { status: Number(path.slice(1)) || 200 });
    },
    { log },
  );
  const upload = () =>
    ({ method: 'POST', body: slowly(), duplex: 'half' }) as RequestInit & { duplex: 'half' };
  const sent: [string, RequestInit?][] = [
    ['404'],
    ['502'],
    ['503'],
    ['readyz'],
    ['slow'],
    ['stream'],
    ['upload', upload()],
    ['late', upload()],
  ];
  await Promise.all(
    sent.map(async ([path, init]) => (await fetch(`${url}/${path}`, init)).arrayBuffer()),
  );
  await until(() => lines.length === sent.length);
  expect(
    Object.fromEntries(lines.map(({ path, level, message }) => [path, [level, message]])),
  ).toEqual({
    '/404': ['debug', 'request'],
    '/502': ['error', 'request ended with a server error'],
    '/503': ['warn', 'request refused: not available'],
    '/readyz': ['debug', 'request'],
    '/slow': ['warn', 'slow request'],
    '/stream': ['debug', 'request'],
    '/upload': ['debug', 'request'],
    '/late': ['warn', 'slow request'],
  });
});
