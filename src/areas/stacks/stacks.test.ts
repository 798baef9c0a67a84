import { describe, expect, test } from 'bun:test';
import { useApp } from '../../../test/support/database.ts';
import { call, type Caller, seed, type TestUser } from '../../../test/support/harness.ts';
import { unlock } from '../../../test/support/household.ts';
import type { Stack } from './schemas.ts';

const { database, app } = await useApp();

const user = (permissions?: string[]) => seed(database).user(permissions);
/** Assets of one owner, each taken a day after the one before. */
async function photos(ownerId: string, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let day = 1; day <= count; day++) {
    ids.push(await seed(database).asset({ ownerId, takenAt: new Date(Date.UTC(2026, 0, day)) }));
  }
  return ids;
}
const create = (caller: Caller, ...assetIds: string[]) =>
  call(app, 'POST /stacks', { ...caller, body: { assetIds } });
async function stack(as: TestUser, ...assetIds: string[]): Promise<Stack> {
  const reply = await create({ as }, ...assetIds);
  expect(reply.status).toBe(201);
  return reply.body;
}
const toAssetIds = (stack: Stack): string[] => stack.assets.map((asset) => asset.id);
const listed = async (caller: Caller, query = ''): Promise<string[][]> =>
  (await call(app, `GET /stacks${query}`, caller)).body.map(toAssetIds);
/** Stack membership and primary assets, from the rows. */
const listStackRows = async (ids: string[]) =>
  (await database.sql`
    select id, stack_id, is_stack_child from asset where id = any(${ids}::uuid[])
    order by taken_at`) as { id: string; stack_id: string | null; is_stack_child: boolean }[];

test('deleting a stack keeps its assets', async () => {
  const me = await user();
  const ids = await photos(me.id, 3);
  const made = await stack(me, ids[1]!, ids[2]!, ids[0]!, ids[1]!.toUpperCase());
  expect(made.primaryAssetId).toBe(ids[1]!);
  expect(toAssetIds(made)).toEqual([ids[1]!, ids[0]!, ids[2]!]);
  expect(made.assets[0]).toMatchObject({
    ownerId: me.id,
    exifInfo: { description: '' },
    stack: { id: made.id, primaryAssetId: ids[1], assetCount: 3 },
  });
  expect((await call(app, `GET /stacks/${made.id}`, { as: me })).body).toEqual(made);
  expect(await listed({ as: me })).toEqual([toAssetIds(made)]);
  expect(await listed({ as: me }, `?primaryAssetId=${ids[1]}`)).toEqual([toAssetIds(made)]);
  expect(await listed({ as: me }, `?primaryAssetId=${ids[0]}`)).toEqual([]);

  expect((await call(app, `DELETE /stacks/${made.id}`, { as: me })).status).toBe(204);
  expect(await listed({ as: me })).toEqual([]);
  expect((await call(app, `GET /stacks/${made.id}`, { as: me })).status).toBe(400);
  expect((await listStackRows(ids)).map((row) => [row.stack_id, row.is_stack_child])).toEqual(
    ids.map(() => [null, false]),
  );
  const asset = (await call(app, `GET /assets/${ids[0]}`, { as: me })).body;
  expect(asset.stack).toBeNull();
});

