import { beforeAll, expect, test } from 'bun:test';
import { useApp } from './support/database.ts';
import { call, seed, type TestUser } from './support/harness.ts';
import { unlock } from './support/household.ts';
import { addPerson } from './support/people.ts';

const { database, app } = await useApp();
let me: TestUser;
let albumId: string;
let memoryId: string;
let personId: string;
let tagId: string;
beforeAll(async () => {
  me = await seed(database).user();
  albumId = (await call(app, 'POST /albums', { as: me, body: { albumName: 'a' } })).body.id;
  memoryId = (await call(app, 'POST /memories', { as: me, body: { name: 'a' } })).body.id;
  personId = (await addPerson(database, { ownerId: me.id, name: 'Ann' })).id;
  tagId = (await call(app, 'PUT /tags', { as: me, body: { tags: ['a'] } })).body[0].id;
  await seed(database).asset({ ownerId: me.id });
  await unlock(database, me);
});

const everything = async () =>
  JSON.stringify([
    await database.sql`select * from asset order by id`,
    await database.sql`select * from asset_exif order by asset_id`,
    await database.sql`select id from job order by id`,
  ]);

// Tools send what they have collected, also when that is nothing.
const routes: [route: () => string, body: object, status: number, answer?: unknown][] = [
  [() => 'PUT /assets', { ids: [] }, 204],
  [
    () => 'PUT /assets',
    {
      ids: [],
      isFavorite: true,
      visibility: 'archive',
      dateTimeRelative: 5,
      rating: 5,
      description: 'x',
      latitude: 1,
      longitude: 1,
    },
    204,
  ],
  [() => 'DELETE /assets', { ids: [] }, 204],
  [() => 'DELETE /assets', { ids: [], force: true }, 204],
  [() => 'POST /assets/jobs', { assetIds: [], name: 'refresh-metadata' }, 204],
  [() => 'POST /assets/lock', { ids: [] }, 204],
  [() => 'POST /assets/unlock', { ids: [] }, 204],
  [() => 'POST /assets/save', { ids: [] }, 200, []],
  [() => 'PUT /assets/metadata', { items: [] }, 200, []],
  [() => 'DELETE /assets/metadata', { items: [] }, 204],
  [() => `PUT /albums/${albumId}/assets`, { ids: [] }, 200, []],
  [() => `DELETE /albums/${albumId}/assets`, { ids: [] }, 200, []],
  [() => `PUT /memories/${memoryId}/assets`, { ids: [] }, 200, []],
  [() => `DELETE /memories/${memoryId}/assets`, { ids: [] }, 200, []],
  [() => `POST /people/${personId}/merge`, { ids: [] }, 200, []],
  [() => 'POST /people/names', { assetIds: [] }, 200, []],
  [() => 'PUT /people', { people: [] }, 200, []],
  [() => 'DELETE /people', { ids: [] }, 204],
  [() => `PUT /tags/${tagId}/assets`, { ids: [] }, 200, []],
  [() => `DELETE /tags/${tagId}/assets`, { ids: [] }, 200, []],
  [() => 'PUT /tags/assets', { assetIds: [], tagIds: [] }, 200, { count: 0 }],
  [() => 'DELETE /stacks', { ids: [] }, 204],
  [() => 'DELETE /duplicates', { ids: [] }, 204],
  [() => 'POST /trash/restore/assets', { ids: [] }, 200, { count: 0 }],
  [() => 'POST /download/info', { assetIds: [] }, 201, { archives: [], totalSize: 0 }],
];
for (const [route, body, status, answer] of routes) {
  test(`${route().replace('undefined', '{id}')} accepts a list of nothing, and changes nothing`, async () => {
    const before = await everything();
    const reply = await call(app, route() as 'PUT /assets', { session: me, body });
    expect(reply.status).toBe(status);
    if (answer !== undefined) expect(reply.body).toEqual(answer);
    expect(await everything()).toBe(before);
    expect((await call(app, route() as 'PUT /assets', { body })).status).toBe(401);
  });
}

test('an unknown person takes nobody in', async () => {
  const path = `POST /people/${crypto.randomUUID()}/merge` as const;
  expect((await call(app, path, { as: me, body: { ids: [] } })).status).toBe(400);
});
