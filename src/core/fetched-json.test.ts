import { describe, expect, test } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  fetchBounded,
  readFetchedItems,
  readFetchedJson,
  readFetchedText,
  UnreadableAnswer,
} from './fetched-json.ts';

const LIMITS = { maxBytes: 1_000_000, maxItems: 1000 };
const encoder = new TextEncoder();

/** Returns a response that comes in pieces of some bytes. */
function inPieces(text: string, size: number): Response {
  const bytes = encoder.encode(text);
  let at = 0;
  return new Response(
    new ReadableStream({
      pull(stream) {
        if (at >= bytes.length) return stream.close();
        stream.enqueue(bytes.slice(at, at + size));
        at += size;
        return undefined;
      },
    }),
  );
}

async function readAll(response: Response, path: readonly string[] = [], limits = LIMITS) {
  const read = readFetchedItems(response, path, limits);
  const items: unknown[] = [];
  for (;;) {
    const next = await read.next();
    if (next.done) return { items, rest: next.value };
    items.push(next.value);
  }
}

const getCode = async (work: Promise<unknown>): Promise<string> => {
  const error = await work.then(
    () => undefined,
    (error: unknown) => error,
  );
  return error instanceof UnreadableAnswer ? error.code : String(error);
};

describe('a list is read item by item', () => {
  const ITEMS = [
    1,
    'a "quoted" ]},{[ \\ text',
    { items: [1, [2]], assets: { items: ['x'] } },
    [],
    {},
    null,
    'Größe 😀',
    [[['deep']]],
  ];

  test.each([1, 2, 3, 7, 1000])('in pieces of %p bytes', async (size) => {
    for (const space of [undefined, 2]) {
      const all = JSON.stringify(ITEMS, null, space);
      expect(await readAll(inPieces(all, size))).toEqual({ items: ITEMS, rest: [] });
      const page = JSON.stringify(
        {
          items: 'not these',
          albums: { items: [1, 2] },
          x: ['assets', { assets: { items: [3] } }],
          assets: { total: 2, items: ITEMS, nextPage: '2', more: { items: [4] } },
        },
        null,
        space,
      );
      const { items, rest } = await readAll(inPieces(page, size), ['assets', 'items']);
      expect(items).toEqual(ITEMS);
      expect(rest).toMatchObject({
        items: 'not these',
        albums: { items: [1, 2] },
        assets: { total: 2, items: [], nextPage: '2', more: { items: [4] } },
      });
    }
  });

  test('and what is no JSON or too large is one of them', async () => {
    const long = JSON.stringify('x'.repeat(1_100_000));
    const response = inPieces(`[1, nope, ${long}, 2]`, 4096);
    const limits = { ...LIMITS, maxBytes: 2_000_000 };
    expect((await readAll(response, [], limits)).items).toEqual([1, undefined, undefined, 2]);
  });

  test('up to its limits', async () => {
    const ones = (count: number) => `[${Array(count).fill(1).join(',')}]`;
    expect((await readAll(new Response(ones(1000)))).items).toHaveLength(1000);
    expect(await getCode(readAll(new Response(ones(1001))))).toBe('too_large');
    expect(await getCode(readAll(new Response(' '.repeat(1_000_001))))).toBe('too_large');
    const rest = JSON.stringify({ items: [], more: 'x'.repeat(1_100_000) });
    expect(
      await getCode(readAll(new Response(rest), ['items'], { ...LIMITS, maxBytes: 9e6 })),
    ).toBe('malformed');
    for (const text of ['[1', '[1]]', '["', '', '['.repeat(65), 'nope']) {
      expect([text, await getCode(readAll(new Response(text)))]).toEqual([text, 'malformed']);
    }
  });

  test('and is no longer read once nobody takes its items', async () => {
    let isCancelled = false;
    const endless = new ReadableStream({
      pull: (stream) => stream.enqueue(encoder.encode('[1,1,')),
      cancel: () => void (isCancelled = true),
    });
    const read = readFetchedItems(new Response(endless), [], LIMITS);
    await read.next();
    await read.return(undefined);
    expect(isCancelled).toBe(true);
  });
});

test('an answer has the limits of a request', async () => {
  expect(await readFetchedJson(new Response('{"a":[1]}'))).toEqual({ a: [1] });
  expect(await getCode(readFetchedJson(new Response('x'.repeat(11)), 10))).toBe('too_large');
  expect(await getCode(readFetchedJson(new Response('['.repeat(65))))).toBe('too_large');
  expect(await getCode(readFetchedJson(new Response(`[${'[],'.repeat(300_000)}1]`)))).toBe(
    'too_large',
  );
  expect(await getCode(readFetchedJson(new Response('{')))).toBe('malformed');
  expect(await getCode(readFetchedText(new Response('123'), 2))).toBe('too_large');
});

test('a library gets a whole answer, and no endless one', async () => {
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch({ url }) {
      if (url.endsWith('/deep')) return Response.json(JSON.parse('['.repeat(65) + ']'.repeat(65)));
      if (url.endsWith('/none')) return new Response(null, { status: 204 });
      if (!url.endsWith('/endless')) {
        const headers = { 'content-encoding': 'gzip', 'content-type': 'application/json' };
        return new Response(Bun.gzipSync(encoder.encode('{"a":1}')), { status: 201, headers });
      }
      return new Response(
        new ReadableStream({ pull: (stream) => stream.enqueue(new Uint8Array(65_536)) }),
      );
    },
  });
  const ask = (path: string) => fetchBounded(`${server.url}${path}`);
  const reply = await ask('');
  expect([reply.status, reply.url, await reply.json()]).toEqual([201, server.url.href, { a: 1 }]);
  expect((await ask('none')).status).toBe(204);
  expect(await getCode(ask('deep'))).toBe('too_large');
  expect(await getCode(ask('endless'))).toBe('too_large');
  await server.stop(true);
});

test('no other code reads the body of an answer', () => {
  const root = join(import.meta.dir, '..');
  const found = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((path) => /(?<!\.test)\.ts$/.test(path))
    // The page reads the answers of its own server.
    .filter((path) => !path.startsWith('web/') && path !== 'core/fetched-json.ts')
    .filter((path) =>
      /\b[rR]esponse\.(?:json|text|bytes|arrayBuffer|blob)\(\)|\)\)\.(?:json|text)\(\)/.test(
        readFileSync(join(root, path), 'utf8'),
      ),
    );
  // Standard input, and answers of this server itself.
  expect(found.toSorted()).toEqual(['commands/config.ts', 'maintenance/self-check.ts']);
});