describe('POST /stacks', () => {
  test('EP-012: an asset that is primary of another stack brings that whole stack in', async () => {
    const me = await user();
    const [a, b, c] = (await photos(me.id, 3)) as [string, string, string];
    const old = await stack(me, a, b);
    const made = await stack(me, c, a);
    expect(made.primaryAssetId).toBe(c);
    expect(toAssetIds(made)).toEqual([c, a, b]);
    expect((await call(app, `GET /stacks/${old.id}`, { as: me })).status).toBe(400);
    expect(await listed({ as: me })).toEqual([[c, a, b]]);
    expect((await listStackRows([a, b, c])).map((row) => row.is_stack_child)).toEqual([
      true,
      true,
      false,
    ]);
  });

  test('another member joins alone, and a stack with one remaining asset is deleted', async () => {
    const me = await user();
    const [a, b, c, d, e] = (await photos(me.id, 5)) as [string, string, string, string, string];
    const three = await stack(me, a, b, c);
    const two = await stack(me, d, e);
    const made = await stack(me, c, e);
    expect(toAssetIds(made)).toEqual([c, e]);
    expect(toAssetIds((await call(app, `GET /stacks/${three.id}`, { as: me })).body)).toEqual([
      a,
      b,
    ]);
    expect((await call(app, `GET /stacks/${two.id}`, { as: me })).status).toBe(400);
    expect((await listStackRows([d]))[0]).toMatchObject({ stack_id: null, is_stack_child: false });
  });

  test('concurrent requests for the same assets leave each asset in at most one stack', async () => {
    const me = await user();
    for (let round = 0; round < 10; round++) {
      const [a, b, c] = (await photos(me.id, 3)) as [string, string, string];
      const replies = await Promise.all([
        create({ as: me }, a, b),
        create({ as: me }, b, c),
        create({ as: me }, c, a),
      ]);
      expect(replies.map((reply) => reply.status)).toEqual([201, 201, 201]);
      const rows = await listStackRows([a, b, c]);
      expect(new Set(rows.map((row) => row.stack_id)).size).toBeLessThanOrEqual(2);
      const inStack = rows.filter((row) => row.stack_id);
      expect(inStack.length).toBeGreaterThanOrEqual(2);
      expect(inStack.filter((row) => !row.is_stack_child)).toHaveLength(1);
    }
  });

  test('requires two or more listed assets of the caller, all locked or none', async () => {
    const [me, stranger] = [await user(), await user()];
    const [mine, second] = (await photos(me.id, 2)) as [string, string];
    const over = (values: object) => seed(database).asset({ ownerId: me.id, ...values });
    const [foreign] = (await photos(stranger.id, 1)) as [string];
    const locked = await over({ lockedAt: new Date() });
    const refused: [string[], string][] = [
      [[mine, foreign], 'Not found or no asset.update access'],
      [[mine, crypto.randomUUID()], 'Not found or no asset.update access'],
      [[mine, locked], 'Not found or no asset.update access'],
      [[mine, await over({ trashedAt: new Date() })], 'Assets in the trash cannot be stacked'],
      [[mine, await over({ visibility: 'hidden' })], 'Hidden assets cannot be stacked'],
      [[mine, mine.toUpperCase()], 'A stack needs at least two assets'],
      [[mine], 'Validation failed'],
    ];
    for (const [ids, message] of refused) {
      expect(await create({ as: me }, ...ids)).toMatchObject({ status: 400, body: { message } });
    }
    await unlock(database, me);
    const mixed = await create({ session: me }, mine, locked);
    expect(mixed.body.message).toBe('Locked assets can only be stacked with locked assets');
    expect(await listed({ session: me })).toEqual([]);

    const another = await over({ lockedAt: new Date() });
    expect((await create({ session: me }, locked, another)).status).toBe(201);
    expect((await create({ as: me }, mine, second)).status).toBe(201);
    expect(await listed({ session: me })).toHaveLength(2);
    expect(await listed({ as: me })).toEqual([[mine, second]]);
  });
});

describe('changing a stack', () => {
  test('another member can become primary, an asset outside the stack cannot', async () => {
    const me = await user();
    const [a, b, c] = (await photos(me.id, 3)) as [string, string, string];
    const made = await stack(me, a, b);
    const put = (body: object) => call(app, `PUT /stacks/${made.id}`, { as: me, body });
    expect((await put({ primaryAssetId: b })).body).toMatchObject({ primaryAssetId: b });
    expect((await listStackRows([a, b])).map((row) => row.is_stack_child)).toEqual([true, false]);
    for (const id of [c, crypto.randomUUID()]) {
      const refused = await put({ primaryAssetId: id });
      expect(refused).toMatchObject({
        status: 400,
        body: { message: 'Primary asset must be in the stack' },
      });
    }
    expect((await put({})).body).toMatchObject({ primaryAssetId: b });
  });

  test('a member can be removed, the primary cannot, and a stack of one is deleted', async () => {
    const me = await user();
    const [a, b, c] = (await photos(me.id, 3)) as [string, string, string];
    const made = await stack(me, a, b, c);
    const remove = (id: string) => call(app, `DELETE /stacks/${made.id}/assets/${id}`, { as: me });
    expect((await remove(a)).body.message).toBe("Cannot remove stack's primary asset");
    expect((await remove(crypto.randomUUID())).body.message).toBe('Asset not in stack');
    expect((await remove(b)).status).toBe(204);
    expect((await remove(b)).body.message).toBe('Asset not in stack');
    expect(await listed({ as: me })).toEqual([[a, c]]);
    expect((await remove(c)).status).toBe(204);
    expect(await listed({ as: me })).toEqual([]);
    for (const row of await listStackRows([a, b, c])) {
      expect(row).toMatchObject({ stack_id: null, is_stack_child: false });
    }
  });

  test('deleting many stacks deletes all of them or none', async () => {
    const [me, stranger] = [await user(), await user()];
    const [a, b, c, d] = (await photos(me.id, 4)) as [string, string, string, string];
    const [x, y] = (await photos(stranger.id, 2)) as [string, string];
    const [first, second] = [await stack(me, a, b), await stack(me, c, d)];
    const foreign = await stack(stranger, x, y);
    const remove = (...ids: string[]) => call(app, 'DELETE /stacks', { as: me, body: { ids } });
    for (const other of [foreign.id, crypto.randomUUID()]) {
      expect(await remove(first.id, other)).toMatchObject({
        status: 400,
        body: { message: 'Not found or no stack.delete access' },
      });
    }
    expect(await listed({ as: me })).toHaveLength(2);
    expect((await remove(first.id, second.id, first.id)).status).toBe(204);
    expect(await listed({ as: me })).toEqual([]);
    expect(await listed({ as: stranger })).toEqual([[x, y]]);
  });
});

