import { describe, expect, test } from 'bun:test';
import { useApp } from '../../../test/support/database.ts';
import { call, seed, type TestUser } from '../../../test/support/harness.ts';
import type { Json } from '../../../test/support/json.ts';

const { database, app } = await useApp();

const user = (permissions?: string[]) => seed(database).user(permissions);
const asset = (ownerId: string, over: object = {}) => seed(database).asset({ ownerId, ...over });

async function upsert(as: TestUser, ...tags: string[]): Promise<Json[]> {
  const reply = await call(app, 'PUT /tags', { as, body: { tags } });
  expect(reply.status).toBe(200);
  return reply.body;
}
const values = async (as: TestUser): Promise<string[]> =>
  (await call(app, 'GET /tags', { as })).body.map((tag: { value: string }) => tag.value);
const statistics = async (as: TestUser) => (await call(app, 'GET /tags/statistics', { as })).body;
const listErrors = (reply: { body: { error?: string }[] }) =>
  reply.body.map(({ error = 'ok' }) => error);

test('a tag can be created, changed and deleted', async () => {
  const me = await user();
  const created = await call(app, 'POST /tags', { as: me, body: { name: ' Pets ', color: '0f0' } });
  expect(created.status).toBe(201);
  expect(created.body).toEqual({
    id: created.body.id,
    name: 'Pets',
    value: 'Pets',
    color: '#0f0',
    createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]+\.\d{3}Z$/),
    updatedAt: expect.any(String),
  });
  const path = `/tags/${created.body.id}` as const;
  expect((await call(app, `GET ${path}`, { as: me })).body).toEqual(created.body);
  expect((await call(app, 'GET /tags', { as: me })).body).toEqual([created.body]);

  const recoloured = await call(app, `PUT ${path}`, { as: me, body: { color: null } });
  expect(recoloured.body.color).toBeUndefined();
  expect((await call(app, `DELETE ${path}`, { as: me })).status).toBe(204);
  expect((await call(app, `GET ${path}`, { as: me })).status).toBe(400);
  expect((await call(app, `DELETE ${path}`, { as: me })).status).toBe(400);
  expect(await values(me)).toEqual([]);
});

