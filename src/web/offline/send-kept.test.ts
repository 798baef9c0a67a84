import { afterAll, beforeEach, expect, test } from 'bun:test';
import { MemoryCaches } from '../../../test/support/memory-caches.ts';
import { MemoryLocks } from '../../../test/support/memory-locks.ts';
import {
  keepFile,
  type KeptFile,
  listKeptFiles,
  readState,
  setPaused,
  takeArrivals,
  toQueueLock,
} from '../data/uploads/kept-files.ts';
import { RetryLaterError } from './worker-requests.ts';
import { sendKeptFiles } from './send-kept.ts';

const UPLOAD = '0198aaaa-0000-7000-8000-000000000001';
/** No page of a test is being closed. */
const LOCK_WAIT_MS = 50;
const ASSET = '0198bbbb-0000-7000-8000-000000000001';

type Answer = Response | Promise<Response>;
type Handler = (request: { path: string; body: string; headers: Headers }) => Answer;

/** The requests since the test began, as 'POST /assets/uploads'. */
let asked: string[];
let handlers: Record<string, Handler>;
const real = { fetch: globalThis.fetch, caches: globalThis.caches };
let locks: MemoryLocks;

const json = (body: unknown, status = 200) => Response.json(body, { status });

beforeEach(async () => {
  asked = [];
  globalThis.caches = new MemoryCaches() as unknown as CacheStorage;
  locks = new MemoryLocks();
  Object.defineProperty(navigator, 'locks', { value: locks, configurable: true });
  handlers = {
    'GET /users/me': () => json({ id: 'ada' }),
    'POST /assets/bulk-upload-check': () => json({ results: [{ id: 'x', action: 'accept' }] }),
    'POST /assets/uploads': () =>
      new Response(null, { status: 201, headers: { location: `/api/assets/uploads/${UPLOAD}` } }),
    [`PATCH /assets/uploads/${UPLOAD}`]: () => json({ assetId: ASSET, status: 'verified' }, 202),
    [`DELETE /assets/uploads/${UPLOAD}`]: () => new Response(null, { status: 204 }),
    'PUT /albums/best/assets': () => json([{ id: ASSET, success: true }]),
  };
  globalThis.fetch = (async (url: string, init: RequestInit) => {
    const path = String(url).replace('/api', '');
    const name = `${init.method} ${path}`;
    asked.push(name);
    const body = await new Response(init.body ?? null).text();
    const handler = handlers[name];
    if (!handler) throw new Error(`nobody answers ${name}`);
    return handler({ path, body, headers: new Headers(init.headers) });
  }) as typeof fetch;
});
afterAll(() => {
  globalThis.fetch = real.fetch;
  globalThis.caches = real.caches;
  Reflect.deleteProperty(navigator, 'locks');
});

async function keep(more: Partial<KeptFile> = {}): Promise<KeptFile> {
  const kept: KeptFile = {
    userId: 'ada',
    queue: 'tab',
    item: 'one',
    part: 0,
    name: 'lake.jpg',
    size: 5,
    lastModified: 0,
    mediaType: 'image/jpeg',
    folder: '',
    album: undefined,
    ...more,
  };
  await keepFile(kept, new Blob(['bytes']));
  return kept;
}

/** Resolves with the name of the error that makes the browser try again. */
const run = (): Promise<string> =>
  sendKeptFiles(LOCK_WAIT_MS).then(
    () => 'done',
    (error: unknown) => (error instanceof RetryLaterError ? 'left' : String(error)),
  );

test('a file is sent, and its place is taken by a note for the next page', async () => {
  await keep();
  let sent = '';
  handlers[`PATCH /assets/uploads/${UPLOAD}`] = ({ body, headers }) => {
    sent = `${headers.get('upload-offset')} ${headers.get('upload-complete')} ${body}`;
    return json({ assetId: ASSET, status: 'verified' }, 202);
  };
  expect(await run()).toBe('done');
  expect(sent).toBe('0 ?1 bytes');
  expect(await listKeptFiles()).toEqual([]);
  expect(await takeArrivals('ada')).toHaveLength(1);
});

test('it goes into the album that was on the screen, also when the library has it already', async () => {
  await keep({ album: { id: 'best', albumName: 'Best' } });
  let added = '';
  handlers['PUT /albums/best/assets'] = ({ body }) => {
    added = body;
    return json([]);
  };
  handlers['POST /assets/bulk-upload-check'] = () =>
    json({ results: [{ id: 'x', action: 'reject', reason: 'duplicate', assetId: ASSET }] });
  expect(await run()).toBe('done');
  expect(JSON.parse(added)).toEqual({ ids: [ASSET] });
  expect(asked).not.toContain('POST /assets/uploads');
});

