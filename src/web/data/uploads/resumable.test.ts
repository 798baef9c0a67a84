import { afterAll, beforeEach, expect, test } from 'bun:test';
import { MemoryStorage } from '../../../../test/support/memory-storage.ts';
import { startRequestServer } from '../../../../test/support/memory-requests.ts';
import { tabLocks } from '../../base/tab-locks.ts';
import { findBegun, interrupted } from './interrupted-uploads.ts';
import { toLockName } from './lock-names.ts';
import { giveUpInterrupted, sendResumable, type Source } from './resumable.ts';

const ID = '0198aaaa-0000-7000-8000-000000000001';
const ASSET = '0198bbbb-0000-7000-8000-000000000001';
const CREATE = 'POST /assets/uploads';
const [HEAD, PATCH, DELETE] = ['HEAD', 'PATCH', 'DELETE'].map(
  (one) => `${one} ${CREATE.slice(5)}/${ID}`,
);
const source: Source = {
  file: new File(['0123456789'], 'lake.jpg', { lastModified: 0 }),
  sha256: 'lake=',
  mediaType: 'image/jpeg',
  userId: 'ada',
};
const server = startRequestServer();

beforeEach(() => {
  globalThis.localStorage = new MemoryStorage();
  server.answer(CREATE, { status: 201, headers: { location: `/api/assets/uploads/${ID}` } });
  server.answer(PATCH!, { status: 200, body: { assetId: ASSET, status: 'verified' } });
});
afterAll(() => Reflect.deleteProperty(globalThis, 'localStorage'));

const send = (watch: (sent: number) => void = () => {}) => sendResumable(source, watch).result;
const getStatus = (error: unknown) => (error as { status?: number }).status;

test('a file is announced without bytes, then sent, and forgotten', async () => {
  const sent: number[] = [];
  expect(await send((bytes) => sent.push(bytes))).toEqual({ id: ASSET, status: 'created' });
  expect(server.listRoutes()).toEqual([CREATE, PATCH!]);
  expect(server.find(CREATE)).toMatchObject({
    body: null,
    headers: { 'upload-length': '10', 'upload-complete': '?0', 'repr-digest': 'sha-256=:lake=:' },
  });
  expect(server.find(PATCH!)!.headers).toMatchObject({
    'upload-offset': '0',
    'upload-complete': '?1',
  });
  expect(sent).toEqual([0, 10]);
  expect(findBegun(source)).toBeUndefined();
});

test('what the library has is told as a duplicate', async () => {
  server.answer(PATCH!, { status: 200, body: { assetId: ASSET, status: 'duplicate' } });
  expect(await send()).toEqual({ id: ASSET, status: 'duplicate' });
});

test('after a lost connection only the rest is sent', async () => {
  server.answer(PATCH!, undefined);
  expect(await send().catch(getStatus)).toBe(0);
  expect(findBegun(source)?.id).toBe(ID);
  server.answer(HEAD!, { status: 204, headers: { 'upload-offset': '7' } });
  server.answer(PATCH!, { status: 202, body: { assetId: ASSET, status: 'verified' } });
  const sent: number[] = [];
  await send((bytes) => sent.push(bytes));
  expect(server.listRoutes().filter((route) => route === CREATE)).toHaveLength(1);
  expect(sent).toEqual([7, 10]);
  expect(await new Response(server.find(PATCH!)!.body as Blob).text()).toBe('789');
});

test('the rest begins where the server says, also when nothing is left', async () => {
  server.answer(PATCH!, undefined);
  await send().catch(() => undefined);
  server.answer(HEAD!, { status: 200, headers: { 'upload-offset': '10' } });
  server.answer(PATCH!, { status: 200, body: { assetId: ASSET, status: 'verified' } });
  await send();
  expect(server.listRoutes().slice(-2)).toEqual([HEAD!, PATCH!]);
  expect(server.find(PATCH!)).toMatchObject({ body: null, headers: { 'upload-offset': '10' } });
});

