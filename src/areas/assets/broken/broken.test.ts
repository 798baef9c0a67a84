import { beforeEach, describe, expect, test } from 'bun:test';
import { useApp } from '../../../../test/support/database.ts';
import { call, type Caller, seed, type TestUser } from '../../../../test/support/harness.ts';
import { unlock } from '../../../../test/support/household.ts';

const { database, app } = await useApp();
let owner: TestUser;
let stranger: TestUser;
beforeEach(async () => {
  owner = await seed(database).user();
  stranger = await seed(database).user();
});

const REASON = 'broken: not a JPEG file';
const add = (over: object = {}): Promise<string> =>
  seed(database).asset({ ownerId: owner.id, brokenReason: REASON, ...over });
const list = (query = '', caller: Caller = { as: owner }) =>
  call(app, `GET /assets/broken${query}`, caller);
const listIds = async (query = '', caller?: Caller): Promise<string[]> =>
  (await list(query, caller)).body.items.map(({ id }: { id: string }) => id);
const day = (number: number) => new Date(`2025-01-0${number}T00:00:00Z`);

describe('files that could not be decoded', () => {
  test('are listed with their reason, the latest upload first', async () => {
    const old = await add({ createdAt: day(1), fileName: 'old.jpg', fileSize: 12 });
    const recent = await add({ createdAt: day(2), visibility: 'archive' });
    await seed(database).asset({ ownerId: owner.id });
    const { status, body } = await list();
    expect(status).toBe(200);
    expect(body).toMatchObject({ total: 2, nextCursor: null });
    expect(body.items.map(({ id }: { id: string }) => id)).toEqual([recent, old]);
    expect(body.items[1]).toMatchObject({
      originalFileName: 'old.jpg',
      type: 'IMAGE',
      fileSizeInBytes: 12,
      createdAt: '2025-01-01T00:00:00.000Z',
      reason: REASON,
      isLocked: false,
    });
  });

  test('are paged by a cursor, each once, also those of one moment', async () => {
    for (let at = 0; at < 5; at++) await add({ createdAt: day(1) });
    const all = await listIds();
    const first = await list('?size=2');
    expect(first.body.total).toBe(5);
    const second = await list(`?size=2&cursor=${first.body.nextCursor}`);
    const third = await list(`?size=2&cursor=${second.body.nextCursor}`);
    const paged = [first, second, third].flatMap(({ body }) =>
      body.items.map(({ id }: { id: string }) => id),
    );
    expect(paged).toEqual(all);
    expect(third.body.nextCursor).toBeNull();
  });

  test('of others, of the trash, hidden and locked ones are not listed', async () => {
    await add({ ownerId: stranger.id });
    await add({ trashedAt: new Date() });
    await add({ visibility: 'hidden' });
    const locked = await add({ lockedAt: new Date() });
    expect((await list()).body).toEqual({ items: [], total: 0, nextCursor: null });
    expect(await listIds('', { session: owner })).toEqual([]);
    await unlock(database, owner);
    expect(await listIds('', { session: owner })).toEqual([locked]);
    expect((await list('', { session: owner })).body.items[0].isLocked).toBe(true);
  });

  test('are counted for administrators over all accounts, without names', async () => {
    const count = (caller: Caller) => call(app, 'GET /assets/broken/count', caller);
    const admin = await seed(database).user(['all'], { isAdmin: true });
    const { total } = (await count({ as: admin })).body;
    await add();
    await add({ visibility: 'archive' });
    await add({ ownerId: stranger.id });
    for (const over of [
      { trashedAt: new Date() },
      { visibility: 'hidden' },
      { lockedAt: new Date() },
    ])
      await add(over);
    await seed(database).asset({ ownerId: owner.id });
    const { status, body } = await count({ as: admin });
    expect([status, body]).toEqual([200, { total: total + 3 }]);
    const weak = await seed(database).user(['asset.read'], { isAdmin: true });
    for (const as of [owner, weak]) expect((await count({ as })).status).toBe(403);
    expect((await count({})).status).toBe(401);
  });

  test('a cursor that is none, a key without the permission and nobody are refused', async () => {
    expect((await list('?cursor=x')).status).toBe(400);
    expect((await list('?size=0')).status).toBe(400);
    const limited = await seed(database).user(['album.read']);
    expect((await list('', { as: limited })).status).toBe(403);
    expect((await list('', {})).status).toBe(401);
  });
});