describe('members that the session cannot see', () => {
  test('a trashed member is hidden, and the next one represents the stack', async () => {
    const me = await user();
    const [a, b, c, d] = (await photos(me.id, 4)) as [string, string, string, string];
    const made = await stack(me, c, b, a, d);
    const read = async () => (await call(app, `GET /stacks/${made.id}`, { as: me })).body;
    await database.sql`update asset set trashed_at = now() where id = ${c}`;
    expect(await read()).toMatchObject({ primaryAssetId: a });
    expect(toAssetIds(await read())).toEqual([a, b, d]);
    const shown = (await call(app, `GET /assets/${b}`, { as: me })).body.stack;
    expect(shown).toEqual({ id: made.id, primaryAssetId: a, assetCount: 3 });
    expect(await listed({ as: me }, `?primaryAssetId=${c}`)).toEqual([]);
    // The one that stands for it brings the whole stack along, also what is in the trash.
    const [e] = (await photos(me.id, 1)) as [string];
    const merged = await stack(me, e, a);
    expect(toAssetIds(merged).toSorted()).toEqual([a, b, d, e].toSorted());
    await database.sql`update asset set trashed_at = null where id = ${c}`;
    expect(await listed({ as: me })).toEqual([[e, a, b, c, d]]);
  });

  test('restoring the primary makes it the representative again', async () => {
    const me = await user();
    const [a, b] = (await photos(me.id, 2)) as [string, string];
    const made = await stack(me, b, a);
    await database.sql`update asset set trashed_at = now() where id = ${b}`;
    expect(await listed({ as: me })).toEqual([[a]]);
    const remove = (id: string) => call(app, `DELETE /stacks/${made.id}/assets/${id}`, { as: me });
    expect((await remove(a)).body.message).toBe("Cannot remove stack's primary asset");
    await database.sql`update asset set trashed_at = null where id = ${b}`;
    expect(await listed({ as: me })).toEqual([[b, a]]);
    await database.sql`update asset set trashed_at = now() where id in (${a}, ${b})`;
    expect(await listed({ as: me })).toEqual([]);
    expect((await call(app, `GET /stacks/${made.id}`, { as: me })).status).toBe(400);
    await database.sql`update asset set trashed_at = null where id = ${b}`;
    expect((await remove(a)).status).toBe(204);
    expect((await listStackRows([a, b])).map((row) => row.stack_id)).toEqual([null, null]);
  });

  test('a locked stack is returned in an unlocked session only', async () => {
    const me = await user();
    const [a, b] = (await photos(me.id, 2)) as [string, string];
    const made = await stack(me, a, b);
    await database.sql`update asset set locked_at = now() where id in (${a}, ${b})`;
    const attempts = async (caller: Caller) => [
      (await call(app, `GET /stacks/${made.id}`, caller)).status,
      (await call(app, `PUT /stacks/${made.id}`, { ...caller, body: {} })).status,
      (await call(app, `DELETE /stacks/${made.id}/assets/${b}`, caller)).status,
      (await call(app, `DELETE /stacks/${made.id}`, caller)).status,
    ];
    expect(await listed({ session: me })).toEqual([]);
    expect(await attempts({ session: me })).toEqual([400, 400, 400, 400]);
    await unlock(database, me);
    expect(await listed({ session: me })).toEqual([[a, b]]);
    // A key alone never sees what is locked.
    expect(await attempts({ as: me })).toEqual([400, 400, 400, 400]);
    expect(await attempts({ session: me })).toEqual([200, 200, 204, 400]);
  });
});
