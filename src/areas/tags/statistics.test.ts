import { describe, expect, test } from 'bun:test';
import { useApp } from '../../../test/support/database.ts';
import { call, seed, type TestUser } from '../../../test/support/harness.ts';
import { addStack, STATES } from '../../../test/support/household.ts';
import type { Json } from '../../../test/support/json.ts';

const { database, app } = await useApp();

const user = (permissions?: string[]) => seed(database).user(permissions);
const asset = (ownerId: string, over: object = {}) => seed(database).asset({ ownerId, ...over });

async function upsert(as: TestUser, ...tags: string[]): Promise<Json[]> {
  const reply = await call(app, 'PUT /tags', { as, body: { tags } });
  expect(reply.status).toBe(200);
  return reply.body;
}
const statistics = async (as: TestUser) => (await call(app, 'GET /tags/statistics', { as })).body;

describe('statistics', () => {
  test('count the tag itself, and with the tags below each item once', async () => {
    const me = await user();
    const [travel, japan] = await upsert(me, 'Travel', 'Travel/Japan', 'Empty');
    const [both, below] = [await asset(me.id), await asset(me.id)];
    await call(app, `PUT /tags/${travel.id}/assets`, { as: me, body: { ids: [both] } });
    await call(app, `PUT /tags/${japan.id}/assets`, { as: me, body: { ids: [both, below] } });
    expect(await statistics(me)).toEqual([
      { tagId: expect.any(String), count: 0, totalCount: 0 },
      { tagId: travel.id, count: 1, totalCount: 2 },
      { tagId: japan.id, count: 2, totalCount: 2 },
    ]);
    expect(await statistics(await user())).toEqual([]);
  });

  test('VS-001: of one asset in each state with the tag, one is counted', async () => {
    const me = await user();
    const [tag] = await upsert(me, 'T');
    const { plain, archived, locked, hidden, trashed } = STATES;
    for (const state of [plain, archived, locked, hidden, trashed]) {
      const id = await asset(me.id, state);
      await database.sql`insert into tag_asset values (${tag.id}, ${id})`;
    }
    expect(await statistics(me)).toEqual([{ tagId: tag.id, count: 1, totalCount: 1 }]);
  });

  test('ST-039: leave out a locked item, and tags that only it has, until it is unlocked', async () => {
    const me = await user();
    const [tag] = await upsert(me, 'a/b');
    const id = await asset(me.id);
    await call(app, `PUT /tags/${tag.id}/assets`, { as: me, body: { ids: [id] } });
    const counts = async () =>
      (await statistics(me)).map((row: { totalCount: number }) => row.totalCount);
    expect(await counts()).toEqual([1, 1]);
    await database.sql`update asset set locked_at = now() where id = ${id}`;
    expect(await counts()).toEqual([]);
    await database.sql`update asset set locked_at = null where id = ${id}`;
    expect(await counts()).toEqual([1, 1]);
  });

  test('equal what the Timeline lists by tag, including members of stacks', async () => {
    const me = await user();
    for (const state of Object.values(STATES)) await asset(me.id, state);
    const stackId = await addStack(database, me.id, await asset(me.id));
    const stackChild = await asset(me.id, { stackId, isStackChild: true });
    const [tag] = await upsert(me, 'all');
    await database.sql`
      insert into tag_asset select ${tag.id}, id from asset where owner_id = ${me.id}`;
    const query = `visibility=timeline&tagId=${tag.id}`;
    const buckets = await call(app, `GET /timeline/buckets?${query}`, { as: me });
    const bucket = await call(app, `GET /timeline/bucket?timeBucket=2026-01-01&${query}`, {
      as: me,
    });
    expect(bucket.body.id).toContain(stackChild);
    expect(await statistics(me)).toEqual([
      { tagId: tag.id, count: buckets.body[0].count, totalCount: bucket.body.id.length },
    ]);
  });
});
