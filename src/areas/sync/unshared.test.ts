import { expect, setDefaultTimeout, test } from 'bun:test';
import { deleteForGood } from '../../../test/support/deletion.ts';
import { useApp } from '../../../test/support/database.ts';
import { call, seed, type TestUser } from '../../../test/support/harness.ts';
import { type Copy, emptyCopy, syncAll } from '../../../test/sync/client.ts';
import { connect, readLines, waitForWatermark } from '../../../test/sync/support.ts';
import { expectCopy } from '../../../test/sync/world.ts';

// Transactions of other tests in the same cluster hold the watermark back.
setDefaultTimeout(300_000);

const { database, app } = await useApp();
const { sql } = database;

const share = (sharer: TestUser, viewer: TestUser) =>
  sql`insert into partner (sharer_id, viewer_id) values (${sharer.id}, ${viewer.id})`;
const stopSharing = (sharer: TestUser, viewer: TestUser) =>
  sql`delete from partner where sharer_id = ${sharer.id} and viewer_id = ${viewer.id}`;

async function createAlbum(owner: TestUser, assetIds: readonly string[], members: TestUser[]) {
  const [album] = await sql<{ id: string }[]>`
    insert into album (owner_id, name) values (${owner.id}, 'a') returning id`;
  for (const id of assetIds) {
    await sql`insert into album_asset (album_id, asset_id) values (${album!.id}, ${id})`;
  }
  for (const member of members) {
    await sql`insert into album_user (album_id, user_id, role)
      values (${album!.id}, ${member.id}, 'editor')`;
  }
  return album!.id;
}

async function createStack(owner: TestUser, assetIds: readonly string[]): Promise<string> {
  const [stack] = await sql<{ id: string }[]>`
    insert into stack (owner_id, primary_id) values (${owner.id}, ${assetIds[0]!}) returning id`;
  await sql`update asset set stack_id = ${stack!.id} where id in ${sql(assetIds as string[])}`;
  return stack!.id;
}

/** A phone of an account; `sync` returns the lines of the stream that it has applied. */
function createPhone(user: TestUser) {
  const copy: Copy = emptyCopy();
  const sync = async () => {
    const lines = await readLines(database, app, user);
    await syncAll(connect(app, user), copy);
    await expectCopy(database, copy, { id: user.id });
    return lines;
  };
  return { copy, sync };
}

/** An archived item of a partner of the viewer, in an album of the sharer's that both see, and a stranger. */
async function archivedInAlbum() {
  const [sharer, viewer, stranger] = [
    await seed(database).user(),
    await seed(database).user(),
    await seed(database).user(),
  ];
  await share(sharer, viewer);
  await share(sharer, stranger);
  const add = () =>
    seed(database).asset({
      ownerId: sharer.id,
      visibility: 'archive',
      exif: { description: 'd', city: 'Lisbon' },
    });
  const [id, other] = [await add(), await add()];
  const albumId = await createAlbum(sharer, [id, other], [viewer]);
  const phone = createPhone(viewer);
  await phone.sync();
  expect(phone.copy.assets.has(id)).toBe(true);
  expect(phone.copy.exifs.has(id)).toBe(true);
  const strangers = createPhone(stranger);
  await strangers.sync();
  return { sharer, viewer, id, other, albumId, phone, strangers };
}

type Scene = Awaited<ReturnType<typeof archivedInAlbum>>;

