import { expect, test } from 'bun:test';
import { useApp } from '../../../test/support/database.ts';
import { call, seed, type TestUser } from '../../../test/support/harness.ts';
import { listNotifications, setPreferences } from '../../../test/support/notifications.ts';
import { seedHousehold } from '../../../test/support/household.ts';

const { database, app } = await useApp();

const user = (name: string, permissions?: string[]) => seed(database).user(permissions, { name });
const share = (as: TestUser, sharedWithId: string) =>
  call(app, 'POST /partners', { as, body: { sharedWithId } });
const listed = async (as: TestUser, direction: 'shared-by' | 'shared-with') =>
  (await call(app, `GET /partners?direction=${direction}`, { as })).body;
const listTimeline = (as: TestUser, ownerId: string) =>
  call(app, `GET /timeline/bucket?timeBucket=2026-01-01&userId=${ownerId}`, { as });

test('lists the other account in each direction', async () => {
  const [ada, bob, eve] = [await user('Ada'), await user('Bob'), await user('Eve')];
  const made = await share(ada, bob.id);
  expect(made.status).toBe(201);
  expect(made.body).toEqual({
    id: bob.id,
    name: 'Bob',
    email: bob.email,
    avatarColor: 'primary',
    profileImagePath: '',
    profileChangedAt: expect.any(String),
    inTimeline: false,
    hidesPlaces: false,
  });
  expect(await listed(ada, 'shared-by')).toEqual([made.body]);
  expect(await listed(ada, 'shared-with')).toEqual([]);
  expect(await listed(bob, 'shared-by')).toEqual([]);
  expect(await listed(bob, 'shared-with')).toMatchObject([{ id: ada.id, inTimeline: false }]);
  expect(await listed(eve, 'shared-with')).toEqual([]);

  expect((await share(bob, ada.id)).status).toBe(201);
  expect((await share(ada, bob.id)).body.message).toBe('Partner already exists');
  expect(await listed(bob, 'shared-by')).toMatchObject([{ id: ada.id }]);
  expect((await call(app, 'GET /partners', { as: ada })).status).toBe(400);
  expect((await call(app, 'GET /partners?direction=both', { as: ada })).status).toBe(400);
});

test('POST /partners/:id (deprecated) creates the same partner', async () => {
  const [ada, bob, eve] = [await user('Ada'), await user('Bob'), await user('Eve')];
  const made = await call(app, `POST /partners/${bob.id}`, { as: ada });
  expect(made).toMatchObject({ status: 201, body: { id: bob.id, inTimeline: false } });
  expect(await listed(ada, 'shared-by')).toEqual([made.body]);
  expect((await call(app, `POST /partners/${bob.id}`, { as: ada })).status).toBe(400);
  expect((await call(app, `POST /partners/${ada.id}`, { as: ada })).status).toBe(400);
  expect((await call(app, 'POST /partners/bob', { as: ada })).status).toBe(400);
  expect((await call(app, `POST /partners/${bob.id}`)).status).toBe(401);
  const reader = await seed(database).user(['partner.read']);
  expect((await call(app, `POST /partners/${bob.id}`, { as: reader })).status).toBe(403);
  expect(await listed(eve, 'shared-with')).toEqual([]);
});

test('refuses oneself, an unknown and a removed account as partner', async () => {
  const me = await user('Me');
  const gone = await seed(database).user(['all'], { status: 'deleted', deletedAt: new Date() });
  for (const id of [me.id, crypto.randomUUID(), gone.id]) {
    expect(await share(me, id)).toMatchObject({ status: 400, body: { message: 'User not found' } });
  }
  await database.sql`insert into partner (sharer_id, viewer_id) values (${gone.id}, ${me.id})`;
  expect(await listed(me, 'shared-by')).toEqual([]);
  expect(await listed(me, 'shared-with')).toEqual([]);
});

test('the receiver is told who shares, once, unless it has switched that off', async () => {
  const [ada, bob, eve] = [await user('Ada'), await user('Bob'), await user('Eve')];
  await share(ada, bob.id);
  const [told, ...more] = await listNotifications(app, bob);
  expect(more).toEqual([]);
  expect(told).toMatchObject({
    description: 'Ada shares photos with you',
    data: { kind: 'partnerShare', senderId: ada.id, senderName: 'Ada' },
  });
  // Neither a refusal nor a second time before it is read makes another.
  await share(ada, bob.id);
  await call(app, `DELETE /partners/${bob.id}`, { as: ada });
  await share(ada, bob.id);
  expect(await listNotifications(app, bob)).toHaveLength(1);
  for (const as of [ada, eve]) expect(await listNotifications(app, as)).toEqual([]);
  await setPreferences(app, eve, { albumInvite: false });
  await share(ada, eve.id);
  expect(await listNotifications(app, eve)).toEqual([]);
});

