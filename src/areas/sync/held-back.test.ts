import { beforeEach, expect, setDefaultTimeout, test } from 'bun:test';
import { useApp } from '../../../test/support/database.ts';
import { NOW, seed, type TestUser } from '../../../test/support/harness.ts';
import { unlock } from '../../../test/support/household.ts';
import { type Copy, emptyCopy, syncAll, syncOnce } from '../../../test/sync/client.ts';
import { connect, waitForWatermark } from '../../../test/sync/support.ts';
import { expectCopy } from '../../../test/sync/world.ts';

// A long transaction, such as a backup, holds the watermark back: a stream leaves out the changes since it began. A copy
// still loses all that its account may no longer see, in whatever order sharing ends, begins and changes around that point.

// Transactions of other tests in the same cluster hold the watermark back.
setDefaultTimeout(300_000);

const { database, app } = await useApp();
const { sql } = database;
let me: TestUser;
let other: TestUser;
let copy: Copy;
let albumId: string;
let taken: string;
let kept: string;

beforeEach(async () => {
  [me, other] = [await seed(database).user(), await seed(database).user()];
  [taken, kept] = [await addAsset(), await addAsset()];
  const [album] = await sql<{ id: string }[]>`
    insert into album (owner_id, name) values (${other.id}, 'Album') returning id`;
  albumId = album!.id;
  for (const id of [taken, kept]) {
    await sql`insert into album_asset (album_id, asset_id) values (${albumId}, ${id})`;
  }
  copy = emptyCopy();
});

const addAsset = () => seed(database).asset({ ownerId: other.id });
const shareAlbum = () => sql`
  insert into album_user (album_id, user_id, role) values (${albumId}, ${me.id}, 'viewer')`;
const unshareAlbum = () => sql`delete from album_user where album_id = ${albumId}`;
const takeFromAlbum = () => sql`delete from album_asset where asset_id = ${taken}`;
const becomePartner = () => sql`
  insert into partner (sharer_id, viewer_id) values (${other.id}, ${me.id})`;
const stopPartner = () => sql`delete from partner where sharer_id = ${other.id}`;
const hidePlaces = () => sql`update partner set hides_places = not hides_places`;
const archive = () => sql`update asset set visibility = 'archive' where id = ${taken}`;
const removeAccount = () => sql`update app_user set deleted_at = now() where id = ${other.id}`;
const restoreAccount = () => sql`update app_user set deleted_at = null where id = ${other.id}`;
const shareFrom = () => sql`update partner set shared_from = '1900-01-01'`;

type Act = () => Promise<unknown>;
type Situation = {
  /** Begins the sharing. */
  readonly shared: Act;
  /** Changes before the watermark of the next stream, and behind it. */
  readonly before: readonly Act[];
  readonly behind: readonly Act[];
  /** After the first stream. */
  readonly later?: readonly Act[];
};

const SITUATIONS: Readonly<Record<string, Situation>> = {
  'an album is not shared, loses a picture, and is shared again': {
    shared: shareAlbum,
    before: [unshareAlbum, takeFromAlbum],
    behind: [shareAlbum],
  },
  'an album loses a picture, is not shared any more, and later it is again': {
    shared: shareAlbum,
    before: [takeFromAlbum],
    behind: [unshareAlbum],
    later: [shareAlbum],
  },
  'the owner of an album takes a picture from it, is removed, and later restored': {
    shared: shareAlbum,
    before: [takeFromAlbum],
    behind: [removeAccount],
    later: [restoreAccount],
  },
  'a partner archives a picture, and then withholds places': {
    shared: becomePartner,
    before: [archive],
    behind: [hidePlaces],
  },
  'a partner archives a picture, and then shares from a day on': {
    shared: becomePartner,
    before: [archive],
    behind: [shareFrom],
  },
  'a partner stops sharing, archives a picture, and shares again': {
    shared: becomePartner,
    before: [stopPartner, archive],
    behind: [becomePartner],
  },
  'a partner archives a picture, stops sharing, and later shares again': {
    shared: becomePartner,
    before: [archive],
    behind: [stopPartner],
    later: [becomePartner],
  },
  'a partner archives a picture, is removed, and later restored': {
    shared: becomePartner,
    before: [archive],
    behind: [removeAccount],
    later: [restoreAccount],
  },
};

test.each(Object.entries(SITUATIONS))('%s', async (_, { shared, before, behind, later = [] }) => {
  const connection = connect(app, me);
  await shared();
  await waitForWatermark(database);
  await syncAll(connection, copy);
  expect([...copy.assets.keys()].toSorted()).toEqual([taken, kept].toSorted());
  for (const act of before) await act();
  await sql.begin(async (tx) => {
    await tx`select pg_current_xact_id()`;
    for (const act of behind) await act();
    await syncAll(connection, copy);
  });
  for (const act of later) await act();
  await waitForWatermark(database);
  await syncAll(connection, copy);
  await expectCopy(database, copy, { id: me.id });
  expect([...copy.assets.keys()]).toEqual([kept]);
});

const endElevation = () => sql`update session set elevated_until = null where user_id = ${me.id}`;

test('a picture that is deleted in Locked while a phone still has it leaves that, too', async () => {
  const connection = connect(app, me);
  const gone = await seed(database).asset({ ownerId: me.id, lockedAt: NOW });
  await unlock(database, me);
  await waitForWatermark(database);
  await syncAll(connection, copy);
  expect([...copy.assets.keys()]).toEqual([gone]);
  await sql.begin(async (tx) => {
    await tx`select pg_current_xact_id()`;
    await sql`delete from asset where id = ${gone}`;
    await endElevation();
    await syncAll(connection, copy);
  });
  await waitForWatermark(database);
  await syncAll(connection, copy);
  await expectCopy(database, copy, { id: me.id });
  expect(copy.assets.size).toBe(0);
  expect((await syncOnce(connection, copy)).counts).toEqual({ SyncCompleteV1: 1 });
});

test('Locked content that a broken stream took back in part comes again with the PIN', async () => {
  const connection = connect(app, me);
  for (let n = 0; n < 5; n++) await seed(database).asset({ ownerId: me.id, lockedAt: NOW });
  await unlock(database, me);
  await waitForWatermark(database);
  await syncAll(connection, copy);
  expect(copy.assets.size).toBe(5);
  await endElevation();
  await syncOnce(connection, copy, { batch: 1, breakAfter: 3 });
  expect(copy.assets.size).toBeLessThan(5);
  await unlock(database, me);
  await syncAll(connection, copy);
  await expectCopy(database, copy, { id: me.id, isElevated: true });
});
