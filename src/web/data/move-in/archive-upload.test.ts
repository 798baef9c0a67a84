import { afterAll, beforeEach, expect, test } from 'bun:test';
import { MemoryStorage } from '../../../../test/support/memory-storage.ts';
import { refusal, startPageServer } from '../../../../test/support/page-server.ts';
import { startRequestServer } from '../../../../test/support/memory-requests.ts';
import { until } from '../../../../test/support/until.ts';
import { tabLocks } from '../../base/tab-locks.ts';
import type { MoveIn } from '../types.ts';
import { endAllPauses } from '../uploads/retry.ts';
import {
  archiveUpload,
  findZipFault,
  listMissing,
  pauseArchives,
  uploadArchives,
} from './archive-upload.ts';

const pages = startPageServer();
const server = startRequestServer();
const [FIRST, SECOND] = [0, 1].map((index) => `PATCH /move-ins/m/archives/${index}`);
const one = new File(['PK345'], 'takeout-001.zip');
const two = new File(['PK3456789'], 'takeout-002.zip');
const moveIn = (...received: number[]) =>
  ({
    id: 'm',
    archives: {
      phase: 'upload',
      parts: [one, two].map(({ name, size }, at) => ({ name, size, received: received[at] ?? 0 })),
    },
  }) as unknown as MoveIn;
const accept = (route: string, offset: number) =>
  server.answer(route, { status: 204, headers: { 'upload-offset': String(offset) } });
const readSent = (route: string) => new Response(server.find(route)!.body as Blob).text();

beforeEach(() => {
  archiveUpload.set(undefined);
  globalThis.window ??= globalThis as never;
  globalThis.localStorage = new MemoryStorage();
  accept(FIRST!, 5);
  accept(SECOND!, 9);
  pages.answer('POST /move-ins/m/start', () => ({ id: 'm' }));
});
afterAll(() => {
  for (const name of ['window', 'localStorage']) Reflect.deleteProperty(globalThis, name);
});

test('files are sent in their order, and unpacked when all is there', async () => {
  await uploadArchives(moveIn(), [two, one]);
  expect(server.listRoutes()).toEqual([FIRST!, SECOND!]);
  expect(await readSent(FIRST!)).toBe('PK345');
  expect(archiveUpload.get()).toMatchObject({ isRunning: false, sent: [5, 9], error: undefined });
  expect(pages.listChanges()).toEqual(['POST /move-ins/m/start']);
});

test('only what the server lacks is sent', async () => {
  await uploadArchives(moveIn(5, 4), [one, two]);
  expect(server.listRoutes()).toEqual([SECOND!]);
  expect(server.find(SECOND!)!.headers).toMatchObject({ 'upload-offset': '4' });
  expect(await readSent(SECOND!)).toBe('56789');
});

test('without one of the files nothing is unpacked, and it is said which is missing', async () => {
  await uploadArchives(moveIn(), [one]);
  expect(pages.listChanges()).toEqual([]);
  expect(listMissing(moveIn(5)).map(({ name }) => name)).toEqual([two.name]);
  expect(listMissing(moveIn(5, 9))).toEqual([]);
});

test('where the server has less or more than it said, the upload goes on from there', async () => {
  server.answer(SECOND!, { status: 409, headers: { 'upload-offset': '9' } });
  await uploadArchives(moveIn(5, 2), [one, two]);
  expect(archiveUpload.get()).toMatchObject({ sent: [5, 9], error: undefined });
  expect(pages.listChanges()).toEqual(['POST /move-ins/m/start']);
});

test('a lost connection is tried again, and says so meanwhile', async () => {
  server.answer(FIRST!, undefined);
  const uploading = uploadArchives(moveIn(), [one, two]);
  await until(() => archiveUpload.get()?.lastFault !== undefined);
  expect(archiveUpload.get()).toMatchObject({ isRunning: true, error: undefined });
  accept(FIRST!, 5);
  endAllPauses();
  await uploading;
  expect(archiveUpload.get()).toMatchObject({ sent: [5, 9], lastFault: undefined });
});

test('a full disk is waited out, with its reason', async () => {
  server.answer(FIRST!, { status: 503, body: { code: 'storage_full', message: 'x' } });
  const uploading = uploadArchives(moveIn(), [one, two]);
  await until(() => archiveUpload.get()?.lastFault !== undefined);
  expect(archiveUpload.get()!.lastFault).not.toContain('connection');
  pauseArchives();
  endAllPauses();
  await uploading;
  expect(archiveUpload.get()).toMatchObject({ isRunning: false, error: undefined });
  expect(pages.listChanges()).toEqual([]);
});

test('a refusal ends it, and is told', async () => {
  server.answer(FIRST!, { status: 404, body: { message: 'Not found' } });
  await uploadArchives(moveIn(), [one, two]);
  expect(server.listRoutes()).toEqual([FIRST!]);
  expect(archiveUpload.get()).toMatchObject({ isRunning: false, error: expect.any(String) });
});

test('a refused start is told, and the files are kept for another one', async () => {
  pages.answer('POST /move-ins/m/start', () => refusal(409, { code: 'archives_incomplete' }));
  await uploadArchives(moveIn(), [one, two]);
  expect(archiveUpload.get()!.error).toEqual(expect.any(String));
  expect(listMissing(moveIn())).toEqual([]);
});

test('a pause keeps what the server has, and going on sends the rest', async () => {
  server.answer(SECOND!, 'silent');
  const uploading = uploadArchives(moveIn(), [one, two]);
  await until(() => server.listRoutes().includes(SECOND!));
  pauseArchives();
  await uploading;
  expect(archiveUpload.get()).toMatchObject({ isRunning: false, error: undefined });
  accept(SECOND!, 9);
  await uploadArchives(moveIn(5, 3));
  expect(await readSent(SECOND!)).toBe('456789');
});

test('a move that another tab uploads is left alone', async () => {
  const release = await tabLocks.tryLock('safelight.archives m');
  await uploadArchives(moveIn(), [one, two]);
  expect(server.listRoutes()).toEqual([]);
  expect(archiveUpload.get()).toMatchObject({ isRunning: false, error: expect.any(String) });
  release!();
});

test.each([
  ['takeout.zip', 'PK..', true],
  ['takeout.ZIP', 'PK..', true],
  ['takeout.zip', '\u001f..', false],
  ['takeout.tgz', 'PK..', false],
  ['photo.jpg', 'PK..', false],
  ['empty.zip', '', false],
])('%p with %p is uploaded: %p', async (name, bytes, isZip) => {
  expect((await findZipFault(new File([bytes], name))) === undefined).toBe(isZip);
});