const WAYS: Record<string, (scene: Scene) => Promise<unknown>> = {
  'leaves the album': ({ id, albumId }) =>
    sql`delete from album_asset where album_id = ${albumId} and asset_id = ${id}`,
  'is moved to the trash': ({ id }) => sql`update asset set trashed_at = now() where id = ${id}`,
  'is locked': ({ id }) => sql`update asset set locked_at = now() where id = ${id}`,
  'is hidden': ({ id }) => sql`update asset set visibility = 'hidden' where id = ${id}`,
  'is deleted for ever': ({ id }) => deleteForGood(database, [id]),
  'is in an album that is deleted': ({ albumId }) => sql`delete from album where id = ${albumId}`,
  'is in an album that the viewer leaves': ({ albumId, viewer }) => sql`
    delete from album_user where album_id = ${albumId} and user_id = ${viewer.id}`,
  'leaves the album, and the viewer after it': async ({ id, albumId, viewer }) => {
    await sql`delete from album_asset where album_id = ${albumId} and asset_id = ${id}`;
    await sql`delete from album_user where album_id = ${albumId} and user_id = ${viewer.id}`;
  },
  'leaves the album and is deleted for ever': async ({ id, albumId }) => {
    await sql`delete from album_asset where album_id = ${albumId} and asset_id = ${id}`;
    await deleteForGood(database, [id]);
  },
};

for (const [way, change] of Object.entries(WAYS)) {
  test(`an archived item of a partner that ${way} is removed from the copy`, async () => {
    const scene = await archivedInAlbum();
    const { id, phone, strangers } = scene;
    await change(scene);
    const removed = (await phone.sync()).filter(({ type }) => type === 'PartnerAssetDeleteV1');
    expect(removed.map(({ data }) => data.assetId)).toContain(id);
    expect(phone.copy.assets.has(id)).toBe(false);
    expect(phone.copy.exifs.has(id)).toBe(false);
    // Nothing is told to a partner who never saw it, and nothing twice.
    expect(JSON.stringify(await strangers.sync())).not.toContain(id);
    expect((await phone.sync()).map(({ type }) => type)).toEqual(['SyncCompleteV1']);
  });
}

test('an archived item that another album shows stays in the copy', async () => {
  const { sharer, viewer, id, other, albumId, phone } = await archivedInAlbum();
  const second = await createAlbum(sharer, [id], [viewer]);
  await phone.sync();
  await sql`delete from album where id = ${albumId}`;
  const text = JSON.stringify(
    (await phone.sync()).filter(({ type }) => type === 'PartnerAssetDeleteV1'),
  );
  expect(text).toContain(other);
  expect(text).not.toContain(id);
  expect([...phone.copy.assets.keys()]).toEqual([id]);
  await sql`delete from album_asset where album_id = ${second}`;
  await phone.sync();
  expect(phone.copy.assets.size).toBe(0);
});

test('an archived item is removed when its album was left before the owner became a partner', async () => {
  const { sharer, viewer, id, albumId, phone } = await archivedInAlbum();
  await stopSharing(sharer, viewer);
  await phone.sync();
  expect(phone.copy.assets.has(id)).toBe(true);
  await sql`delete from album_user where album_id = ${albumId} and user_id = ${viewer.id}`;
  await share(sharer, viewer);
  await phone.sync();
  expect(phone.copy.assets.has(id)).toBe(false);
});

test('an archived item of a partner is removed when the account of the album is removed', async () => {
  const admin = await seed(database).user(['all'], { isAdmin: true });
  const { sharer, viewer, id, phone } = await archivedInAlbum();
  const host = await seed(database).user();
  const only = await seed(database).asset({ ownerId: sharer.id, visibility: 'archive' });
  await createAlbum(host, [only], [viewer]);
  await phone.sync();
  expect(phone.copy.assets.has(only)).toBe(true);
  await call(app, `DELETE /admin/users/${host.id}`, { as: admin, body: {} });
  await phone.sync();
  expect([phone.copy.assets.has(only), phone.copy.assets.has(id)]).toEqual([false, true]);
  await call(app, `POST /admin/users/${host.id}/restore`, { as: admin });
  await phone.sync();
  expect(phone.copy.assets.has(only)).toBe(true);
  await sql`delete from app_user where id = ${host.id}`;
  await phone.sync();
  expect([phone.copy.assets.has(only), phone.copy.assets.has(id)]).toEqual([false, true]);
});

