import { expect, test } from 'bun:test';
import { useApp } from '../../../test/support/database.ts';
import { call, seed, type TestUser } from '../../../test/support/harness.ts';
import { jobCtx } from '../../../test/support/processing.ts';
import { handleRemoveAccounts } from '../admin-users/removal.handlers.ts';

// Assets of Ada that Bob added to albums as her partner leave those albums once she neither shares with him
// nor is a member of the album, in whatever order the two ended.

const { database, app } = await useApp();

const user = (name: string) => seed(database).user(['all'], { name });
const share = (as: TestUser, sharedWithId: string, hidesPlaces = false) =>
  call(app, 'POST /partners', { as, body: { sharedWithId, hidesPlaces } });
const add = (as: TestUser, albumId: string, ids: string[]) =>
  call(app, `PUT /albums/${albumId}/assets`, { as, body: { ids } });
const remove = (as: TestUser, albumId: string, member: string) =>
  call(app, `DELETE /albums/${albumId}/user/${member}`, { as });

/**
 * Seeds an album with photos of Ada: put in by Bob, put in by herself, and put in by Bob and locked or archived
 * since.
 */
async function seedAlbum(ownedBy: 'bob' | 'eve', { hidesPlaces = false } = {}) {
  const [ada, bob, eve] = [await user('Ada'), await user('Bob'), await user('Eve')];
  await share(ada, bob.id, hidesPlaces);
  const asset = () => seed(database).asset({ ownerId: ada.id });
  const [taken, given, locked, archived] = [
    await asset(),
    await asset(),
    await asset(),
    await asset(),
  ];
  const owner = { bob, eve }[ownedBy];
  const members = [ada, bob, eve].filter((one) => one !== owner);
  const albumUsers = members.map(({ id }) => ({ userId: id, role: 'editor' }));
  const body = { albumName: 'a', albumUsers };
  const albumId = (await call(app, 'POST /albums', { as: owner, body })).body.id as string;
  await add(bob, albumId, [taken, locked, archived]);
  await add(ada, albumId, [given]);
  await call(app, 'PUT /assets', { as: ada, body: { ids: [locked], visibility: 'locked' } });
  await call(app, 'PUT /assets', { as: ada, body: { ids: [archived], visibility: 'archive' } });
  const members_ = async () => {
    const rows = await database.sql`
      select asset_id from album_asset where album_id = ${albumId} order by asset_id`;
    return rows.map((row) => row['asset_id'] as string);
  };
  return { ada, bob, eve, albumId, owner, taken, given, locked, archived, members: members_ };
}
type Seeded = Awaited<ReturnType<typeof seedAlbum>>;

const EVENTS = {
  'Ada ends the partnership': ({ ada, bob }: Seeded) =>
    call(app, `DELETE /partners/${bob.id}`, { as: ada }),
  'Ada leaves the album': ({ ada, albumId }: Seeded) => remove(ada, albumId, 'me'),
  'Ada is removed from the album': ({ ada, albumId, owner }: Seeded) =>
    remove(owner, albumId, ada.id),
  'Bob leaves the album': ({ bob, albumId }: Seeded) => remove(bob, albumId, 'me'),
} as const;
type Event = keyof typeof EVENTS;

const [ends, leaves, isRemoved, bobLeaves] = Object.keys(EVENTS) as [Event, Event, Event, Event];
const ORDERS: readonly [ownedBy: 'bob' | 'eve', events: readonly Event[]][] = [
  ['bob', [ends, leaves]],
  ['bob', [leaves, ends]],
  ['bob', [ends, isRemoved]],
  ['bob', [isRemoved, ends]],
  ['eve', [ends, leaves]],
  ['eve', [leaves, ends]],
  ['eve', [bobLeaves, ends, leaves]],
  ['eve', [ends, bobLeaves, isRemoved]],
  ['eve', [leaves, bobLeaves, ends]],
];

for (const [ownedBy, events] of ORDERS) {
  test(`of ${ownedBy}'s album: ${events.join(', then ')}`, async () => {
    const seeded = await seedAlbum(ownedBy);
    const { bob, eve, taken, given, locked, archived, members } = seeded;
    for (const event of events) {
      // One of the two still holds.
      expect(await members()).toEqual([taken, given, locked, archived].toSorted());
      expect((await EVENTS[event](seeded)).status).toBe(204);
    }
    // Assets that she added herself stay.
    expect(await members()).toEqual([given]);
    for (const as of [bob, eve]) {
      for (const id of [taken, locked, archived]) {
        expect((await call(app, `GET /assets/${id}`, { as })).status).toBe(400);
      }
    }
    expect((await call(app, `GET /assets/${given}`, { as: eve })).status).toBe(200);
  });
}

test('with hidden places nothing that Bob added stays, because a member would see the places', async () => {
  const seeded = await seedAlbum('eve', { hidesPlaces: true });
  await EVENTS[ends](seeded);
  expect(await seeded.members()).toEqual([seeded.given]);
});

test('other members who leave remove nothing, and items of others stay', async () => {
  const seeded = await seedAlbum('bob');
  const { bob, eve, albumId, taken, given, locked, archived, members } = seeded;
  const own = await seed(database).asset({ ownerId: eve.id });
  const bobs = await seed(database).asset({ ownerId: bob.id });
  await add(eve, albumId, [own]);
  await add(bob, albumId, [bobs]);
  await remove(eve, albumId, 'me');
  const all = [taken, given, locked, archived, own, bobs].toSorted();
  expect(await members()).toEqual(all);
  expect((await EVENTS[leaves](seeded)).status).toBe(204);
  expect(await members()).toEqual(all);
});

test('items of others that a removed account added to albums are removed', async () => {
  const admin = await seed(database).user(['all'], { isAdmin: true });
  const seeded = await seedAlbum('eve');
  const { bob, given, members } = seeded;
  await EVENTS[leaves](seeded);
  const body = { force: true };
  expect((await call(app, `DELETE /admin/users/${bob.id}`, { as: admin, body })).status).toBe(200);
  await handleRemoveAccounts(jobCtx(database), {});
  expect(await members()).toEqual([given]);
});
