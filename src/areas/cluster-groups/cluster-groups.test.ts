import { beforeEach, describe, expect, test } from 'bun:test';
import { useApp } from '../../../test/support/database.ts';
import { call, type Caller, NOW, seed, type TestUser } from '../../../test/support/harness.ts';
import { invite, joinGroup, readGroupId } from '../../../test/support/cluster-groups.ts';
import { listNotifications, setPreferences } from '../../../test/support/notifications.ts';
import { addAlbum, addLink } from '../../../test/support/hidden-places.ts';

const { database, app } = await useApp();
const user = (name: string, permissions = ['all'], isAdmin = false) =>
  seed(database).user(permissions, { name, isAdmin });

let ada: TestUser;
let bob: TestUser;
let eve: TestUser;
let admin: TestUser;
let groupId: string;
beforeEach(async () => {
  [ada, bob, eve] = [await user('Ada'), await user('Bob'), await user('Eve')];
  admin = await user('Max', ['all'], true);
  groupId = await readGroupId(app, ada);
});

const own = async (as: TestUser) =>
  (await call(app, 'GET /cluster-groups/requests', { as })).body as unknown[];
const members = (as: TestUser, id = groupId) =>
  call(app, `GET /cluster-groups/${id}/users`, { as });
const namesFor = async (as: TestUser, id = groupId) =>
  (await members(as, id)).body.map(({ name }: { name: string }) => name);
const pending = (as: TestUser, id = groupId) =>
  call(app, `GET /cluster-groups/${id}/requests`, { as });
const accept = (as: TestUser, id: string) =>
  call(app, `POST /cluster-groups/requests/${id}/accept`, { as });
const drop = (as: TestUser, id: string) =>
  call(app, `DELETE /cluster-groups/requests/${id}`, { as });
const leave = (as: TestUser, id = groupId) => call(app, `POST /cluster-groups/${id}/leave`, { as });
const refusedFor = (permission: string) => ({
  status: 400,
  body: { message: `Not found or no ${permission} access` },
});

test('every account is in a group of its own, which nobody else sees', async () => {
  expect(await readGroupId(app, bob)).not.toBe(groupId);
  expect(await namesFor(ada)).toEqual(['Ada']);
  for (const as of [bob, eve, admin]) {
    expect(await members(as)).toMatchObject(refusedFor('clusterGroup.read'));
    expect(await pending(as)).toMatchObject(refusedFor('clusterGroup.read'));
    // As a group that does not exist.
    expect((await members(as, crypto.randomUUID())).body).toMatchObject(
      refusedFor('clusterGroup.read').body,
    );
  }
  expect(await leave(ada)).toMatchObject({
    status: 400,
    body: { message: 'Cannot leave a cluster group without any other members' },
  });
});

