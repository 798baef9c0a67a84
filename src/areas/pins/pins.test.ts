import { beforeEach, describe, expect, test } from 'bun:test';
import { useApp } from '../../../test/support/database.ts';
import { call, NOW, seed, type TestUser } from '../../../test/support/harness.ts';
import { unlock } from '../../../test/support/household.ts';
import { addMemory } from '../../../test/support/memories.ts';
import { pinsFor } from '../../../test/support/pins.ts';
import { albumUsers } from '../../db/tables/albums.ts';

const { database, app } = await useApp();
let me: TestUser;
let other: TestUser;
beforeEach(async () => {
  [me, other] = [await seed(database).user(), await seed(database).user()];
});

const { list, save, newAlbum, newTag } = pinsFor(() => ({ database, app, me }));
const album = async (name?: string) => ({ kind: 'album', targetId: await newAlbum(name) });

test('a new account has no pins', async () => {
  expect(await list()).toEqual({ revision: 0, pins: [] });
});

test('ST-074: the whole list is replaced, in the order sent', async () => {
  const [a, b, c] = [await album('A'), await album('B'), await album('C')];
  expect((await save(0, [a])).body.revision).toBe(1);
  expect((await save(1, [a, b])).body.revision).toBe(2);
  expect((await save(2, [])).body).toEqual({ revision: 3, pins: [] });
  const { status, body } = await save(3, [c, a, b]);
  expect(status).toBe(200);
  expect(body).toEqual({
    revision: 4,
    pins: [
      ['C', c],
      ['A', a],
      ['B', b],
    ].map(([title, pin]) => ({
      id: expect.any(String),
      ...(pin as object),
      isAvailable: true,
      title,
      count: 0,
      coverAssetId: null,
    })),
  });
  expect(await list()).toEqual(body);
  expect(await list(other)).toEqual({ revision: 0, pins: [] });
});

test('a pin keeps its id, sent back with its id or without', async () => {
  const [a, b] = [await album(), await album()];
  const [first, second] = (await save(0, [a, b])).body.pins;
  const { body } = await save(1, [b, { id: first.id, ...a }]);
  expect(body.pins.map((pin: { id: string }) => pin.id)).toEqual([second.id, first.id]);
  const alone = await save(2, [{ id: first.id, kind: 'album' }]);
  expect(alone.body.pins).toMatchObject([{ id: first.id, targetId: a.targetId }]);
});

test('ST-075: an unavailable pin shows nothing, and can be kept by its id', async () => {
  const target = { kind: 'album', targetId: await newAlbum('Shared', other.id) };
  const member = { albumId: target.targetId, userId: me.id, role: 'viewer' as const };
  await database.db.insert(albumUsers).values(member);
  const own = await album();
  const [{ id }] = (await save(0, [target, own])).body.pins;
  await database.sql`delete from album_user where album_id = ${target.targetId}`;

  const { pins } = await list();
  expect(pins[0]).toEqual({ id, kind: 'album', targetId: null, isAvailable: false });
  const back = pins.map(
    ({ id, kind, targetId }: { id: string; kind: string; targetId: string | null }) => ({
      id,
      kind,
      targetId,
    }),
  );
  const saved = await save(1, back.toReversed());
  expect(saved.status).toBe(200);
  expect(saved.body.pins.map((pin: { id: string }) => pin.id)).toEqual([pins[1].id, id]);
  expect(saved.body.pins[1]).toEqual(pins[0]);
  // It says as little to those who guess.
  expect((await save(2, [{ ...target, targetId: await newAlbum('x', other.id) }])).status).toBe(
    400,
  );

  await database.db.insert(albumUsers).values(member);
  expect((await list()).pins[1]).toMatchObject({ id, title: 'Shared', isAvailable: true });
  await database.sql`delete from album where id = ${target.targetId}`;
  expect((await list()).pins[1]).toEqual(pins[0]);
});

for (const id of ['ST-076', 'ER-003']) {
  test(`${id}: a change with an older revision is refused and returns the current one`, async () => {
    for (let revision = 0; revision < 4; revision++) await save(revision, [await album()]);
    const before = await list();
    const { status, body } = await save(3, []);
    expect(status).toBe(409);
    expect(body).toMatchObject({ code: 'stale_revision', currentRevision: 4, retryable: false });
    expect(await list()).toEqual(before);
    expect((await save(5, [])).status).toBe(409);
  });
}

test('ST-077: of concurrent changes one succeeds', async () => {
  const pins = await Promise.all(Array.from({ length: 4 }, (_, n) => album(`${n}`)));
  const replies = await Promise.all(pins.map((pin) => save(0, [pin])));
  const won = replies.findIndex(({ status }) => status === 200);
  expect(replies.filter(({ status }) => status === 409)).toHaveLength(3);
  expect(await list()).toMatchObject({ revision: 1, pins: [{ title: `${won}` }] });
});

