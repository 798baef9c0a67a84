import { beforeEach, expect, test } from 'bun:test';
import { refusal, startPageServer } from '../../../../test/support/page-server.ts';
import { session } from '../session/session.ts';
import type { Me } from '../types.ts';
import { findItem, type Item, type Status, uploads } from './items.ts';
import { failBeyondQuota } from './quota.ts';
import { toWork, type Work } from './upload-work.ts';

const server = startPageServer();
const me = (quotaSizeInBytes: number | null, quotaUsageInBytes: number) =>
  ({ id: 'ada', quotaSizeInBytes, quotaUsageInBytes }) as Me;

function signIn(account: Me): void {
  session.set({ stage: 'signed-in', me: account });
  server.answer('GET /users/me', () => account);
}

/** Adds a file to the queue. Returns its id and its work. */
function add(id: number, size: number, status: Status = 'ready'): [number, Work] {
  const work = toWork([new File([new Uint8Array(size)], `${id}.jpg`)]);
  uploads.set((old) => ({
    ...old,
    items: [...old.items, { id, size, status, sent: 0, isRefused: false } as Item],
  }));
  return [id, work];
}

const fail = (works: readonly [number, Work][]) =>
  failBeyondQuota(
    works.map(([id]) => id),
    new Map(works),
  );
const listFailed = () =>
  uploads.get().items.flatMap(({ id, status }) => (status === 'failed' ? id : []));

beforeEach(() => uploads.set((old) => ({ ...old, items: [] })));

test('files are taken in order as long as they have room, and what has none says so', async () => {
  signIn(me(100, 40));
  await fail([add(1, 30), add(2, 50), add(3, 25), add(4, 10)]);
  expect(listFailed()).toEqual([2, 4]);
  expect(findItem(2)).toMatchObject({ isRefused: true });
  expect(findItem(2)!.error).toContain('30 B');
});

test('what is on its way counts, what has arrived does not', async () => {
  signIn(me(100, 40));
  add(8, 50, 'sending');
  add(9, 50, 'done');
  await fail([add(1, 10), add(2, 1)]);
  expect(listFailed()).toEqual([2]);
});

test('a file that the library or its trash has needs no room', async () => {
  signIn(me(10, 10));
  const [there, trashed, fresh] = [add(1, 50), add(2, 50), add(3, 50)];
  there[1].parts[0]!.isThere = true;
  trashed[1].parts[0]!.isTrashed = true;
  await fail([there, trashed, fresh]);
  expect(listFailed()).toEqual([3]);
});

test('an account over its quota has no room below zero', async () => {
  signIn(me(100, 400));
  await fail([add(1, 5)]);
  expect(findItem(1)!.error).toContain('0 B');
});

test('without a quota, for guests and without an answer nothing fails here', async () => {
  signIn(me(null, 900));
  await fail([add(1, 50)]);
  session.set({ stage: 'starting' });
  await fail([add(2, 50)]);
  signIn(me(10, 10));
  server.answer('GET /users/me', () => refusal(503));
  await fail([add(3, 50)]);
  expect(listFailed()).toEqual([]);
});

test('a quota that was raised meanwhile counts', async () => {
  signIn(me(10, 10));
  server.answer('GET /users/me', () => me(1000, 10));
  await fail([add(1, 50)]);
  expect(listFailed()).toEqual([]);
});
