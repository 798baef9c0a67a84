import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test';
import { join } from 'node:path';
import { writeFaceModels } from '../../../../test/support/generated-models.ts';
import {
  call,
  seed,
  type TestDatabase,
  testApp,
  testDatabase,
  type TestUser,
} from '../../../../test/support/harness.ts';
import { addFace, addPerson } from '../../../../test/support/people.ts';
import {
  addWorkflow,
  own,
  readLog,
  runWorkflows,
  tagAssets,
} from '../../../../test/support/workflows.ts';
import type { App } from '../../../app.ts';
import { clearModelCache } from '../../../inference/capabilities.ts';

let database: TestDatabase;
let app: App;
let me: TestUser;
let granny: TestUser;
let ann: string;
beforeAll(async () => {
  database = await testDatabase();
  app = testApp(database);
  await writeFaceModels(join(database.deps.settings.dataDir, 'models/facial-recognition/made'), 64);
  clearModelCache();
});
afterAll(async () => {
  await database.close();
  clearModelCache();
});
beforeEach(async () => {
  await database.sql`truncate system_config`;
  me = await seed(database).user();
  granny = await seed(database).user();
  ann = (await addPerson(database, { ownerId: me.id, name: 'Ann' })).id;
});

/** A recognised photo of a person. */
async function addPhoto(personId?: string): Promise<string> {
  const photo = await seed(database).asset({ ownerId: me.id });
  if (personId) await addFace(database, { ownerId: me.id, assetId: photo, personId });
  await database.sql`update face set clustered_at = now() where asset_id = ${photo}`;
  await database.sql`
    insert into asset_analysis (asset_id, task, model_id) values (${photo}, 'faces', 'm')`;
  return photo;
}

const share = (personIds: string[], userIds: string[]) =>
  addWorkflow(app, me, [own('shareToPersonAlbum', { personIds, userIds })]);
async function run(...photos: string[]): Promise<void> {
  await tagAssets(app, me, photos);
  await runWorkflows(database);
}
const listAlbums = async (as: TestUser): Promise<[string, number][]> =>
  (await call(app, 'GET /albums', { as })).body.map(
    (album: { albumName: string; assetCount: number }) => [album.albumName, album.assetCount],
  );

test('photos of the person are in an album that the accounts may view, and only these', async () => {
  const stranger = await seed(database).user();
  const bob = (await addPerson(database, { ownerId: me.id, name: 'Bob' })).id;
  const id = await share([ann], [granny.id]);
  const photos = [await addPhoto(ann), await addPhoto(ann), await addPhoto(bob), await addPhoto()];
  await run(...photos);
  await run(...photos);
  for (const as of [me, granny]) expect(await listAlbums(as)).toEqual([['Ann', 2]]);
  expect(await listAlbums(stranger)).toEqual([]);
  const [album] = (await call(app, 'GET /albums', { as: granny })).body;
  const body = { ids: [photos[2]] };
  const added = await call(app, `PUT /albums/${album.id}/assets`, { as: granny, body });
  expect(added.status).toBe(400);
  const invited = await call(app, 'GET /notifications', { as: granny });
  expect(invited.body).toHaveLength(1);
  const results = (await readLog(app, me, id)).map(({ result }) => result);
  expect(new Set(results)).toEqual(new Set(['completed']));
});

test('waits until it is known who is in the photo', async () => {
  const id = await share([ann], [granny.id]);
  const photo = await seed(database).asset({ ownerId: me.id });
  await run(photo);
  expect(await readLog(app, me, id)).toEqual([]);
  expect(
    await database.sql`
    select waits_for from workflow_run where workflow_id = ${id}`,
  ).toEqual([{ waits_for: 'faces' }] as never);
  expect(await listAlbums(granny)).toEqual([]);
});

test('an album that is not shared with them is not shown to them', async () => {
  const secret = await seed(database).asset({ ownerId: me.id });
  const body = { albumName: 'Ann', assetIds: [secret] };
  await call(app, 'POST /albums', { as: me, body });
  const id = await share([ann], [granny.id]);
  await run(await addPhoto(ann));
  expect((await readLog(app, me, id))[0]).toMatchObject({
    result: 'error',
    error: 'The album Ann exists, and is not shared with the chosen accounts',
  });
  expect(await listAlbums(granny)).toEqual([]);
  expect(await listAlbums(me)).toEqual([['Ann', 1]]);
});

test('an account that has left the album is not invited again', async () => {
  const grandpa = await seed(database).user();
  await share([ann], [granny.id, grandpa.id]);
  await run(await addPhoto(ann));
  const [album] = (await call(app, 'GET /albums', { as: granny })).body;
  await call(app, `DELETE /albums/${album.id}/user/me`, { as: granny });
  await run(await addPhoto(ann));
  expect(await listAlbums(granny)).toEqual([]);
  expect(await listAlbums(grandpa)).toEqual([['Ann', 2]]);
});

test('locked and trashed photos are not shared', async () => {
  await share([ann], [granny.id]);
  const [locked, trashed] = [await addPhoto(ann), await addPhoto(ann)];
  await tagAssets(app, me, [locked, trashed]);
  await database.sql`update asset set locked_at = now() where id = ${locked}`;
  await database.sql`update asset set trashed_at = now() where id = ${trashed}`;
  await runWorkflows(database);
  expect(await listAlbums(granny)).toEqual([]);
});

test("refuses strangers' people and accounts that the owner does not see", async () => {
  const stranger = await seed(database).user();
  const theirs = (await addPerson(database, { ownerId: stranger.id, name: 'Theirs' })).id;
  const refuse = async (personIds: string[], userIds: string[]) => {
    const steps = [own('shareToPersonAlbum', { personIds, userIds })];
    const body = { trigger: 'AssetTagged', steps };
    const reply = await call(app, 'POST /workflows', { as: me, body });
    return [reply.status, reply.body.errors?.[0].path.join('.')];
  };
  const config = 'steps.0.config';
  expect(await refuse([theirs], [granny.id])).toEqual([400, `${config}.personIds.0`]);
  expect(await refuse([ann], [crypto.randomUUID()])).toEqual([400, `${config}.userIds.0`]);
  expect(await refuse([ann], [granny.id, me.id])).toEqual([400, `${config}.userIds.1`]);
  await database.sql`
    insert into system_config (section, value) values ('server', '{"publicUsers": false}')`;
  expect(await refuse([ann], [granny.id])).toEqual([400, `${config}.userIds.0`]);
});

test('an account that the owner does not see any more gets nothing', async () => {
  const id = await share([ann], [granny.id]);
  await database.sql`
    insert into system_config (section, value) values ('server', '{"publicUsers": false}')`;
  await run(await addPhoto(ann));
  expect((await readLog(app, me, id))[0]).toMatchObject({
    error: 'None of the accounts to share with exists',
  });
  expect(await listAlbums(granny)).toEqual([]);
});

test('is shared without its ids, also those of a group', async () => {
  const filters = [{ method: 'immich-plugin-core#filterPerson', config: { personIds: [ann] } }];
  const id = await addWorkflow(app, me, [
    own('groupFilter', { combine: 'none', filters }),
    own('shareToPersonAlbum', { personIds: [ann], userIds: [granny.id] }),
  ]);
  const { body } = await call(app, `GET /workflows/${id}/share`, { as: me });
  expect(body.steps.map(({ config }: { config: unknown }) => config)).toEqual([
    { combine: 'none', filters: [{ ...filters[0], config: { personIds: [] } }] },
    { personIds: [], userIds: [] },
  ]);
});