test.each([404, 410, 400])(
  'an upload that the server gave up (%p) begins again',
  async (status) => {
    server.answer(PATCH!, undefined);
    await send().catch(() => undefined);
    server.answer(HEAD!, { status });
    server.answer(PATCH!, { status: 200, body: { assetId: ASSET, status: 'verified' } });
    expect(await send()).toEqual({ id: ASSET, status: 'created' });
    expect(server.listRoutes().filter((route) => route === CREATE)).toHaveLength(2);
  },
);

test('a server in trouble is told, and the upload stays known', async () => {
  server.answer(PATCH!, undefined);
  await send().catch(() => undefined);
  server.answer(HEAD!, { status: 503 });
  expect(await send().catch(getStatus)).toBe(503);
  expect(findBegun(source)?.id).toBe(ID);
});

test('an upload that goes on elsewhere is tried again, not told as a refusal', async () => {
  server.answer(PATCH!, { status: 409 });
  expect(await send().catch(getStatus)).toBe(0);
  expect(findBegun(source)?.id).toBe(ID);
});

test.each([
  [413, true],
  [415, true],
  [400, false],
  [410, false],
])('a refusal with %p keeps the upload: %p', async (status, isKept) => {
  server.answer(PATCH!, { status, body: { message: 'No' } });
  expect(await send().catch(getStatus)).toBe(status);
  expect(findBegun(source) !== undefined).toBe(isKept);
});

test('a refused announcement sends no byte, and nothing is remembered', async () => {
  server.answer(CREATE, { status: 507, body: { message: 'Full' } });
  expect(await send().catch(getStatus)).toBe(507);
  expect(server.listRoutes()).toEqual([CREATE]);
  expect(findBegun(source)).toBeUndefined();
});

test('an answer without an address is no success', async () => {
  server.answer(CREATE, { status: 201 });
  expect(await send().catch((error: Error) => error.name)).toBe('ApiError');
  expect(findBegun(source)).toBeUndefined();
});

test('a pause keeps what the server has; giving up removes it', async () => {
  server.answer(PATCH!, 'silent');
  const paused = sendResumable(source, () => {});
  await Bun.sleep(1);
  paused.pause();
  expect(await paused.result.catch(getStatus)).toBe(-1);
  expect(findBegun(source)?.id).toBe(ID);
  expect(server.listRoutes()).not.toContain(DELETE!);

  server.answer(HEAD!, { status: 204, headers: { 'upload-offset': '3' } });
  const given = sendResumable(source, () => {});
  await Bun.sleep(1);
  given.abort();
  expect(await given.result.catch(getStatus)).toBe(-1);
  expect(server.listRoutes().at(-1)).toBe(DELETE!);
  expect(findBegun(source)).toBeUndefined();
});

test('what was called off before its first request sends none', async () => {
  const sending = sendResumable(source, () => {});
  sending.abort();
  expect(await sending.result.catch(getStatus)).toBe(-1);
  expect(server.listRoutes()).toEqual([]);
});

test('a half of a live photo is remembered apart from the whole file', async () => {
  server.answer(PATCH!, undefined);
  await sendResumable({ ...source, isHalf: true }, () => {}).result.catch(() => undefined);
  expect(findBegun(source)).toBeUndefined();
  expect(findBegun({ ...source, isHalf: true })?.id).toBe(ID);
});

test('an upload of a closed tab is given up, but not while another tab sends it', async () => {
  server.answer(PATCH!, undefined);
  await send().catch(() => undefined);
  const upload = findBegun(source)!;
  interrupted.set([upload]);
  const release = await tabLocks.tryLock(toLockName(upload));
  await giveUpInterrupted(upload);
  expect(server.listRoutes()).not.toContain(DELETE!);
  expect(interrupted.get()).toEqual([]);
  expect(findBegun(source)?.id).toBe(ID);
  release!();
  await giveUpInterrupted(upload);
  expect(server.listRoutes().at(-1)).toBe(DELETE!);
  expect(findBegun(source)).toBeUndefined();
});
