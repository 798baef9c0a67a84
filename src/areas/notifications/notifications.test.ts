import { beforeAll, describe, expect, test } from 'bun:test';
import { useApp } from '../../../test/support/database.ts';
import { call, NOW, seed, type TestUser } from '../../../test/support/harness.ts';
import { notify, type NotificationEvent } from './index.ts';

const { database, app } = await useApp();
let admin: TestUser;
beforeAll(async () => {
  admin = await seed(database).user(['all'], { isAdmin: true });
});

const list = async (as: TestUser, query = '') =>
  (await call(app, `GET /notifications?${query}`, { as })).body;

/** Creates a notification as an administrator does; returns its body. */
async function create(userId: string, over: object = {}) {
  const body = { userId, title: 'Backup ended', ...over };
  const reply = await call(app, 'POST /admin/notifications', { as: admin, body });
  expect(reply.status).toBe(201);
  return reply.body;
}

const send = (event: NotificationEvent, now = NOW) => notify(database.db, event, now);

test('a new notification is information of type Custom unless it says more', async () => {
  const me = await seed(database).user();
  const plain = await create(me.id);
  expect(plain).toEqual({
    id: plain.id,
    createdAt: NOW.toISOString(),
    level: 'info',
    type: 'Custom',
    title: 'Backup ended',
  });
  const full = { level: 'error', type: 'SystemMessage', description: 'why', data: { a: [1] } };
  const readAt = '2026-01-02T03:04:05.000Z';
  expect(await create(me.id, { ...full, readAt })).toMatchObject({ ...full, readAt });
});

describe('the list', () => {
  test('has the notifications of the account only, by id, level, type and what is unread', async () => {
    const [me, other] = [await seed(database).user(), await seed(database).user()];
    const info = await create(me.id);
    const error = await create(me.id, { level: 'error', type: 'JobFailed' });
    const read = await create(me.id, { readAt: NOW.toISOString() });
    const foreign = await create(other.id);

    const ids = async (query = '') =>
      (await list(me, query)).map((one: { id: string }) => one.id).toSorted();
    const sorted = (...all: { id: string }[]) => all.map(({ id }) => id).toSorted();
    expect(await ids()).toEqual(sorted(info, error, read));
    expect(await ids('unread=true')).toEqual(sorted(info, error));
    expect(await ids('unread=false')).toEqual(sorted(info, error, read));
    expect(await ids('level=error')).toEqual([error.id]);
    expect(await ids('type=JobFailed&unread=true')).toEqual([error.id]);
    expect(await ids(`id=${info.id.toUpperCase()}`)).toEqual([info.id]);
    expect(await ids(`id=${foreign.id}`)).toEqual([]);
    expect(await list(await seed(database).user())).toEqual([]);
  });

  test('refuses filters that are none, and callers without the permission', async () => {
    for (const query of ['unread=yes', 'level=loud', 'type=x', 'id=1']) {
      expect((await call(app, `GET /notifications?${query}`, { as: admin })).status).toBe(400);
    }
    expect((await call(app, 'GET /notifications')).status).toBe(401);
    const weak = await seed(database).user(['asset.read']);
    expect((await call(app, 'GET /notifications', { as: weak })).status).toBe(403);
  });

  test('is newest first', async () => {
    const me = await seed(database).user();
    for (const day of [1, 3, 2]) {
      const at = new Date(`2026-03-0${day}T00:00:00Z`);
      await send({ userId: me.id, kind: 'integrity', title: `${day}` }, at);
    }
    expect((await list(me)).map((one: { title: string }) => one.title)).toEqual(['3', '2', '1']);
  });
});

