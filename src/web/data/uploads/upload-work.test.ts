import { afterEach, beforeEach, expect, test } from 'bun:test';
import {
  type SentAnswer,
  type SentRequest,
  startMemoryRequests,
} from '../../../../test/support/memory-requests.ts';
import { MemoryStorage } from '../../../../test/support/memory-storage.ts';
import { session } from '../session/session.ts';
import type { Me } from '../types.ts';
import { listAssetIds, sendWork, toWork, type Work } from './upload-work.ts';

// The requests that send the files of one item, to a fake server.

let answers: Record<string, (request: SentRequest) => SentAnswer | undefined>;
let requests: ReturnType<typeof startMemoryRequests>;

beforeEach(() => {
  globalThis.localStorage = new MemoryStorage();
  session.set({ stage: 'signed-in', me: { id: 'ada' } as Me });
  answers = {};
  let made = 0;
  requests = startMemoryRequests((request) => {
    const { method, path } = request;
    const own = answers[`${method} ${path}`];
    if (own) return own(request);
    if (method === 'POST' && path === '/assets/uploads') {
      const id = `${++made}`.padStart(36, '0');
      return { status: 201, headers: { location: `/api/assets/uploads/${id}` } };
    }
    if (method === 'PATCH') {
      return {
        status: 200,
        body: { assetId: `asset ${Number(path.slice(-1))}`, status: 'created' },
      };
    }
    return { status: 201, body: { id: 'form', status: 'created' } };
  });
});
afterEach(async () => {
  await requests.end();
  session.set({ stage: 'starting' });
  Reflect.deleteProperty(globalThis, 'localStorage');
});

const file = (name: string) => new File(['0123456789'], name);

/** Files that were read. */
function read(names: readonly string[], sidecars?: ReadonlyMap<number, string>): Work {
  const files = names.map(file);
  const beside = [...(sidecars ?? [])].map(([at, name]) => [files[at]!, file(name)] as const);
  const work = toWork(files, new Map(beside));
  for (const [index, part] of work.parts.entries()) {
    Object.assign(part, {
      mediaType: 'image/jpeg',
      digests: { sha1: `sha1 ${index}`, sha256: `sha256 ${index}` },
    });
  }
  return work;
}
const send = (work: Work, onProgress: (sent: number) => void = () => {}) =>
  sendWork(work, onProgress, () => {});
const listSent = () =>
  requests.sent.map(({ method, path }) => `${method} ${path.replace(/0{9,}/, '')}`);

test('a file is sent so that it can be resumed, and its progress told', async () => {
  const progress: number[] = [];
  const uploaded = await send(read(['a.jpg']), (sent) => progress.push(sent));
  expect(uploaded).toEqual({ id: 'asset 1', status: 'created' });
  expect(listSent()).toEqual(['POST /assets/uploads', 'PATCH /assets/uploads/1']);
  expect(progress).toEqual([0, 10]);
});

test('a file with a sidecar is sent as a form that has both', async () => {
  const uploaded = await send(read(['a.jpg'], new Map([[0, 'a.xmp']])));
  expect(uploaded.id).toBe('form');
  expect(requests.sent).toHaveLength(1);
  expect(requests.sent[0]).toMatchObject({
    path: '/assets',
    headers: { 'x-immich-checksum': 'sha1 0' },
    form: { filename: 'a.jpg', assetData: 'a.jpg', sidecarData: 'a.xmp' },
  });
});

test('the video of a live photo with a sidecar goes first, and the photo names it', async () => {
  const work = read(['a.heic', 'a.mov'], new Map([[0, 'a.xmp']]));
  const uploaded = await send(work);
  expect(listSent()).toEqual(['POST /assets/uploads', 'PATCH /assets/uploads/1', 'POST /assets']);
  expect(requests.sent[2]!.form).toMatchObject({
    assetData: 'a.heic',
    sidecarData: 'a.xmp',
    livePhotoVideoId: 'asset 1',
  });
  expect(listAssetIds(work, uploaded)).toEqual(['form']);
});

test('when only the photo is lost, it is sent again with the name of its video', async () => {
  let isLost = true;
  answers['POST /assets'] = () =>
    isLost ? undefined : { status: 201, body: { id: 'form', status: 'created' } };
  const work = read(['a.heic', 'a.mov'], new Map([[0, 'a.xmp']]));
  await expect(send(work)).rejects.toMatchObject({ status: 0 });
  isLost = false;
  await send(work);
  expect(listSent().slice(2)).toEqual(['POST /assets', 'POST /assets']);
  expect(requests.sent.at(-1)!.form['livePhotoVideoId']).toBe('asset 1');
});

test('two files that are no live photo are sent each by itself', async () => {
  answers['POST /assets/uploads/live-photo/commit'] = () => ({
    status: 409,
    body: { code: 'live_photo_incompatible', message: 'No' },
  });
  const work = read(['a.heic', 'a.mov']);
  const uploaded = await send(work);
  expect(work.isSplit).toBe(true);
  expect(listAssetIds(work, uploaded)).toHaveLength(2);
});

test('a file in the trash comes back by its checksum, without its bytes', async () => {
  const work = read(['a.jpg']);
  work.parts[0]!.isTrashed = true;
  answers['POST /assets'] = () => ({
    status: 200,
    body: { id: 'old', status: 'duplicate', isTrashed: true },
  });
  expect(await send(work)).toMatchObject({ id: 'old', isTrashed: true });
  expect(requests.sent[0]!.form).toEqual({});
});

test('a file that is no longer in the trash is sent', async () => {
  const work = read(['a.jpg']);
  work.parts[0]!.isTrashed = true;
  answers['POST /assets'] = () => ({ status: 400, body: { message: 'No' } });
  expect(await send(work)).toEqual({ id: 'asset 1', status: 'created' });
});

test('another refusal than that ends it, with a text for the person', async () => {
  answers['POST /assets/uploads'] = () => ({
    status: 400,
    body: { code: 'quota_exceeded', message: 'Quota has been exceeded!' },
  });
  await expect(send(read(['a.jpg']))).rejects.toMatchObject({
    code: 'quota_exceeded',
    message: 'Your storage quota is used up.',
  });
});

test('an error that nobody has foreseen names the request', async () => {
  answers['POST /assets/uploads'] = () => ({ status: 500, headers: { 'x-correlation-id': 'r1' } });
  await expect(send(read(['a.jpg']))).rejects.toThrow('Reference: r1');
});

test('nothing is sent for an account that has left', async () => {
  session.set({ stage: 'starting' });
  await expect(send(read(['a.jpg'], new Map([[0, 'a.xmp']])))).rejects.toMatchObject({
    status: 401,
  });
  expect(requests.sent).toEqual([]);
});