describe('an invitation', () => {
  test('is made once and told to the invited account only', async () => {
    const made = await invite(app, ada, bob);
    expect(made).toMatchObject({ status: 201, body: { clusterGroupId: groupId, userId: bob.id } });
    expect(Object.keys(made.body).toSorted()).toEqual([
      'clusterGroupId',
      'createdAt',
      'id',
      'userId',
    ]);
    const again = await invite(app, ada, bob);
    expect(again).toMatchObject({ status: 200, body: made.body });
    expect(await own(bob)).toEqual([made.body]);
    expect((await pending(ada)).body).toEqual([made.body]);
    for (const as of [ada, eve, admin]) {
      expect(await own(as)).toEqual([]);
      expect(await listNotifications(app, as)).toEqual([]);
    }
    expect(await listNotifications(app, bob)).toMatchObject([
      {
        type: 'ClusterGroupRequest',
        level: 'info',
        title: 'Cluster Group Request',
        description: 'Ada asked you to join their cluster group',
        createdAt: NOW.toISOString(),
        data: { clusterGroupId: groupId, senderId: ada.id, senderName: 'Ada' },
      },
    ]);
  });

  test('is not told to who has switched that off, and replaces an unread one', async () => {
    await setPreferences(app, bob, { clusterGroupRequest: false });
    const { body } = await invite(app, ada, bob);
    expect(await listNotifications(app, bob)).toEqual([]);
    expect(await own(bob)).toEqual([body]);
    await invite(app, ada, eve);
    await drop(ada, (await own(eve))[0]!['id' as never]);
    await invite(app, ada, eve);
    expect(await listNotifications(app, eve)).toHaveLength(1);
  });

  test('makes nobody a member before it is accepted, and then one who sees and is seen', async () => {
    const { body } = await invite(app, ada, bob);
    expect(await namesFor(bob)).toEqual(['Ada']);
    expect(await namesFor(ada)).toEqual(['Ada']);
    expect(await invite(app, bob, eve, groupId)).toMatchObject(
      refusedFor('clusterGroupRequest.create'),
    );
    expect(await leave(bob)).toMatchObject(refusedFor('clusterGroup.leave'));
    for (const as of [ada, eve, admin]) {
      expect(await accept(as, body.id)).toMatchObject(refusedFor('clusterGroupRequest.read'));
    }
    expect(await accept(bob, body.id)).toMatchObject({ status: 204 });
    expect(await accept(bob, body.id)).toMatchObject(refusedFor('clusterGroupRequest.read'));
    expect(await readGroupId(app, bob)).toBe(groupId);
    expect(await namesFor(ada)).toEqual(['Ada', 'Bob']);
    expect(await namesFor(bob)).toEqual(['Bob', 'Ada']);
    expect(await own(bob)).toEqual([]);
    expect((await pending(ada)).body).toEqual([]);
    expect(await invite(app, bob, eve, groupId)).toMatchObject({ status: 201 });
  });

  test('is declined by the invited account and withdrawn by members; by nobody else', async () => {
    await joinGroup(app, ada, bob);
    const { body } = await invite(app, ada, eve);
    expect(await drop(admin, body.id)).toMatchObject(refusedFor('clusterGroupRequest.delete'));
    expect(await own(eve)).toEqual([body]);
    expect(await drop(eve, body.id)).toMatchObject({ status: 204 });
    expect(await own(eve)).toEqual([]);
    expect(await accept(eve, body.id)).toMatchObject({ status: 400 });
    const { body: second } = await invite(app, ada, eve);
    expect(await drop(bob, second.id)).toMatchObject({ status: 204 });
    expect(await own(eve)).toEqual([]);
    expect(await members(eve)).toMatchObject({ status: 400 });
    expect(await drop(bob, second.id)).toMatchObject({ status: 400 });
  });

  test('is refused for oneself, unknown and deleted accounts, and of a foreign group', async () => {
    expect(await invite(app, ada, ada)).toMatchObject({
      status: 400,
      body: { message: 'Cannot request to join your own cluster group' },
    });
    const gone = await seed(database).user(['all'], { deletedAt: NOW, status: 'deleted' });
    for (const id of [gone.id, crypto.randomUUID()]) {
      expect(await invite(app, ada, { id })).toMatchObject({
        status: 400,
        body: { message: 'User not found' },
      });
    }
    for (const as of [eve, admin]) {
      expect(await invite(app, as, bob, groupId)).toMatchObject(
        refusedFor('clusterGroupRequest.create'),
      );
    }
    expect(await own(bob)).toEqual([]);
  });

  test('of a group that everybody has left or was deleted from can not be accepted', async () => {
    const { body } = await invite(app, ada, eve);
    const { body: other } = await invite(app, bob, ada);
    expect((await accept(ada, other.id)).status).toBe(204);
    expect(await own(eve)).toEqual([]);
    expect(await accept(eve, body.id)).toMatchObject(refusedFor('clusterGroupRequest.read'));

    const { body: third } = await invite(app, admin, eve);
    const remove = { session: admin, body: {} };
    const other2 = await user('Kim', ['all'], true);
    expect(
      (await call(app, `DELETE /admin/users/${admin.id}`, { ...remove, session: other2 })).status,
    ).toBe(200);
    expect(await own(eve)).toEqual([]);
    expect(await accept(eve, third.id)).toMatchObject({ status: 400 });
  });
});

