import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test';
import sharp from 'sharp';
import { call, seed, type TestDatabase, testDatabase } from '../../test/support/harness.ts';
import { type Household, seedHousehold, unlock } from '../../test/support/household.ts';
import {
  withBearer,
  type Client,
  type Event,
  startLiveServer,
  type ConnectOptions,
} from '../../test/support/live-clients.ts';
import { addFace, addPerson } from '../../test/support/people.ts';
import { derivedPath, jobCtx } from '../../test/support/processing.ts';
import { handleRenderPerson } from '../areas/people/thumbnail/thumbnail.handlers.ts';
import { handleRemoveAccounts } from '../areas/admin-users/removal.handlers.ts';
import { assetFiles } from '../db/tables/assets.ts';

// Events that no trigger sends: the code says that something is not as it was.

let database: TestDatabase;
let live: Awaited<ReturnType<typeof startLiveServer>>;
let house: Household;
beforeAll(async () => {
  database = await testDatabase();
  house = await seedHousehold(database);
  live = await startLiveServer(database);
});
afterEach(() => live.hangUp());
afterAll(async () => {
  expect(await live.stop()).toBe('clean');
  await database.close();
});

const connect = (way: ConnectOptions) => live.connect(way);
const received = (...clients: Client[]) => live.received(...clients);

test('renaming, leaving and deleting an album is sent to its members, also to the one who left', async () => {
  const { owner, member, stranger, albumId } = house;
  const clients = [
    await connect(withBearer(owner)),
    await connect(withBearer(member)),
    await connect(withBearer(stranger)),
  ] as const;
  const told: Event[] = [['on_album_update', albumId]];
  await call(live.app, `PATCH /albums/${albumId}`, { as: owner, body: { albumName: 'Other' } });
  expect(await received(...clients)).toEqual([told, told, []]);
  await call(live.app, `DELETE /albums/${albumId}/user/me`, { as: member });
  expect(await received(...clients)).toEqual([told, told, []]);
  await call(live.app, `DELETE /albums/${albumId}`, { as: stranger });
  expect(await received(...clients)).toEqual([[], [], []]);
  await call(live.app, `DELETE /albums/${albumId}`, { as: owner });
  expect(await received(...clients)).toEqual([told, [], []]);
});

test('a changed description, rating or position is sent to the owner, with its place', async () => {
  const [me, other] = [await seed(database).user(), await seed(database).user()];
  const id = await seed(database).asset({ ownerId: me.id, thumbhash: new Uint8Array([1]) });
  const clients = [await connect(withBearer(me)), await connect(withBearer(other))] as const;
  const body = { description: 'By the lake', rating: 4, latitude: 45.44, longitude: 12.33 };
  await call(live.app, `PUT /assets/${id}`, { as: me, body });
  const [mine, others] = await received(...clients);
  expect(mine).toHaveLength(1);
  expect(mine![0]).toMatchObject([
    'on_asset_update',
    { id, exifInfo: { description: 'By the lake', rating: 4, city: 'Venice', country: 'Italy' } },
  ]);
  expect(others).toEqual([]);
  await database.sql`update asset set locked_at = now() where id = ${id}`;
  await unlock(database, me);
  const changed = await call(live.app, `PUT /assets/${id}`, { session: me, body: { rating: 5 } });
  expect(changed.status).toBe(200);
  expect(await received(...clients)).toEqual([[['on_asset_hidden', id]], []]);
});

test('a created and a deleted person thumbnail is sent to the owner', async () => {
  const [me, other] = [await seed(database).user(), await seed(database).user()];
  const clients = [await connect(withBearer(me)), await connect(withBearer(other))] as const;
  const assetId = await seed(database).asset({ ownerId: me.id });
  const { id } = await addPerson(database, { ownerId: me.id });
  await addFace(database, { ownerId: me.id, personId: id, assetId });
  const preview = await sharp({
    create: { width: 400, height: 300, channels: 3, background: 'red' },
  })
    .webp()
    .toBuffer();
  const name = `${assetId}-preview.webp`;
  await Bun.write(derivedPath(database, name), preview);
  await database.db
    .insert(assetFiles)
    .values({ assetId, kind: 'preview', name, mimeType: 'image/webp', size: 1, tag: 't' });
  const render = async () => {
    const effect = await handleRenderPerson(jobCtx(database), { personId: id });
    if (effect) await database.db.transaction((tx) => effect(tx));
  };
  const told: Event[] = [['on_person_thumbnail', id]];
  await render();
  expect(await received(...clients)).toEqual([told, []]);
  await database.sql`update asset set visibility = 'hidden' where id = ${assetId}`;
  await received(...clients);
  await render();
  expect(await received(...clients)).toEqual([told, []]);
  await render();
  expect(await received(...clients)).toEqual([[], []]);
});

test('changed server settings and deleted accounts are sent to everybody', async () => {
  const admin = await seed(database).user(['all'], { isAdmin: true });
  const [me, gone] = [await seed(database).user(), await seed(database).user()];
  const client = await connect(withBearer(me));
  const body = { isOnboarded: true };
  const denied = await call(live.app, 'POST /system-metadata/admin-onboarding', { as: me, body });
  expect(denied.status).toBe(403);
  await call(live.app, 'POST /system-metadata/admin-onboarding', { as: admin, body });
  expect(await client.until('on_config_update')).toEqual([['on_config_update']]);

  await call(live.app, `DELETE /admin/users/${gone.id}`, { as: admin, body: { force: true } });
  expect(await received(client)).toEqual([[]]);
  await handleRemoveAccounts(jobCtx(database), {});
  expect(await received(client)).toEqual([[['on_user_delete', gone.id]]]);
});