describe('refused, and nothing changes:', () => {
  let pinned: { id: string; targetId: string };
  beforeEach(async () => {
    pinned = (await save(0, [await album('kept')])).body.pins[0];
  });
  const own = () => ({ kind: 'album', targetId: pinned.targetId });
  const cases: Record<string, () => Promise<readonly object[]> | readonly object[]> = {
    'the same target twice': () => [own(), own()],
    'the same pin twice': () => [
      { id: pinned.id, kind: 'album', targetId: null },
      { id: pinned.id, kind: 'album', targetId: null },
    ],
    'the same by id and by target': () => [own(), { id: pinned.id, kind: 'album' }],
    'an unknown pin': () => [{ id: crypto.randomUUID(), kind: 'album', targetId: null }],
    'a pin with another target': async () => [{ id: pinned.id, ...(await album()) }],
    'a pin of another kind': () => [{ id: pinned.id, kind: 'tag', targetId: null }],
    'a new pin without target': () => [{ kind: 'album', targetId: null }],
    'an unknown album': () => [{ kind: 'album', targetId: crypto.randomUUID() }],
    'a foreign album': async () => [{ kind: 'album', targetId: await newAlbum('x', other.id) }],
    'a foreign tag': async () => [{ kind: 'tag', targetId: await newTag('x', other.id) }],
    'a tag as an album': async () => [{ kind: 'album', targetId: await newTag('x') }],
    'a person': () => [{ kind: 'person', targetId: crypto.randomUUID() }],
    'an unknown memory': () => [{ kind: 'memory', targetId: crypto.randomUUID() }],
    'a foreign memory': async () => [
      { kind: 'memory', targetId: await addMemory(database, { ownerId: other.id, name: 'x' }) },
    ],
    'an unknown kind': () => [{ kind: 'folder', targetId: crypto.randomUUID() }],
  };
  for (const [name, pins] of Object.entries(cases)) {
    test(name, async () => {
      const before = await list();
      expect((await save(1, await pins())).status).toBe(400);
      expect(await list()).toEqual(before);
    });
  }

  test("somebody else's pin", async () => {
    const foreign = { id: pinned.id, kind: 'album', targetId: null };
    expect((await save(0, [foreign], other)).status).toBe(400);
  });

  test('more than a hundred', async () => {
    const many = Array.from({ length: 101 }, () => own());
    expect((await save(1, many)).status).toBe(400);
  });
});

test('a memory shows its name or a title in the language of the request, and what it shows', async () => {
  const [first, second, locked] = [
    await seed(database).asset({ ownerId: me.id }),
    await seed(database).asset({ ownerId: me.id }),
    await seed(database).asset({ ownerId: me.id, lockedAt: NOW }),
  ];
  const generated = await addMemory(database, { ownerId: me.id }, [locked, second, first]);
  const named = await addMemory(database, { ownerId: me.id, name: 'Summer' });
  const toPin = (targetId: string) => ({ kind: 'memory', targetId });
  await unlock(database, me);
  expect((await save(0, [toPin(generated), toPin(named)])).body.pins).toMatchObject([
    { title: '6 years ago', count: 2, coverAssetId: second },
    { title: 'Summer', count: 0, coverAssetId: null },
  ]);
  const headers = { 'accept-language': 'de-AT' };
  const german = await call(app, 'GET /users/me/pins', { session: me, headers });
  expect(german.body.pins[0].title).toBe('Vor 6 Jahren');
  await call(app, `DELETE /memories/${generated}`, { session: me });
  expect((await list()).pins[0]).toMatchObject({ targetId: null, isAvailable: false });
});

describe('who may', () => {
  test('AU-012: requires a session, not only an API key', async () => {
    const body = { expectedRevision: 0, pins: [] };
    const refused = { status: 403, body: { code: 'session_required' } };
    expect(await call(app, 'GET /users/me/pins', { as: me })).toMatchObject(refused);
    expect(await call(app, 'PUT /users/me/pins', { as: me, body })).toMatchObject(refused);
    expect((await call(app, 'PUT /users/me/pins', { as: me, session: me, body })).status).toBe(200);
    expect((await call(app, 'GET /users/me/pins')).status).toBe(401);
    expect((await call(app, 'PUT /users/me/pins', { body })).status).toBe(401);
  });

  test('a key beside the session must hold the permission', async () => {
    const narrow = await seed(database).user(['user.read']);
    const both = { session: narrow, as: narrow };
    const body = { expectedRevision: 0, pins: [] };
    expect((await call(app, 'GET /users/me/pins', both)).status).toBe(403);
    expect((await call(app, 'PUT /users/me/pins', { ...both, body })).status).toBe(403);
  });
});

test('a tag is shown by its name, also if that has a slash', async () => {
  const [above] = await database.sql<[{ id: string }]>`
    insert into tag (owner_id, value) values (${me.id}, 'Music') returning id`;
  const rows = await database.sql<{ id: string }[]>`
    insert into tag (owner_id, value, parent_id)
    values (${me.id}, 'Music/AC/DC', ${above.id}), (${me.id}, '24/7', null) returning id`;
  const pins = rows.map(({ id }) => ({ kind: 'tag', targetId: id }));
  const { body } = await save(0, pins);
  expect(body.pins.map(({ title }: { title: string }) => title)).toEqual(['AC/DC', '24/7']);
});
