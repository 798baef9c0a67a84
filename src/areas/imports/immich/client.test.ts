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
    expect((await getFault(client.listAlbums())).code).toBe('answer_too_large');
  });

  test('that comes too slowly is given up at the deadline', async () => {
    const { client } = startServer(() => endless(20), { timing: { ...QUICK, deadlineMs: 200 } });
    expect((await getFault(client.listAlbums())).code).toBe('timeout');
  });
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