test('who leaves sees the group no longer, is not seen, and is in a new one', async () => {
  await joinGroup(app, ada, bob);
  expect(await leave(eve)).toMatchObject(refusedFor('clusterGroup.leave'));
  expect(await leave(bob)).toMatchObject({ status: 204 });
  expect(await members(bob)).toMatchObject({ status: 400 });
  expect(await namesFor(ada)).toEqual(['Ada']);
  const mine = await readGroupId(app, bob);
  expect(mine).not.toBe(groupId);
  expect(await namesFor(bob, mine)).toEqual(['Bob']);
  expect(await leave(bob)).toMatchObject({ status: 400 });
});

test('a deleted account is no member', async () => {
  await joinGroup(app, ada, bob);
  await call(app, `DELETE /admin/users/${bob.id}`, { session: admin, body: {} });
  expect(await namesFor(ada)).toEqual(['Ada']);
  expect((await leave(ada)).status).toBe(400);
});

test('members have faces grouped anew, the invited and others do not', async () => {
  await joinGroup(app, ada, bob);
  await invite(app, ada, eve);
  const regenerate = (as: TestUser) =>
    call(app, `POST /cluster-groups/${groupId}/regenerate-people`, { as });
  const jobs = async () =>
    (await database.sql`select payload from job where name = 'people.reclusterAll'`).map(
      (row) => row['payload'],
    );
  for (const as of [eve, admin]) {
    expect(await regenerate(as)).toMatchObject(refusedFor('clusterGroup.read'));
  }
  expect(await jobs()).not.toContainEqual({ clusterGroupId: groupId });
  expect((await regenerate(bob)).status).toBe(204);
  expect((await regenerate(ada)).status).toBe(204);
  expect((await jobs()).filter((job) => job.clusterGroupId === groupId)).toHaveLength(1);
});

test('keys need the permission, and shared links have none', async () => {
  await joinGroup(app, ada, bob);
  const { body } = await invite(app, ada, eve);
  const routes = {
    'clusterGroup.read': [
      `GET /cluster-groups/${groupId}/users`,
      `POST /cluster-groups/${groupId}/regenerate-people`,
    ],
    'clusterGroup.leave': [`POST /cluster-groups/${groupId}/leave`],
    'clusterGroupRequest.read': [
      'GET /cluster-groups/requests',
      `GET /cluster-groups/${groupId}/requests`,
    ],
    'clusterGroupRequest.create': [
      `PUT /cluster-groups/${groupId}/requests`,
      `POST /cluster-groups/requests/${body.id}/accept`,
    ],
    'clusterGroupRequest.delete': [`DELETE /cluster-groups/requests/${body.id}`],
  };
  const others = Object.keys(routes);
  const album = await addAlbum(app, ada, [], []);
  const link = await addLink(app, ada, { type: 'ALBUM', albumId: album });
  for (const [permission, paths] of Object.entries(routes)) {
    const weak = await user('weak', [
      ...others.filter((other) => other !== permission),
      'person.merge',
    ]);
    for (const path of paths) {
      const send = (caller: Caller, suffix = '') => {
        const withBody = path.startsWith('PUT') ? { body: { userId: eve.id } } : {};
        return call(app, `${path}${suffix}` as 'GET /', { ...caller, ...withBody });
      };
      expect([path, (await send({ as: weak })).status]).toEqual([path, 403]);
      expect([path, (await send({}, `?${link}`)).status]).toEqual([path, 403]);
      expect([path, (await send({})).status]).toEqual([path, 401]);
    }
  }
  expect(await namesFor(ada)).toEqual(['Ada', 'Bob']);
  expect(await own(eve)).toEqual([body]);
});
