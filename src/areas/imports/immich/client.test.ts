import { afterEach, describe, expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DownloadTooLarge } from '../../../inference/models/download.ts';
import { createImmichClient, type ImmichClientOptions } from './client.ts';
import { ImmichUnavailable } from './unavailable.ts';

const KEY = 'secret-key';
const SPOKEN = 'words-of-the-other-server';
const QUICK = { attempts: 1, pauseMs: 1 };

let stop: () => Promise<void> = async () => {};
afterEach(() => stop());

/** Starts a server with these answers. Returns a client of it, and the headers of its requests. */
function startServer(
  answer: (request: Request) => Response | Promise<Response>,
  options: Partial<ImmichClientOptions> = {},
) {
  const asked: Headers[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch(request) {
      asked.push(request.headers);
      return answer(request);
    },
  });
  stop = () => server.stop(true);
  const address = server.url.origin;
  return { client: createImmichClient({ address, key: KEY, timing: QUICK, ...options }), asked };
}

const endless = (pauseMs: number) =>
  new Response(
    new ReadableStream({
      async pull(stream) {
        await Bun.sleep(pauseMs);
        stream.enqueue(new Uint8Array(64 * 1024).fill(32));
      },
    }),
  );

const ignore = () => {};

async function getFault(work: Promise<unknown>): Promise<ImmichUnavailable> {
  const error = await work.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!(error instanceof ImmichUnavailable)) throw new Error(`no fault: ${String(error)}`);
  return error;
}

describe('an answer that is no data', () => {
  test.each([
    [401, 'key_refused'],
    [403, 'permission_missing'],
    [404, 'not_immich'],
    [500, 'unreachable'],
    [200, 'not_immich'],
  ] as const)(
    'with status %i is the fault %s, without the words of the server',
    async (status, code) => {
      const init = { status, statusText: SPOKEN, headers: { 'x-said': SPOKEN } };
      const { client } = startServer(() => Response.json({ message: SPOKEN, id: [SPOKEN] }, init));
      const fault = await getFault(client.getUserId());
      expect(fault.code).toBe(code);
      expect(fault.message).not.toContain(SPOKEN);
      expect(fault.message).not.toContain(KEY);
    },
  );

  test('of endless bytes is not read to its end', async () => {
    const { client } = startServer(() => endless(0), {
      timing: { ...QUICK, maxAnswerBytes: 1_000_000 },
    });
    expect((await getFault(client.listAlbums(ignore))).code).toBe('answer_too_large');
  });

  test('of values in values is not parsed', async () => {
    const depth = 100_000;
    const nested = '['.repeat(depth) + ']'.repeat(depth);
    const { client } = startServer(() => new Response(`{"id":"me","x":${nested}}`));
    expect((await getFault(client.getUserId())).code).toBe('answer_too_large');
    expect((await getFault(client.listAlbums(ignore))).code).toBe('not_immich');
    await stop();
    const other = startServer(() => new Response(`[{"id":"a","albumName":${nested}}]`));
    expect((await getFault(other.client.listAlbums(ignore))).code).toBe('not_immich');
  });

  test('of more items than any account has is not read to its end', async () => {
    const { client } = startServer(
      () => new Response(`[${'{"id":"a","albumName":"b"},'.repeat(100_001)}null]`),
    );
    expect((await getFault(client.listAlbums(ignore))).code).toBe('answer_too_large');
  });

  test('that comes too slowly is given up at the deadline', async () => {
    const { client } = startServer(() => endless(20), { timing: { ...QUICK, deadlineMs: 200 } });
    expect((await getFault(client.listAlbums(ignore))).code).toBe('timeout');
  });
});

test('an item that is not as it should be is left out, by its name', async () => {
  const albums = [
    { id: 'a', albumName: 'Rome' },
    { id: 7, albumName: 'Odd id' },
    { id: 'b' },
    null,
    { id: 'c', albumName: 'NUL \0' },
    { id: 'd', albumName: '\ud800' },
    { id: 'e', albumName: 'x'.repeat(2 * 1024 * 1024) },
    { id: 'f', albumName: 'A text with \\u0000', more: { albums: [[{}]] } },
  ];
  const stacks = [
    { primaryAssetId: 'p', assets: [{ id: 'p' }, { id: 'q' }] },
    { primaryAssetId: 'r' },
  ];
  const { client } = startServer((request) =>
    Response.json(request.url.endsWith('/albums') ? albums : stacks),
  );
  const odd: string[] = [];
  const note = (name: string) => void odd.push(name);
  expect(await client.listAlbums(note)).toEqual([
    { id: 'a', albumName: 'Rome' },
    { id: 'f', albumName: 'A text with \\u0000' },
  ]);
  expect(odd).toEqual(['Odd id', 'b', '/albums 4', 'NUL \0', '\ufffd', '/albums 7']);
  odd.length = 0;
  expect(await client.listStacks(note)).toEqual([stacks[0]!] as never);
  expect(odd).toEqual(['r']);
});