test('a removal is sent to a copy whose first stream broke off after the items of albums', async () => {
  const { viewer, id, albumId } = await archivedInAlbum();
  await sql`delete from sync_checkpoint
    where session_id in (select id from session where user_id = ${viewer.id})`;
  const lines = await readLines(database, app, viewer);
  const last = lines.findLast(({ type }) => type === 'AlbumAssetBackfillV2')!;
  await connect(app, viewer).ack([last.ack]);
  await sql`delete from album_asset where album_id = ${albumId} and asset_id = ${id}`;
  const rest = await readLines(database, app, viewer);
  const removed = rest.filter(({ type }) => type === 'PartnerAssetDeleteV1');
  expect(removed.map(({ data }) => data)).toEqual([{ assetId: id }]);
});

/** Stacks of a partner: one on the Timeline, its first item also in an album; one in the archive. */
async function stackedByPartner() {
  const [sharer, viewer] = [await seed(database).user(), await seed(database).user()];
  const add = (visibility: 'timeline' | 'archive') =>
    seed(database).asset({ ownerId: sharer.id, visibility });
  const shown = [await add('timeline'), await add('timeline')];
  const archived = [await add('archive'), await add('archive')];
  await share(sharer, viewer);
  const stackId = await createStack(sharer, shown);
  const hidden = await createStack(sharer, archived);
  await createAlbum(viewer, [shown[0]!, archived[0]!], []);
  const phone = createPhone(viewer);
  await phone.sync();
  expect([...phone.copy.stacks.keys()]).toEqual([stackId]);
  expect(phone.copy.assets.get(shown[0]!)!['stackId']).toBe(stackId);
  return { sharer, viewer, shown, archived, stackId, hidden, phone };
}

test('the stacks of a former partner are removed from the copy, and from what albums still show', async () => {
  const { sharer, viewer, shown, archived, stackId, hidden, phone } = await stackedByPartner();
  await stopSharing(sharer, viewer);
  const removed = (await phone.sync()).filter(({ type }) => type === 'PartnerStackDeleteV1');
  expect(removed.map(({ data }) => data)).toEqual([{ stackId }]);
  expect(phone.copy.stacks.size).toBe(0);
  expect([...phone.copy.assets.keys()].sort()).toEqual([shown[0]!, archived[0]!].sort());
  for (const asset of phone.copy.assets.values()) expect(asset['stackId']).toBeNull();

  await share(sharer, viewer);
  await phone.sync();
  expect([...phone.copy.stacks.keys()]).toEqual([stackId]);
  expect(phone.copy.assets.get(archived[0]!)!['stackId']).toBe(hidden);
});

test('a stack that was dissolved just before the partnership is removed from the copy', async () => {
  const { sharer, viewer, stackId, phone } = await stackedByPartner();
  await sql`delete from stack where id = ${stackId}`;
  await stopSharing(sharer, viewer);
  await phone.sync();
  expect(phone.copy.stacks.size).toBe(0);
});

test('a stack is removed while its owner is removed, and sent again when that account is restored', async () => {
  const admin = await seed(database).user(['all'], { isAdmin: true });
  const { sharer, stackId, phone } = await stackedByPartner();
  await call(app, `DELETE /admin/users/${sharer.id}`, { as: admin, body: {} });
  await phone.sync();
  expect(phone.copy.stacks.size).toBe(0);
  await call(app, `POST /admin/users/${sharer.id}/restore`, { as: admin });
  await phone.sync();
  expect([...phone.copy.stacks.keys()]).toEqual([stackId]);
});

test('a former partner is not told of stacks from before and after the partnership', async () => {
  const [sharer, viewer] = [await seed(database).user(), await seed(database).user()];
  const add = () => seed(database).asset({ ownerId: sharer.id });
  const before = await createStack(sharer, [await add(), await add()]);
  await sql`delete from stack where id = ${before}`;
  const phone = createPhone(viewer);
  await phone.sync();
  await share(sharer, viewer);
  await waitForWatermark(database);
  await stopSharing(sharer, viewer);
  const after = await createStack(sharer, [await add(), await add()]);
  const text = JSON.stringify(await phone.sync());
  for (const id of [before, after]) expect(text).not.toContain(id);
});
