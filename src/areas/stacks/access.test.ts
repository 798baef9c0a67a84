import { describe, expect, test } from 'bun:test';
import { useHousehold } from '../../../test/support/database.ts';
import { call, type Caller, seed, type TestUser } from '../../../test/support/harness.ts';
import type { Stack } from './schemas.ts';

const { database, app, house } = await useHousehold();

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

describe('access to stacks', () => {
  const operations = (id: string, assetId: string) =>
    [
      [`GET /stacks/${id}`, undefined, 'stack.read'],
      [`PUT /stacks/${id}`, { primaryAssetId: assetId }, 'stack.update'],
      [`DELETE /stacks/${id}/assets/${assetId}`, undefined, 'stack.update'],
      [`DELETE /stacks/${id}`, undefined, 'stack.delete'],
      ['DELETE /stacks', { ids: [id] }, 'stack.delete'],
    ] as const;

  test("ER-017: every operation returns the same error for another user's stack and an unknown one", async () => {
    const [me, stranger] = [await user(), await user()];
    const [a, b] = (await photos(me.id, 2)) as [string, string];
    const made = await stack(me, a, b);
    await database.sql`insert into partner values (${me.id}, ${stranger.id}, true)`;
    const unknown = operations(crypto.randomUUID(), b);
    for (const [index, [route, body, permission]] of operations(made.id, b).entries()) {
      const caller = { as: stranger, ...(body && { body }) };
      const reply = await call(app, route, caller);
      expect(reply).toMatchObject({
        status: 400,
        body: { message: `Not found or no ${permission} access` },
      });
      const [other, otherBody] = unknown[index]!;
      const none = await call(app, other, { as: stranger, ...(otherBody && { body: otherBody }) });
      expect(none.body).toEqual(reply.body);
    }
    expect(await listed({ as: stranger }, `?primaryAssetId=${a}`)).toEqual([]);
    expect(await listed({ as: me })).toEqual([[a, b]]);
  });

  test('a shared link gives access to no stack', async () => {
    const { ids, owner } = house;
    const found = (await call(app, 'GET /stacks', { as: owner })).body;
    expect(found).toHaveLength(1);
    for (const [route, body] of operations(found[0].id, ids.stackChild)) {
      const reply = await call(app, `${route}?slug=assets`, body ? { body } : {});
      expect(reply.status).toBe(403);
    }
    expect((await call(app, 'GET /stacks?slug=assets')).status).toBe(403);
    expect((await call(app, 'POST /stacks?slug=assets', { body: { assetIds: [] } })).status).toBe(
      403,
    );
  });

  test('AU-003, AU-004, AU-005: an API key needs the permission of the operation', async () => {
    for (const [permission, expected] of [
      ['stack.read', 200],
      ['all', 200],
      ['stack.create', 403],
    ] as const) {
      const reply = await call(app, 'GET /stacks', { as: await user([permission]) });
      expect(reply.status).toBe(expected);
      if (expected === 403) {
        expect(reply.body.message).toBe('Missing required permission: stack.read');
      }
    }
    const reader = await user(['stack.read', 'stack.create', 'stack.update']);
    const [a, b] = (await photos(reader.id, 2)) as [string, string];
    const made = await stack(reader, a, b);
    const refused = await call(app, `DELETE /stacks/${made.id}`, { as: reader });
    expect(refused.body.message).toBe('Missing required permission: stack.delete');
  });
});