describe('names and paths', () => {
  test('a name is one part of the path, and unique below its parent', async () => {
    const [me, other] = [await user(), await user()];
    const make = (as: TestUser, body: object) => call(app, 'POST /tags', { as, body });
    const { body: top } = await make(me, { name: 'Travel' });
    const child = await make(me, { name: 'Japan', parentId: top.id });
    expect(child.body).toMatchObject({ name: 'Japan', value: 'Travel/Japan', parentId: top.id });
    expect((await make(me, { name: 'Japan', parentId: null })).status).toBe(201);
    expect((await make(other, { name: 'Travel' })).status).toBe(201);

    const taken = await make(me, { name: 'Japan', parentId: top.id });
    expect(taken).toMatchObject({
      status: 400,
      body: { message: 'A tag with that name already exists' },
    });
    for (const name of ['', '  ', 'a/b', '/', 'x'.repeat(256)]) {
      expect((await make(me, { name })).status).toBe(400);
    }
    const message = 'Tag name cannot contain slash characters ("/")';
    const { errors } = (await make(me, { name: 'a/b' })).body;
    expect(errors).toMatchObject([{ path: ['name'], message }]);
    const moved = { as: me, body: { name: 'a/b' } };
    expect((await call(app, `PUT /tags/${top.id}`, moved)).body.errors).toMatchObject([
      { message },
    ]);
    const foreign = await make(other, { name: 'x', parentId: top.id });
    const unknown = await make(other, { name: 'x', parentId: crypto.randomUUID() });
    expect(foreign).toMatchObject({
      status: 400,
      body: { message: 'Not found or no tag.read access' },
    });
    expect(foreign.body).toEqual(unknown.body);
    expect(await values(me)).toEqual(['Japan', 'Travel', 'Travel/Japan']);
    expect(await values(other)).toEqual(['Travel']);
  });

  test('upserting paths creates missing levels and returns the last ones', async () => {
    const me = await user();
    const [first] = await upsert(me, 'a/b');
    const leaves = await upsert(me, 'a/b/c', 'x', 'a/b', 'a//b /', ' / ');
    expect(leaves.map((tag) => tag.value)).toEqual(['a/b/c', 'x', 'a/b', 'a/b']);
    expect(leaves[2].id).toBe(first.id);
    expect(leaves[0].parentId).toBe(first.id);
    expect(await values(me)).toEqual(['a', 'a/b', 'a/b/c', 'x']);
    expect(await upsert(me)).toEqual([]);
  });

  test('concurrent upserts of the same paths create each tag once', async () => {
    const me = await user();
    const replies = await Promise.all(
      Array.from({ length: 8 }, (_, n) => upsert(me, `p/q/${n % 2}`, 'p/q')),
    );
    expect(new Set(replies.map((leaves) => leaves[1].id)).size).toBe(1);
    expect(await values(me)).toEqual(['p', 'p/q', 'p/q/0', 'p/q/1']);
  });

  test('renaming also renames descendants, and refuses a name that is taken', async () => {
    const me = await user();
    const [top] = await upsert(me, 'a', 'a/b/c', 'ab', 'z', '😀', '😀/d');
    const rename = (id: string, name: string) =>
      call(app, `PUT /tags/${id}`, { as: me, body: { name } });
    expect((await rename(top.id, 'é😀')).body).toMatchObject({ name: 'é😀', value: 'é😀' });
    expect((await values(me)).toSorted()).toEqual(
      ['ab', 'z', 'é😀', 'é😀/b', 'é😀/b/c', '😀', '😀/d'].toSorted(),
    );
    expect((await rename(top.id, 'z')).body.message).toBe('A tag with that name already exists');
    expect((await rename(top.id, 'x/y')).status).toBe(400);
    expect((await rename(top.id, 'é😀')).status).toBe(200);
    expect(await values(me)).toContain('é😀/b/c');
  });

  test('a tag moves below another or to the top with everything below it, never below itself', async () => {
    const [me, other] = [await user(), await user()];
    const [a, b, leaf] = await upsert(me, 'a', 'b', 'a/x/y');
    const [foreign] = await upsert(other, 'theirs');
    const x = (await call(app, 'GET /tags', { as: me })).body.find(
      (t: { value: string }) => t.value === 'a/x',
    );
    const move = (id: string, body: object, as = me) => call(app, `PUT /tags/${id}`, { as, body });
    const moved = await move(x.id, { parentId: b.id, name: 'z' });
    expect(moved).toMatchObject({ status: 200, body: { value: 'b/z', parentId: b.id } });
    expect(await values(me)).toEqual(['a', 'b', 'b/z', 'b/z/y']);
    for (const parentId of [b.id, leaf.id, x.id]) {
      expect((await move(b.id, { parentId })).status).toBe(400);
    }
    for (const parentId of [foreign.id, crypto.randomUUID()]) {
      expect((await move(x.id, { parentId })).status).toBe(400);
    }
    expect((await move(x.id, { parentId: a.id }, other)).status).toBe(400);
    await upsert(me, 'a/z');
    const taken = await move(x.id, { parentId: a.id });
    expect(taken.body.message).toBe('A tag with that name already exists');
    const top = await move(x.id, { parentId: null });
    expect(top.body).not.toHaveProperty('parentId');
    expect(await values(me)).toEqual(['a', 'a/z', 'b', 'z', 'z/y']);
    expect(await values(other)).toEqual(['theirs']);
  });

  test('refuses a path longer than an index entry, also of descendants', async () => {
    const me = await user();
    const part = 'ü'.repeat(220);
    const path = [part, part, part, part].join('/');
    const [leaf] = await upsert(me, path);
    expect(leaf.value).toBe(path);
    const deeper = await call(app, 'PUT /tags', { as: me, body: { tags: [`${path}/${part}`] } });
    expect(deeper).toMatchObject({ status: 400, body: { message: 'Validation failed' } });
    const under = { name: 'ü'.repeat(220), parentId: leaf.id };
    expect((await call(app, 'POST /tags', { as: me, body: under })).status).toBe(400);
    const [top] = await upsert(me, part);
    const longer = { name: '語'.repeat(255) };
    expect((await call(app, `PUT /tags/${top.id}`, { as: me, body: longer })).status).toBe(400);
    expect(await values(me)).toHaveLength(4);
  });

  test('a rename leaves no old path when tags are added below it concurrently', async () => {
    const me = await user();
    const [top] = await upsert(me, 'top');
    await Promise.all([
      ...Array.from({ length: 6 }, (_, n) =>
        call(app, 'POST /tags', { as: me, body: { name: `n${n}`, parentId: top.id } }),
      ),
      call(app, `PUT /tags/${top.id}`, { as: me, body: { name: 'up' } }),
    ]);
    expect(await values(me)).toEqual(['up', ...Array.from({ length: 6 }, (_, n) => `up/n${n}`)]);
  });
});