test('only the viewer can show the items in the own Timeline', async () => {
  const [ada, bob] = [await user('Ada'), await user('Bob')];
  const id = await seed(database).asset({ ownerId: ada.id });
  await share(ada, bob.id);
  const put = (as: TestUser, other: string) =>
    call(app, `PUT /partners/${other}`, { as, body: { inTimeline: true } });
  expect(await put(ada, bob.id)).toMatchObject({
    status: 400,
    body: { message: 'Not found or no partner.update access' },
  });
  const path =
    'GET /timeline/bucket?timeBucket=2026-01-01&visibility=timeline&withPartners=true' as const;
  expect((await call(app, path, { as: bob })).body.id).toEqual([]);
  expect((await put(bob, ada.id)).body).toMatchObject({ id: ada.id, inTimeline: true });
  expect((await call(app, path, { as: bob })).body.id).toEqual([id]);
  expect(await listed(bob, 'shared-with')).toMatchObject([{ inTimeline: true }]);
  expect((await call(app, path, { as: ada })).body.id).toEqual([id]);
});

test('stopping to share ends access at once, also through albums and links of the viewer', async () => {
  const [ada, bob, third] = [await user('Ada'), await user('Bob'), await user('Cyd')];
  const [id, mine] = [
    await seed(database).asset({ ownerId: ada.id }),
    await seed(database).asset({ ownerId: bob.id }),
  ];
  await share(ada, bob.id);
  expect((await listTimeline(bob, ada.id)).body.id).toEqual([id]);
  const make = async (as: TestUser, body: object) =>
    (await call(app, 'POST /albums', { as, body: { albumName: 'a', ...body } })).body.id;
  const assetIds = [id, mine];
  const own = await make(bob, {
    assetIds,
    albumUsers: [{ userId: third.id, role: 'viewer' }],
  });
  const common = await make(bob, { assetIds, albumUsers: [{ userId: ada.id, role: 'editor' }] });
  const [link] = await database.sql`
    insert into shared_link (owner_id, type, key, slug)
    values (${bob.id}, 'INDIVIDUAL', ${crypto.getRandomValues(new Uint8Array(50))}, 'of-bob')
    returning id`;
  for (const assetId of assetIds) {
    await database.sql`insert into shared_link_asset values (${link!['id']}, ${assetId})`;
  }
  const count = async (albumId: string) =>
    (await call(app, `GET /albums/${albumId}`, { as: bob })).body.assetCount;
  expect([await count(own), await count(common)]).toEqual([2, 2]);

  expect((await call(app, `DELETE /partners/${bob.id}`, { as: ada })).status).toBe(204);
  expect((await listTimeline(bob, ada.id)).status).toBe(400);
  expect(await listed(bob, 'shared-with')).toEqual([]);
  // Ada is in the common album herself; of the other she knows nothing.
  expect([await count(own), await count(common)]).toEqual([1, 2]);
  for (const [as, assetId, status] of [
    [third, id, 400],
    [third, mine, 200],
    [bob, id, 200],
  ] as const) {
    expect((await call(app, `GET /assets/${assetId}`, { as })).status).toBe(status);
  }
  expect((await call(app, `GET /assets/${id}?slug=of-bob`)).status).toBe(400);
  expect((await call(app, `GET /assets/${mine}?slug=of-bob`)).status).toBe(200);

  await call(app, `DELETE /albums/${common}`, { as: bob });
  expect((await call(app, `GET /assets/${id}`, { as: bob })).status).toBe(400);
  expect(await call(app, `DELETE /partners/${bob.id}`, { as: ada })).toMatchObject({
    status: 400,
    body: { message: 'Partner not found' },
  });
});

test('only the account that shares can stop it', async () => {
  const house = await seedHousehold(database);
  const { owner, viewer, stranger } = house;
  const remove = (as: TestUser, id: string) => call(app, `DELETE /partners/${id}`, { as });
  expect((await remove(viewer, owner.id)).status).toBe(400);
  expect((await remove(stranger, viewer.id)).status).toBe(400);
  expect(await listed(owner, 'shared-by')).toMatchObject([{ id: viewer.id }]);
  const body = { sharedWithId: stranger.id };
  expect((await call(app, 'POST /partners?slug=assets', { body })).status).toBe(403);
  expect((await call(app, 'GET /partners?direction=shared-by&slug=assets')).status).toBe(403);
  expect((await call(app, `DELETE /partners/${viewer.id}?slug=assets`)).status).toBe(403);
  const inTimeline = { body: { inTimeline: true } };
  expect((await call(app, `PUT /partners/${owner.id}?slug=assets`, inTimeline)).status).toBe(403);
  const weak = await user('Weak', ['partner.read']);
  expect((await share(weak, stranger.id)).body.message).toBe(
    'Missing required permission: partner.create',
  );
});
