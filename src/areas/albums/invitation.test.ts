import { beforeAll, beforeEach, expect, test } from 'bun:test';
import { useApp } from '../../../test/support/database.ts';
import { call, NOW, seed, type TestUser } from '../../../test/support/harness.ts';
import { startLiveServer, withBearer } from '../../../test/support/live-clients.ts';
import {
  enableMail,
  listMail,
  listNotifications,
  setPreferences,
} from '../../../test/support/notifications.ts';
import { inTransaction } from '../../db/transaction.ts';
import { notifyInvited } from './invitation.domain.ts';

const { database, app } = await useApp();
let owner: TestUser;
let guest: TestUser;
let stranger: TestUser;
beforeAll(async () => {
  await enableMail(database);
});
beforeEach(async () => {
  await database.sql`delete from mail_message`;
  [owner, guest, stranger] = [await user('Ann'), await user('Ben'), await user('Cid')];
});

const user = (name: string) => seed(database).user(['all'], { name });
const list = (as: TestUser) => listNotifications(app, as);
async function create(...members: TestUser[]): Promise<string> {
  const albumUsers = members.map(({ id }) => ({ userId: id, role: 'editor' }));
  const made = await call(app, 'POST /albums', {
    as: owner,
    body: { albumName: 'Sea', albumUsers },
  });
  expect(made.status).toBe(201);
  return made.body.id;
}
const share = (albumId: string, who: TestUser, as = owner) =>
  call(app, `PUT /albums/${albumId}/users`, { as, body: { albumUsers: [{ userId: who.id }] } });
const leave = (albumId: string, as: TestUser) =>
  call(app, `DELETE /albums/${albumId}/user/me`, { as });

test('who is added to an album learns it on the page and by mail; nobody else does', async () => {
  const albumId = await create();
  expect((await share(albumId, guest)).status).toBe(200);
  const [told, ...more] = await list(guest);
  expect(more).toEqual([]);
  expect(told).toMatchObject({
    type: 'AlbumInvite',
    level: 'success',
    title: 'Shared Album Invitation',
    description: 'Ann shared an album (Sea) with you',
    createdAt: NOW.toISOString(),
    data: {
      kind: 'albumInvite',
      albumId,
      albumName: 'Sea',
      senderId: owner.id,
      senderName: 'Ann',
    },
  });
  expect(await list(owner)).toEqual([]);
  expect(await list(stranger)).toEqual([]);
  expect(await listMail(database)).toEqual([`album-invite ${guest.id}`]);
});

test('members of a new album are told too, and an editor is named as the one who invites', async () => {
  const albumId = await create(guest);
  expect(await list(guest)).toHaveLength(1);
  expect((await share(albumId, stranger, guest)).status).toBe(200);
  expect(await list(stranger)).toMatchObject([{ data: { senderId: guest.id } }]);
  expect(await list(owner)).toEqual([]);
});

test('an invitation is told once, and again to who had left', async () => {
  const albumId = await create(guest);
  await share(albumId, guest);
  expect(await listMail(database)).toHaveLength(1);
  expect(await list(guest)).toHaveLength(1);
  await leave(albumId, guest);
  await share(albumId, guest);
  expect(await listMail(database)).toHaveLength(2);
  // The first one was not read: the second takes its place.
  expect(await list(guest)).toHaveLength(1);
});

test('of two who invite at the same time one is told of', async () => {
  const albumId = await create();
  await Promise.all([share(albumId, guest), share(albumId, guest)]);
  expect(await list(guest)).toHaveLength(1);
  expect(await listMail(database)).toHaveLength(1);
});

test('who has switched it off gets mail only; a refused request tells nobody', async () => {
  await setPreferences(app, guest, { albumInvite: false });
  const albumId = await create(guest);
  expect(await list(guest)).toEqual([]);
  expect(await listMail(database)).toEqual([`album-invite ${guest.id}`]);
  expect((await share(albumId, owner, stranger)).status).toBe(400);
  const weak = await seed(database).user(['asset.read']);
  expect((await share(albumId, stranger, weak)).status).toBe(403);
  const unknown = [{ userId: stranger.id }, { userId: crypto.randomUUID() }];
  const body = { albumUsers: unknown };
  expect((await call(app, `PUT /albums/${albumId}/users`, { as: owner, body })).status).toBe(400);
  expect(await list(stranger)).toEqual([]);
  expect(await listMail(database)).toHaveLength(1);
});

test('nothing is left of an invitation that is rolled back, nor told to a removed account', async () => {
  const albumId = await create();
  const told = { albumId, senderId: owner.id, added: [{ userId: guest.id, since: '1' }] };
  const rolledBack = inTransaction(database.deps, async ({ db }) => {
    await notifyInvited(db, told, NOW);
    throw new Error('later');
  });
  await expect(rolledBack).rejects.toThrow('later');
  expect(await list(guest)).toEqual([]);
  expect(await listMail(database)).toEqual([]);

  await database.sql`update app_user set deleted_at = now(), status = 'deleted' where id = ${guest.id}`;
  expect((await share(albumId, guest)).status).toBe(400);
  await notifyInvited(database.db, told, NOW);
  expect(await database.sql`select from notification where owner_id = ${guest.id}`).toHaveLength(0);
});

test('a connected client of the recipient gets it at once, clients of others do not', async () => {
  const live = await startLiveServer(database);
  const [mine, owners, strangers] = [
    await live.connect(withBearer(guest)),
    await live.connect(withBearer(owner)),
    await live.connect(withBearer(stranger)),
  ];
  const albumId = await create(guest);
  const received = await live.received(mine, owners, strangers);
  const [told, ...others] = received.map((events) =>
    events.filter(([name]) => name === 'on_notification'),
  );
  expect(told).toEqual([['on_notification', (await list(guest))[0]]]);
  expect(told![0]![1].data.albumId).toBe(albumId);
  expect(others).toEqual([[], []]);
  live.hangUp();
  await live.stop();
});
