import { beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { useApp } from '../../../test/support/database.ts';
import { call, NOW, seed, type TestUser } from '../../../test/support/harness.ts';
import { emptyCopy, syncAll, syncOnce } from '../../../test/sync/client.ts';
import { connect, waitForWatermark } from '../../../test/sync/support.ts';
import { expectCopy } from '../../../test/sync/world.ts';

// Transactions of other tests in the same cluster hold the watermark back.
setDefaultTimeout(300_000);

const { database, app } = await useApp();
let admin: TestUser;
beforeAll(async () => {
  admin = await seed(database).user(['all'], { isAdmin: true });
});

const remove = (id: string) => call(app, `DELETE /admin/users/${id}`, { as: admin, body: {} });
const restore = (id: string) => call(app, `POST /admin/users/${id}/restore`, { as: admin });

/** A sharer with three items, one of them also in an album of the viewer, who has a copy of all. */
async function pair() {
  const [sharer, viewer] = [await seed(database).user(), await seed(database).user()];
  const add = () =>
    seed(database).asset({ ownerId: sharer.id, exif: { description: 'd', city: 'Lisbon' } });
  const ids = [await add(), await add(), await add()] as const;
  const { sql } = database;
  await sql`insert into partner (sharer_id, viewer_id) values (${sharer.id}, ${viewer.id})`;
  const [album] = await sql`
    insert into album (owner_id, name) values (${viewer.id}, 'both') returning id`;
  await sql`insert into album_asset (album_id, asset_id) values (${album!['id']}, ${ids[0]})`;
  const phone = { connection: connect(app, viewer), copy: emptyCopy() };
  await waitForWatermark(database);
  await syncAll(phone.connection, phone.copy);
  await expectCopy(database, phone.copy, { id: viewer.id });
  return { sharer, viewer, ids, phone };
}

async function sync({ viewer, phone }: Awaited<ReturnType<typeof pair>>) {
  await waitForWatermark(database);
  const { counts } = await syncOnce(phone.connection, phone.copy);
  await expectCopy(database, phone.copy, { id: viewer.id });
  return counts;
}

const shares = ({ phone, sharer }: Awaited<ReturnType<typeof pair>>) =>
  [...phone.copy.partners.values()].some((row) => row['sharedById'] === sharer.id);

test('assets of a removed account are removed from copies of partners, and sent again when it is restored', async () => {
  const both = await pair();
  const { sharer, viewer, phone } = both;
  expect(shares(both)).toBe(true);
  expect((await remove(sharer.id)).status).toBe(200);
  expect(await sync(both)).toMatchObject({ PartnerDeleteV1: 1, SyncCompleteV1: 1 });
  expect(shares(both)).toBe(false);
  // Nothing of it is told meanwhile, and a new phone gets only what the album shows.
  await database.sql`update asset set file_name = 'new.jpg' where owner_id = ${sharer.id}`;
  const before = await sync(both);
  for (const type of Object.keys(before)) expect(type).not.toStartWith('Partner');
  const second = emptyCopy();
  await database.sql`delete from sync_checkpoint
    where session_id in (select id from session where user_id = ${viewer.id})`;
  await syncAll(phone.connection, second);
  await expectCopy(database, second, { id: viewer.id });
  expect(second.assets.size).toBe(1);

  expect((await restore(sharer.id)).status).toBe(200);
  await waitForWatermark(database);
  const { counts } = await syncOnce(phone.connection, second);
  expect(counts).toMatchObject({
    PartnerV1: 1,
    PartnerAssetBackfillV2: 3,
    PartnerAssetExifBackfillV1: 3,
  });
  await expectCopy(database, second, { id: viewer.id });
  expect(second.assets.size).toBe(3);
  expect((await syncOnce(phone.connection, second)).counts).toEqual({ SyncCompleteV1: 1 });
});

test('assets deleted while the account was removed are not sent when it is restored', async () => {
  const both = await pair();
  const { sharer, ids, phone } = both;
  await remove(sharer.id);
  await sync(both);
  await database.sql`update asset set trashed_at = ${NOW.toISOString()} where id = ${ids[1]}`;
  await database.sql`delete from asset where id = ${ids[2]}`;
  await sync(both);
  await restore(sharer.id);
  await sync(both);
  expect(shares(both)).toBe(true);
  expect([...phone.copy.assets.keys()].filter((id) => ids.includes(id))).toEqual([ids[0]]);
});

test('a restored account gets what is shared with it again', async () => {
  const both = await pair();
  const { sharer, viewer } = both;
  const phone = { connection: connect(app, sharer), copy: emptyCopy() };
  const told = async () => {
    await waitForWatermark(database);
    const { counts } = await syncOnce(phone.connection, phone.copy);
    await expectCopy(database, phone.copy, { id: sharer.id });
    return counts;
  };
  await told();
  await remove(viewer.id);
  expect(await told()).toMatchObject({ PartnerDeleteV1: 1 });
  await restore(viewer.id);
  expect(await told()).toMatchObject({ PartnerV1: 1 });
});

test('albums of a removed account are removed from copies of members, and sent again when it is restored', async () => {
  const [owner, member] = [await seed(database).user(), await seed(database).user()];
  const { sql } = database;
  const assetId = await seed(database).asset({ ownerId: owner.id, exif: { city: 'Lisbon' } });
  const [album] = await sql<{ id: string }[]>`
    insert into album (owner_id, name) values (${owner.id}, 'trip') returning id`;
  await sql`insert into album_asset (album_id, asset_id) values (${album!.id}, ${assetId})`;
  await sql`insert into album_user (album_id, user_id, role) values (${album!.id}, ${member.id}, 'editor')`;
  const { connection, copy } = { connection: connect(app, member), copy: emptyCopy() };
  const told = async () => {
    await waitForWatermark(database);
    const { counts } = await syncOnce(connection, copy);
    await expectCopy(database, copy, { id: member.id });
    return counts;
  };
  await told();
  expect([...copy.albums.keys()]).toEqual([album!.id]);

  await remove(owner.id);
  expect(await told()).toMatchObject({ AlbumDeleteV1: 1 });
  expect(copy.albums.size).toBe(0);
  // Nothing that happens in it is told meanwhile, and a new phone does not get it.
  await sql`update asset set file_name = 'new.jpg' where id = ${assetId}`;
  await sql`update album set name = 'secret' where id = ${album!.id}`;
  for (const type of Object.keys(await told())) {
    expect(type).not.toMatch(/^Album(?!Delete)/);
  }
  await sql`delete from sync_checkpoint
    where session_id in (select id from session where user_id = ${member.id})`;
  const second = emptyCopy();
  await syncAll(connection, second);
  expect([second.albums.size, second.assets.size]).toEqual([0, 0]);

  await restore(owner.id);
  await waitForWatermark(database);
  const { counts } = await syncOnce(connection, second);
  expect(counts).toMatchObject({ AlbumToAssetBackfillV1: 1, AlbumAssetExifBackfillV1: 1 });
  await expectCopy(database, second, { id: member.id });
  expect([...second.albums.keys()]).toEqual([album!.id]);
});