describe('reading', () => {
  test('one or many are marked as read, and as unread again', async () => {
    const me = await seed(database).user();
    const [one, two] = [await create(me.id), await create(me.id)];
    const readAt = '2026-02-03T04:05:06.000Z';
    const put = (path: `/${string}`, body: object) => call(app, `PUT ${path}`, { as: me, body });

    expect((await put(`/notifications/${one.id}`, { readAt })).body).toEqual({ ...one, readAt });
    expect((await put(`/notifications/${one.id}`, {})).body).toEqual({ ...one, readAt });
    expect((await put(`/notifications/${one.id}`, { readAt: null })).body).toEqual(one);
    const ids = [one.id, two.id, two.id.toUpperCase()];
    expect((await put('/notifications', { ids, readAt })).status).toBe(204);
    expect(await list(me, 'unread=true')).toEqual([]);
    expect((await put('/notifications', { ids: [] })).status).toBe(400);
    expect((await put('/notifications', { ids, readAt: 'now' })).status).toBe(400);
  });

  test('ER-017 a foreign notification is answered like an unknown one, and nothing is changed', async () => {
    const [me, other] = [await seed(database).user(), await seed(database).user()];
    const [mine, foreign] = [await create(me.id), await create(other.id)];
    for (const id of [foreign.id, crypto.randomUUID()]) {
      const readAt = NOW.toISOString();
      const attempts = [
        ['read', await call(app, `GET /notifications/${id}`, { as: me })],
        ['update', await call(app, `PUT /notifications/${id}`, { as: me, body: { readAt } })],
        [
          'update',
          await call(app, 'PUT /notifications', { as: me, body: { ids: [mine.id, id], readAt } }),
        ],
        ['delete', await call(app, `DELETE /notifications/${id}`, { as: me })],
        [
          'delete',
          await call(app, 'DELETE /notifications', { as: me, body: { ids: [mine.id, id] } }),
        ],
      ] as const;
      for (const [action, reply] of attempts) {
        expect(reply.status).toBe(400);
        expect(reply.body.message).toBe(`Not found or no notification.${action} access`);
      }
    }
    expect(await list(me, 'unread=true')).toEqual([mine]);
    expect(await list(other, 'unread=true')).toEqual([foreign]);
  });

  test('one or many are deleted', async () => {
    const me = await seed(database).user();
    const [one, two, kept] = [await create(me.id), await create(me.id), await create(me.id)];
    expect((await call(app, `DELETE /notifications/${one.id}`, { as: me })).status).toBe(204);
    expect((await call(app, `GET /notifications/${one.id}`, { as: me })).status).toBe(400);
    const ids = [two.id];
    expect((await call(app, 'DELETE /notifications', { as: me, body: { ids } })).status).toBe(204);
    expect(await list(me)).toEqual([kept]);
  });
});

describe('events', () => {
  test('an event with the key of an unread notification replaces it and adds its count', async () => {
    const me = await seed(database).user();
    const event = { userId: me.id, kind: 'albumUpdate', key: 'album-update 1' } as const;
    await send({ ...event, title: 'one', data: { count: 1 } });
    await send({ ...event, title: 'two', data: { count: 2 } });
    const [found, ...more] = await list(me);
    expect(found).toMatchObject({
      title: 'two',
      type: 'AlbumUpdate',
      data: { kind: 'albumUpdate', count: 3 },
    });
    expect(more).toEqual([]);

    const body = { readAt: NOW.toISOString() };
    await call(app, `PUT /notifications/${found.id}`, { as: me, body });
    await send({ ...event, title: 'three' });
    // Back to unread beside the new one.
    await call(app, `PUT /notifications/${found.id}`, { as: me, body: { readAt: null } });
    expect(await list(me, 'unread=true')).toHaveLength(2);
  });

  test('a kind that is switched off makes no notification; accounts that are gone neither', async () => {
    const me = await seed(database).user();
    const body = { notifications: { newLogin: false } };
    const saved = await call(app, 'PUT /users/me/preferences', { as: me, body });
    expect(saved.body.notifications).toMatchObject({ newLogin: false, albumInvite: true });
    await send({ userId: me.id, kind: 'newLogin', title: 'off' });
    await send({ userId: me.id, kind: 'albumInvite', title: 'on' });
    await send({ userId: crypto.randomUUID(), kind: 'albumInvite', title: 'nobody' });
    expect((await list(me)).map((one: { title: string }) => one.title)).toEqual(['on']);
    const unknown = { notifications: { newLogin: 'no' } };
    expect((await call(app, 'PUT /users/me/preferences', { as: me, body: unknown })).status).toBe(
      400,
    );
  });

  test('a notification too long for a live event is kept whole', async () => {
    const me = await seed(database).user();
    const long = {
      title: 'ä'.repeat(5000),
      description: 'x'.repeat(9000),
      data: { y: 'z'.repeat(9000) },
    };
    await create(me.id, long);
    expect(await list(me)).toMatchObject([long]);
  });
});

test('AU-006 only an administrator whose key may do everything creates notifications', async () => {
  const me = await seed(database).user(['all']);
  const weak = await seed(database).user(['notification.create'], { isAdmin: true });
  const body = { userId: me.id, title: 'x' };
  const post = (as?: TestUser, over: object = {}) =>
    call(app, 'POST /admin/notifications', { ...(as && { as }), body: { ...body, ...over } });
  expect((await post()).status).toBe(401);
  expect((await post(me)).status).toBe(403);
  expect((await post(weak)).status).toBe(403);
  expect((await post(admin, { userId: crypto.randomUUID() })).body.message).toBe('User not found');
  expect((await post(admin, { title: undefined })).status).toBe(400);
  expect(await list(me)).toEqual([]);
});