test('pages end, whatever the server says', async () => {
  let pages = 0;
  const answer = (nextPage: string) => {
    pages += 1;
    return Response.json({ assets: { items: pages < 4 ? [null] : [], nextPage } });
  };
  const count = async (toNext: () => string) => {
    pages = 0;
    const { client } = startServer(() => answer(toNext()));
    for await (const page of client.listAssets({})) expect(page).toEqual([]);
    await stop();
    return pages;
  };
  // A page without items is the last one.
  expect(await count(() => String(pages + 2))).toBe(4);
  expect(await count(() => '1')).toBe(1);
  for (const next of ['-5', '1.5', 'x', '1e99']) expect(await count(() => next)).toBe(1);
});

test('others have their turn while 30 MB of albums are read', async () => {
  const item = JSON.stringify({ id: 'a', albumName: 'b', albumUsers: Array(30).fill({ a: 'x' }) });
  const count = Math.ceil(30_000_000 / item.length);
  const bytes = new TextEncoder().encode(`[${Array(count).fill(item).join(',')}]`);
  const { client } = startServer(() => new Response(bytes));
  let [turns, isOver] = [0, false];
  const takeTurns = () => {
    turns += 1;
    if (!isOver) setImmediate(takeTurns);
  };
  takeTurns();
  expect(await client.listAlbums(ignore)).toHaveLength(count);
  isOver = true;
  // A turn comes for each 256 KiB, and not all before the list or after it.
  expect(turns).toBeGreaterThan(100);
});

test('a redirect is not followed, and its target is neither told nor given the key', async () => {
  const other: Headers[] = [];
  const target = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch(request) {
      other.push(request.headers);
      return Response.json({ id: 'x' });
    },
  });
  try {
    const { client, asked } = startServer(() =>
      Response.redirect(`${target.url.origin}/${SPOKEN}`),
    );
    const fault = await getFault(client.getUserId());
    expect(fault.code).toBe('redirected');
    expect(fault.message).not.toContain(SPOKEN);
    const folder = await mkdtemp(join(tmpdir(), 'immich-client-'));
    await getFault(client.downloadOriginal('a', join(folder, 'original'), 100));
    await rm(folder, { recursive: true });
    expect(asked.map((headers) => headers.get('x-api-key'))).toEqual([KEY, KEY]);
    expect(other).toEqual([]);
  } finally {
    await target.stop(true);
  }
});

test('a server that fails for a moment is asked again', async () => {
  let asked = 0;
  const { client } = startServer(
    () => (++asked < 3 ? new Response('', { status: 503 }) : Response.json({ id: 'me' })),
    { timing: { attempts: 3, pauseMs: 1 } },
  );
  expect(await client.getUserId()).toBe('me');
});

test('an aborted client throws the reason, also while it waits for the next attempt', async () => {
  const controller = new AbortController();
  const { client } = startServer(() => new Response('', { status: 503 }), {
    signal: controller.signal,
    timing: { attempts: 5, pauseMs: 600_000 },
  });
  const asking = client.getUserId();
  setTimeout(() => controller.abort(new Error('cancelled')), 50);
  await expect(asking).rejects.toThrow('cancelled');
});

test('an original is downloaded up to the bytes for which there is room, and no file is left of more', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'immich-client-'));
  try {
    const { client } = startServer((request) =>
      request.url.includes('/endless/') ? endless(0) : new Response('12345'),
    );
    const path = join(folder, 'original');
    await client.downloadOriginal('small', path, 5);
    expect(await Bun.file(path).text()).toBe('12345');
    const other = join(folder, 'other');
    await expect(client.downloadOriginal('endless', other, 1_000_000)).rejects.toThrow(
      DownloadTooLarge,
    );
    expect(existsSync(other)).toBe(false);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

test.each(['ftp://nas', 'nas:2283', 'http://me:password@nas:2283', ''])(
  '%p is no address',
  (address) => {
    expect(() => createImmichClient({ address, key: KEY })).toThrow('is no address');
  },
);
