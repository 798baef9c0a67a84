import { afterEach, expect, test } from 'bun:test';
import { silentLog } from '../core/log.ts';
import { jsonListResponse, type Pages } from './json-list.ts';
import { type Listener, startListener } from './listener.ts';

const listeners: Listener[] = [];
afterEach(async () => {
  for (const listener of listeners.splice(0)) await listener.stop(50);
});

async function serve(pages: () => Pages | undefined): Promise<string> {
  const listener = await startListener({
    fetch: (request) => jsonListResponse(request, pages()),
    host: '127.0.0.1',
    port: 0,
    log: silentLog,
  });
  listeners.push(listener);
  return listener.url;
}

async function* yieldPages(...pages: unknown[][]): Pages {
  for (const page of pages) {
    await Bun.sleep(1);
    yield page;
  }
}

test('streamed pages join to one JSON list', async () => {
  const odd = { text: '"],[\u{1F600}\u2028', none: null, list: [[]] };
  for (const pages of [[], [[]], [[1]], [[], [odd], [], [2, 3], []], [[1, 2], [odd]]]) {
    const reply = await fetch(await serve(() => yieldPages(...pages)));
    expect(reply.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(await reply.json()).toEqual(pages.flat());
  }
  expect(await (await fetch(await serve(() => undefined))).json()).toEqual([]);
});

test('items with a text of their own join to the same list, however long they are', async () => {
  const items = Array.from({ length: 50 }, (_, n) => `é${n}`.repeat(n * 300));
  const request = new Request('http://localhost/');
  for (const pages of [[], [[]], [items], [[], items.slice(0, 1), items.slice(1)], [['']]]) {
    const reply = await jsonListResponse(request, yieldPages(...pages), (item) =>
      JSON.stringify(item),
    );
    expect(await reply.text()).toBe(JSON.stringify(pages.flat()));
  }
});

const ENCODINGS = ['identity', 'gzip', 'zstd'] as const;
const asked = (encoding: string) => ({ headers: { 'accept-encoding': encoding } });

test.each(ENCODINGS)('a long list arrives completely in %s', async (encoding) => {
  const pages = Array.from({ length: 200 }, (_, n) => [n, 'x'.repeat(n * 10)]);
  const url = await serve(() => yieldPages(...pages));
  const reply = await fetch(url, asked(encoding));
  expect(reply.headers.get('content-encoding')).toBe(encoding === 'identity' ? null : encoding);
  expect(reply.headers.get('vary')).toBe('accept-encoding');
  expect(await reply.json()).toEqual(pages.flat());
});

test('the first page is sent before the second is made, and making waits for the reader', async () => {
  const { promise: isTaken, resolve: take } = Promise.withResolvers<void>();
  let made = 0;
  const url = await serve(() =>
    (async function* () {
      yield [++made];
      await isTaken;
      for (; made < 1000;) yield [`${++made} ${'x'.repeat(100_000)}`];
    })(),
  );
  const reader = (await fetch(url, asked('identity'))).body!.getReader();
  expect(new TextDecoder().decode((await reader.read()).value)).toBe('[1');
  expect(made).toBe(1);
  take();
  await reader.read();
  // Only the buffers of the socket and of the client fill ahead of the reader.
  await Bun.sleep(100);
  expect(made).toBeLessThan(500);
  await reader.cancel();
});

test.each(ENCODINGS)(
  'an error cuts the answer off, but before the first page (%s)',
  async (encoding) => {
    const failing = async function* (after: unknown[][]) {
      yield* yieldPages(...after);
      throw new Error('the disk is gone');
    };
    const cut = await serve(() => failing([['one'], ['two']]));
    const reply = await fetch(cut, asked(encoding));
    expect(reply.status).toBe(200);
    expect(await reply.text().catch((error: Error) => error)).toBeInstanceOf(Error);
    expect((await fetch(await serve(() => failing([])), asked(encoding))).status).toBe(500);
  },
);

test.each(ENCODINGS)('a client that disconnects ends the work (%s)', async (encoding) => {
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  const url = await serve(() =>
    (async function* () {
      try {
        for (;;) yield [crypto.getRandomValues(Buffer.alloc(50_000)).toString('hex')];
      } finally {
        end();
      }
    })(),
  );
  const reader = (await fetch(url, asked(encoding))).body!.getReader();
  await reader.read();
  await reader.cancel();
  await ended;
});