describe('tags on assets', () => {
  test('returns a result for each id, in order', async () => {
    const [me, stranger] = [await user(), await user()];
    const [tag] = await upsert(me, 'a');
    const ids = {
      mine: await asset(me.id),
      archived: await asset(me.id, { visibility: 'archive' }),
      trashed: await asset(me.id, { trashedAt: new Date() }),
      locked: await asset(me.id, { lockedAt: new Date() }),
      foreign: await asset(stranger.id),
      unknown: crypto.randomUUID(),
    };
    const body = { ids: [...Object.values(ids), ids.mine.toUpperCase()] };
    const put = await call(app, `PUT /tags/${tag.id}/assets`, { as: me, body });
    expect(put.status).toBe(200);
    expect(listErrors(put as never)).toEqual([
      'ok',
      'ok',
      'ok',
      'no_permission',
      'no_permission',
      'no_permission',
      'duplicate',
    ]);
    const again = { ids: [ids.mine] };
    const duplicate = await call(app, `PUT /tags/${tag.id}/assets`, { as: me, body: again });
    expect(duplicate.body).toEqual([{ id: ids.mine, success: false, error: 'duplicate' }]);

    // An asset that this session does not see keeps its tag; the answer is that it has none.
    await database.sql`insert into tag_asset values (${tag.id}, ${ids.locked})`;
    const taken = await call(app, `DELETE /tags/${tag.id}/assets`, { as: me, body });
    expect(listErrors(taken as never)).toEqual([
      'ok',
      'ok',
      'ok',
      'not_found',
      'not_found',
      'not_found',
      'not_found',
    ]);
    const left = await database.sql`select asset_id from tag_asset where tag_id = ${tag.id}`;
    expect(left.map((row) => row['asset_id'])).toEqual([ids.locked]);
  });

  test('adds every tag to every asset, and returns the number of new pairs', async () => {
    const [me, stranger] = [await user(), await user()];
    const [a, b] = await upsert(me, 'a', 'b');
    const [foreignTag] = await upsert(stranger, 'c');
    const [mine, second, foreign] = [
      await asset(me.id),
      await asset(me.id),
      await asset(stranger.id),
    ];
    const put = (tagIds: string[], assetIds: string[]) =>
      call(app, 'PUT /tags/assets', { as: me, body: { tagIds, assetIds } });
    expect((await put([a.id], [mine])).body).toEqual({ count: 1 });
    const all = [
      [a.id, b.id, foreignTag.id, crypto.randomUUID()],
      [mine, second, foreign],
    ] as const;
    expect((await put([...all[0]], [...all[1]])).body).toEqual({ count: 3 });
    expect((await put([...all[0]], [...all[1]])).body).toEqual({ count: 0 });
    expect((await put([], [mine])).body).toEqual({ count: 0 });
    const rows = await database.sql`
      select 1 from tag_asset where asset_id = ${foreign} or tag_id = ${foreignTag.id}`;
    expect(rows.length).toBe(0);
    const many = Array.from({ length: 1001 }, () => crypto.randomUUID());
    expect((await put(many, many)).status).toBe(400);
  });

  test('shows the tags of an asset to its owner only', async () => {
    const [me, viewer] = [await user(), await user()];
    await database.sql`insert into partner (sharer_id, viewer_id) values (${me.id}, ${viewer.id})`;
    const id = await asset(me.id);
    const [tag] = await upsert(me, 'a/b');
    await call(app, `PUT /tags/${tag.id}/assets`, { as: me, body: { ids: [id] } });
    expect((await call(app, `GET /assets/${id}`, { as: me })).body.tags).toEqual([tag]);
    expect((await call(app, `GET /assets/${id}`, { as: viewer })).body.tags).toEqual([]);
  });

  test('deleting a tag deletes its descendants, and keeps the assets', async () => {
    const me = await user();
    const [below, stays] = await upsert(me, 'a/b/c', 'ab');
    const id = await asset(me.id);
    const body = { tagIds: [below.id, stays.id], assetIds: [id] };
    await call(app, 'PUT /tags/assets', { as: me, body });
    const tags = (await call(app, 'GET /tags', { as: me })).body;
    const middle = tags.find((tag: { value: string }) => tag.value === 'a/b');
    expect((await call(app, `DELETE /tags/${middle.id}`, { as: me })).status).toBe(204);
    expect(await values(me)).toEqual(['a', 'ab']);
    const left = (await call(app, `GET /assets/${id}`, { as: me })).body;
    expect(left.tags.map((tag: { value: string }) => tag.value)).toEqual(['ab']);
    expect((await statistics(me)).map((row: { count: number }) => row.count)).toEqual([0, 1]);
  });
});