test('of the trash it is sent, which restores it', async () => {
  await keep();
  handlers['POST /assets/bulk-upload-check'] = () =>
    json({ results: [{ id: 'x', action: 'reject', assetId: ASSET, isTrashed: true }] });
  expect(await run()).toBe('done');
  expect(asked).toContain('POST /assets/uploads');
});

test('while the server is away it is tried again, from where the server has it', async () => {
  const kept = await keep();
  const path = `PATCH /assets/uploads/${UPLOAD}`;
  const away = [() => Promise.reject(new TypeError('Failed to fetch')), () => json({}, 503)];
  const patch = handlers[path]!;
  handlers[path] = away[0]!;
  expect(await run()).toBe('left');
  expect((await readState(kept)).begun?.id).toBe(UPLOAD);
  handlers[path] = patch;
  handlers[`HEAD /assets/uploads/${UPLOAD}`] = away[1]!;
  expect(await run()).toBe('left');
  handlers[`HEAD /assets/uploads/${UPLOAD}`] = () =>
    new Response(null, { status: 204, headers: { 'upload-offset': '3' } });
  let sent = '';
  handlers[path] = ({ body }) => {
    sent = body;
    return json({ assetId: ASSET });
  };
  expect(await run()).toBe('done');
  expect(sent).toBe('es');
  expect(asked.filter((name) => name === 'POST /assets/uploads')).toHaveLength(1);
});

test('an upload that the server has given up begins again', async () => {
  const kept = await keep();
  handlers[`PATCH /assets/uploads/${UPLOAD}`] = () => json({}, 410);
  expect(await run()).toBe('left');
  expect(await readState(kept)).toEqual({});
});

test.each([400, 403, 413, 415])(
  'a refusal with %p is final, and kept for the page',
  async (status) => {
    const kept = await keep();
    handlers[`PATCH /assets/uploads/${UPLOAD}`] = () => json({ message: 'No' }, status);
    expect(await run()).toBe('done');
    expect((await readState(kept)).refusal).toEqual({ status, text: '{"message":"No"}' });
    asked = [];
    expect(await run()).toBe('done');
    expect(asked.filter((name) => name.startsWith('P'))).toEqual([]);
    expect(await listKeptFiles()).toHaveLength(1);
  },
);

test('without a session, or with that of another account, nothing is sent and nothing lost', async () => {
  await keep();
  handlers['GET /users/me'] = () => json({ message: 'Authentication required' }, 401);
  expect(await run()).toBe('done');
  handlers['GET /users/me'] = () => json({ id: 'bob' });
  expect(await run()).toBe('done');
  expect(new Set(asked)).toEqual(new Set(['GET /users/me']));
  expect(await listKeptFiles()).toHaveLength(1);
});

test('an account that logs in meanwhile gets no byte', async () => {
  const kept = await keep();
  const accounts = ['ada', 'bob'];
  handlers['GET /users/me'] = () => json({ id: accounts.shift() });
  expect(await run()).toBe('left');
  expect(asked.slice(-2)).toEqual(['GET /users/me', `DELETE /assets/uploads/${UPLOAD}`]);
  expect(await readState(kept)).toEqual({});
});

test('files of a page that is open, and of a paused queue, are left alone', async () => {
  await keep();
  const release = locks.hold(toQueueLock('tab'));
  expect(await run()).toBe('left');
  release();
  await setPaused('ada', 'tab', true);
  expect(await run()).toBe('done');
  expect(asked).toEqual([]);
  await setPaused('ada', 'tab', false);
  expect(await run()).toBe('done');
  expect(await listKeptFiles()).toEqual([]);
});

test('a file that another tab sends is left for later', async () => {
  const kept = await keep();
  // SHA-256 of 'bytes' as base64.
  const sha256 = new Bun.CryptoHasher('sha256').update('bytes').digest('base64');
  const release = locks.hold(`safelight.upload ada ${sha256}`);
  expect(await run()).toBe('left');
  expect(asked).toEqual(['GET /users/me']);
  release();
  expect(await run()).toBe('done');
  expect(await readState(kept)).toMatchObject({ arrived: sha256 });
});
