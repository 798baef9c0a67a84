import { describe, expect, test } from 'bun:test';
import { handleCleanUpTags } from '../../src/areas/tags/handlers.ts';
import { inTransaction } from '../../src/db/transaction.ts';
import { useApp } from '../support/database.ts';
import { call, seed, type TestUser } from '../support/harness.ts';
import type { Json } from '../support/json.ts';

// Tags and stacks as people use them: README.md has the public threads.

const { database, app } = await useApp();
const { sql } = database;
const addUser = () => seed(database).user();
const ask = async (
  route: `${'GET' | 'POST' | 'PUT' | 'DELETE'} /${string}`,
  as: TestUser,
  body?: object,
): Promise<Json> => (await call(app, route, { as, ...(body && { body }) })).body;
const addPhotos = async (ownerId: string, count: number): Promise<string[]> => {
  const ids = [];
  for (let n = 0; n < count; n++) ids.push(await seed(database).asset({ ownerId }));
  return ids;
};
const listValues = async (as: TestUser): Promise<string[]> =>
  (await ask('GET /tags', as)).map(({ value }: Json) => value);

describe('tags', () => {
  test('596: a path that begins or ends with a slash makes no nameless level', async () => {
    const me = await addUser();
    await ask('PUT /tags', me, { tags: ['/Travel/Japan', 'Travel//Japan/', '/'] });
    expect(await listValues(me)).toEqual(['Travel', 'Travel/Japan']);
  });

  test('597: the clean-up deletes what no photo has, and keeps the levels above and other accounts', async () => {
    const [me, other] = [await addUser(), await addUser()];
    for (const user of [me, other])
      await ask('PUT /tags', user, { tags: ['Used/Deep', 'Unused/Deep'] });
    const [photo] = await addPhotos(me.id, 1);
    const tags: Json[] = await ask('GET /tags', me);
    const used = tags.find(({ value }) => value === 'Used/Deep');
    await ask(`PUT /tags/${used.id}/assets`, me, { ids: [photo] });
    const cleanUp = async () => {
      const effect = await handleCleanUpTags(database.deps as never, { ownerId: me.id });
      await inTransaction(database, ({ db }) => Promise.resolve(effect?.(db)));
    };
    await cleanUp();
    expect(await listValues(me)).toEqual(['Used', 'Used/Deep']);
    expect(await listValues(other)).toHaveLength(4);
    // A photo in the trash may come back with its tags.
    await ask('DELETE /assets', me, { ids: [photo] });
    await cleanUp();
    expect(await listValues(me)).toEqual(['Used', 'Used/Deep']);
    await ask('POST /trash/empty', me);
    await sql`delete from asset where id = ${photo!}`;
    await cleanUp();
    expect(await listValues(me)).toEqual([]);
  });

  test('598: archiving photos leaves a renamed tag as it is', async () => {
    const me = await addUser();
    const ids = await addPhotos(me.id, 2);
    const tag = await ask('POST /tags', me, { name: 'Old' });
    await ask(`PUT /tags/${tag.id}/assets`, me, { ids });
    await ask(`PUT /tags/${tag.id}`, me, { name: 'New' });
    await call(app, 'PUT /assets', { as: me, body: { ids, visibility: 'archive' } });
    expect(await listValues(me)).toEqual(['New']);
    for (const id of ids)
      expect((await ask(`GET /assets/${id}`, me)).tags.map(({ value }: Json) => value)).toEqual([
        'New',
      ]);
  });

  test('599: an odd neighbour in a bulk request does not keep the others from their tag', async () => {
    const [me, other] = [await addUser(), await addUser()];
    const [mine] = await addPhotos(me.id, 1);
    const [theirs] = await addPhotos(other.id, 1);
    const tag = await ask('POST /tags', me, { name: 'Trip' });
    const results = await ask(`PUT /tags/${tag.id}/assets`, me, { ids: [mine, theirs] });
    expect(results.map(({ id, success }: Json) => [id, success])).toEqual([
      [mine, true],
      [theirs, false],
    ]);
    expect((await ask(`GET /assets/${theirs}`, other)).tags).toEqual([]);
  });
});

describe('stacks', () => {
  const shown = async (me: TestUser): Promise<string[]> => {
    const buckets: Json[] = await ask('GET /timeline/buckets?withStacked=true', me);
    const ids: string[] = [];
    for (const { timeBucket } of buckets) {
      const path = `/timeline/bucket?withStacked=true&timeBucket=${timeBucket}` as const;
      ids.push(...(await ask(`GET ${path}`, me)).id);
    }
    return ids.sort();
  };

  test('600: the timeline shows a stack whose first photo was trashed by its next one', async () => {
    const me = await addUser();
    const ids = await addPhotos(me.id, 3);
    const stack = await ask('POST /stacks', me, { assetIds: ids });
    expect(await shown(me)).toEqual([ids[0]!]);
    await ask('DELETE /assets', me, { ids: [ids[0]] });
    const [next, ...others] = await shown(me);
    expect(others).toEqual([]);
    expect(ids.slice(1)).toContain(next!);
    const left = await ask(`GET /stacks/${stack.id}`, me);
    expect(left.primaryAssetId).toBe(next);
    expect(left.assets.map(({ id }: Json) => id).sort()).toEqual(ids.slice(1).sort());
    await ask('POST /trash/restore/assets', me, { ids: [ids[0]] });
    expect(await shown(me)).toEqual([ids[0]!]);
  });

  test('601: an emptied trash brings no first photo of a stack back, and takes no other', async () => {
    const me = await addUser();
    const ids = await addPhotos(me.id, 2);
    await ask('POST /stacks', me, { assetIds: ids });
    await ask('DELETE /assets', me, { ids: [ids[0]] });
    expect(await ask('POST /trash/empty', me)).toEqual({ count: 1 });
    expect(await shown(me)).toEqual([ids[1]!]);
    expect((await call(app, `GET /assets/${ids[0]!}`, { as: me })).status).toBe(400);
  });

  test('602: a stack of two is none when one of them is deleted', async () => {
    const me = await addUser();
    const ids = await addPhotos(me.id, 2);
    const stack = await ask('POST /stacks', me, { assetIds: ids });
    await ask('DELETE /assets', me, { ids: [ids[1]], force: true });
    expect((await call(app, `GET /stacks/${stack.id}`, { as: me })).status).toBe(400);
    expect((await ask(`GET /assets/${ids[0]}`, me)).stack).toBeNull();
    expect(await shown(me)).toEqual([ids[0]!]);
  });
});
