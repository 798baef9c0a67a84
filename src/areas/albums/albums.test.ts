import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import {
  call,
  seed,
  type TestDatabase,
  type TestUser,
  testApp,
  testDatabase,
} from '../../../test/support/harness.ts';
import type { App } from '../../app.ts';
import { sharedLinks } from '../../db/tables/albums.ts';
import { assets } from '../../db/tables/assets.ts';
import { partners } from '../../db/tables/identity.ts';

let database: TestDatabase;
let app: App;
beforeAll(async () => {
  database = await testDatabase();
  app = testApp(database);
});
afterAll(() => database.close());

const user = (permissions?: string[]) => seed(database).user(permissions);
const asset = (ownerId: string, over: Partial<typeof assets.$inferInsert> = {}) =>
  seed(database).asset({ ownerId, ...over });

async function album(owner: TestUser, body: object = {}) {
  const reply = await call(app, 'POST /albums', { as: owner, body: { albumName: 'A', ...body } });
  expect(reply.status).toBe(201);
  return reply.body;
}
const read = async (as: TestUser, id: string) =>
  (await call(app, `GET /albums/${id}`, { as })).body;

test('an album can be created, changed and deleted, and its assets stay', async () => {
  const owner = await user();
  const first = await asset(owner.id, { localTakenAt: '2020-01-01 10:00:00' });
  const last = await asset(owner.id, { localTakenAt: '2024-05-06 07:08:09' });
  const made = await album(owner, { description: 'Rome', assetIds: [first, last] });
  expect(made).toMatchObject({
    albumName: 'A',
    description: 'Rome',
    assetCount: 2,
    albumThumbnailAssetId: last,
    startDate: '2020-01-01T10:00:00.000Z',
    endDate: '2024-05-06T07:08:09.000Z',
    shared: false,
    hasSharedLink: false,
    albumUsers: [{ role: 'owner', user: { id: owner.id } }],
  });

  const patch = { albumName: 'B', albumThumbnailAssetId: first, order: 'asc', description: null };
  const changed = await call(app, `PATCH /albums/${made.id}`, { as: owner, body: patch });
  expect(changed.body).toMatchObject({
    albumName: 'B',
    albumThumbnailAssetId: first,
    order: 'asc',
    description: '',
  });

  expect((await call(app, `DELETE /albums/${made.id}`, { as: owner })).status).toBe(204);
  expect((await call(app, 'GET /albums', { as: owner })).body).toEqual([]);
  expect(await database.db.$count(assets)).toBeGreaterThanOrEqual(2);
});

describe('an album shows', () => {
  test('archived items, but no locked, trashed or hidden ones', async () => {
    const owner = await user();
    const shown = [await asset(owner.id), await asset(owner.id, { visibility: 'archive' })];
    const later = [await asset(owner.id), await asset(owner.id), await asset(owner.id)];
    const made = await album(owner, { assetIds: [...shown, ...later] });
    expect(made.assetCount).toBe(5);

    const hide = (id: string, change: Partial<typeof assets.$inferInsert>) =>
      database.db.update(assets).set(change).where(eq(assets.id, id));
    await hide(later[0]!, { lockedAt: new Date() });
    await hide(later[1]!, { trashedAt: new Date() });
    await hide(later[2]!, { visibility: 'hidden' });

    const after = await read(owner, made.id);
    expect(after.assetCount).toBe(2);
    expect(shown).toContain(after.albumThumbnailAssetId);
    for (const id of later) {
      expect((await call(app, `GET /albums?assetId=${id}`, { as: owner })).body).toEqual([]);
    }
  });

  test('nothing and has no cover when all its items are gone', async () => {
    const owner = await user();
    const id = await asset(owner.id);
    const made = await album(owner, { assetIds: [id] });
    await database.sql`update asset set trashed_at = now() where id = ${id}`;
    expect(await read(owner, made.id)).toMatchObject({
      assetCount: 0,
      albumThumbnailAssetId: null,
    });
  });
});

describe('GET /albums lists', () => {
  test('own albums and those shared with the caller, and no others', async () => {
    const [owner, member, stranger] = [await user(), await user(), await user()];
    const own = await album(owner, { albumName: 'own' });
    const shared = await album(owner, {
      albumName: 'shared',
      albumUsers: [{ userId: member.id, role: 'viewer' }],
    });
    const names = async (as: TestUser, query = '') =>
      (await call(app, `GET /albums${query}`, { as })).body
        .map((found: { albumName: string }) => found.albumName)
        .toSorted();

    expect(await names(owner)).toEqual(['own', 'shared']);
    expect(await names(owner, '?isShared=true')).toEqual(['shared']);
    expect(await names(owner, '?isShared=false')).toEqual(['own']);
    expect(await names(owner, `?id=${own.id}`)).toEqual(['own']);
    expect(await names(owner, '?name=shared')).toEqual(['shared']);
    const inBoth = await asset(owner.id);
    for (const { id } of [own, shared]) {
      await call(app, `PUT /albums/${id}/assets`, { as: owner, body: { ids: [inBoth] } });
    }
    // As Immich does, the asset overrides every other filter.
    for (const other of [
      'isShared=true',
      'isShared=false',
      'isOwned=false',
      'name=x',
      `id=${own.id}`,
    ]) {
      expect(await names(owner, `?assetId=${inBoth}&${other}`)).toEqual(['own', 'shared']);
    }
    expect(await names(member, `?assetId=${inBoth}&isShared=false`)).toEqual(['shared']);
    expect(await names(stranger, `?assetId=${inBoth}`)).toEqual([]);
    expect(await names(member)).toEqual(['shared']);
    expect(await names(member, '?isOwned=true')).toEqual([]);
    expect(await names(member, `?id=${own.id}`)).toEqual([]);
    expect(await names(stranger)).toEqual([]);

    const counts = async (as: TestUser) => (await call(app, 'GET /albums/statistics', { as })).body;
    expect(await counts(owner)).toEqual({ owned: 2, shared: 1, notShared: 1 });
    expect(await counts(member)).toEqual({ owned: 0, shared: 1, notShared: 0 });
    expect(await counts(stranger)).toEqual({ owned: 0, shared: 0, notShared: 0 });
    expect((await read(owner, shared.id)).contributorCounts).toEqual([
      { userId: owner.id, assetCount: 1 },
    ]);
  });
});

describe('adding and removing assets', () => {
  test('returns a result for each id, in order', async () => {
    const [owner, stranger, friend] = [await user(), await user(), await user()];
    await database.db.insert(partners).values({ sharerId: friend.id, viewerId: owner.id });
    const mine = await asset(owner.id);
    const ids = {
      mine,
      foreign: await asset(stranger.id),
      partners: await asset(friend.id),
      partnersArchived: await asset(friend.id, { visibility: 'archive' }),
      trashed: await asset(owner.id, { trashedAt: new Date() }),
      locked: await asset(owner.id, { lockedAt: new Date() }),
      unknown: crypto.randomUUID(),
    };
    const { id } = await album(owner);
    const put = await call(app, `PUT /albums/${id}/assets`, {
      as: owner,
      body: { ids: [...Object.values(ids), mine] },
    });
    expect(put.body.map((result: { error?: string }) => result.error ?? 'ok')).toEqual([
      'ok',
      'no_permission',
      'ok',
      'no_permission',
      'no_permission',
      'no_permission',
      'no_permission',
      'duplicate',
    ]);
    const again = await call(app, `PUT /albums/${id}/assets`, { as: owner, body: { ids: [mine] } });
    expect(again.body).toEqual([{ id: mine, success: false, error: 'duplicate' }]);

    const removed = await call(app, `DELETE /albums/${id}/assets`, {
      as: owner,
      body: { ids: [mine, ids.foreign] },
    });
    expect(removed.body).toEqual([
      { id: mine, success: true },
      { id: ids.foreign, success: false, error: 'not_found' },
    ]);
  });

  test('to several albums adds them to those that the caller may edit', async () => {
    const [owner, other] = [await user(), await user()];
    const [a, b, foreign] = [await album(owner), await album(owner), await album(other)];
    const id = await asset(owner.id);
    const put = (albumIds: string[]) =>
      call(app, 'PUT /albums/assets', { as: owner, body: { albumIds, assetIds: [id] } });

    expect((await put([a.id, b.id, foreign.id])).body).toEqual({ success: true });
    expect((await put([a.id])).body).toEqual({ success: false, error: 'duplicate' });
    expect((await put([foreign.id])).body).toEqual({ success: false, error: 'no_permission' });
    expect((await read(other, foreign.id)).assetCount).toBe(0);
    expect((await read(owner, b.id)).assetCount).toBe(1);
  });
});

describe('access', () => {
  test('each role may do what it allows, and an account without a role nothing', async () => {
    const [owner, editor, viewer, stranger] = [
      await user(),
      await user(),
      await user(),
      await user(),
    ];
    const { id } = await album(owner, {
      albumUsers: [
        { userId: editor.id, role: 'editor' },
        { userId: viewer.id, role: 'viewer' },
      ],
    });
    const foreign = await user();
    const attempt = async (as: TestUser) => {
      const ids = [await asset(as.id)];
      const statuses: number[] = [];
      const ask = async (route: Parameters<typeof call>[1], body?: object) =>
        statuses.push((await call(app, route, { as, ...(body && { body }) })).status);
      await ask(`GET /albums/${id}`);
      await ask(`PUT /albums/${id}/assets`, { ids });
      await ask(`DELETE /albums/${id}/assets`, { ids });
      await ask(`PATCH /albums/${id}`, { albumName: 'x' });
      await ask(`PUT /albums/${id}/users`, { albumUsers: [{ userId: foreign.id }] });
      await ask(`PUT /albums/${id}/user/${foreign.id}`, { role: 'viewer' });
      await ask(`DELETE /albums/${id}/user/${foreign.id}`);
      return statuses;
    };
    expect(await attempt(viewer)).toEqual([200, 400, 400, 400, 400, 400, 400]);
    expect(await attempt(editor)).toEqual([200, 200, 200, 200, 200, 204, 204]);
    expect(await attempt(stranger)).toEqual([400, 400, 400, 400, 400, 400, 400]);
    expect(await attempt(owner)).toEqual([200, 200, 200, 200, 200, 204, 204]);

    for (const as of [viewer, editor, stranger]) {
      expect((await call(app, `DELETE /albums/${id}`, { as })).status).toBe(400);
    }
    // An editor does not touch the owner, and a viewer nobody else.
    const role = { role: 'viewer' };
    const demote = await call(app, `PUT /albums/${id}/user/${owner.id}`, {
      as: editor,
      body: role,
    });
    expect(demote).toMatchObject({ status: 400, body: { message: 'User is owner' } });
    expect((await call(app, `DELETE /albums/${id}/user/${owner.id}`, { as: editor })).status).toBe(
      400,
    );
    expect((await call(app, `DELETE /albums/${id}/user/${editor.id}`, { as: viewer })).status).toBe(
      400,
    );
    expect((await read(owner, id)).albumUsers).toHaveLength(3);
    expect((await call(app, `DELETE /albums/${id}/user/me`, { as: viewer })).status).toBe(204);
    expect((await call(app, `GET /albums/${id}`, { as: viewer })).status).toBe(400);
    expect((await call(app, `DELETE /albums/${id}/user/me`, { as: owner })).status).toBe(400);
  });

  test('an album of others returns exactly the error of an unknown one', async () => {
    const [owner, stranger] = [await user(), await user()];
    const { id } = await album(owner);
    const foreign = await call(app, `GET /albums/${id}`, { as: stranger });
    const unknown = await call(app, `GET /albums/${crypto.randomUUID()}`, { as: stranger });
    expect(foreign.body).toEqual(unknown.body);
    expect(foreign.body.message).toBe('Not found or no album.read access');
  });

  test('a shared link reads its own album only, without names and e-mail addresses', async () => {
    const owner = await user();
    const [mine, other] = [await album(owner), await album(owner)];
    const key = crypto.getRandomValues(new Uint8Array(50));
    await database.db
      .insert(sharedLinks)
      .values({ ownerId: owner.id, type: 'ALBUM', albumId: mine.id, key });
    const query = `?key=${Buffer.from(key).toString('base64url')}`;

    const opened = await call(app, `GET /albums/${mine.id}${query}`);
    expect(opened).toMatchObject({ status: 200, body: { albumUsers: [], hasSharedLink: true } });
    expect(JSON.stringify(opened.body)).not.toContain(owner.email);
    expect((await call(app, `GET /albums/${other.id}${query}`)).status).toBe(400);
    expect((await call(app, `GET /albums${query}`)).status).toBe(403);
    const put = { body: { ids: [await asset(owner.id)] } };
    expect((await call(app, `PUT /albums/${mine.id}/assets${query}`, put)).status).toBe(403);
    expect((await call(app, `DELETE /albums/${mine.id}${query}`)).status).toBe(403);
  });

  test('sharing with the owner or a member changes nothing; an empty list is refused', async () => {
    const [owner, member] = [await user(), await user()];
    const { id } = await album(owner);
    const share = (...ids: string[]) =>
      call(app, `PUT /albums/${id}/users`, {
        as: owner,
        body: { albumUsers: ids.map((userId) => ({ userId })) },
      });
    expect(await share(owner.id)).toMatchObject({
      status: 200,
      body: { albumUsers: [{ role: 'owner', user: { id: owner.id } }] },
    });
    expect((await share(member.id, crypto.randomUUID())).status).toBe(400);
    expect((await read(owner, id)).albumUsers).toHaveLength(1);
    expect((await share(member.id, member.id)).body.albumUsers[1]).toMatchObject({
      role: 'editor',
    });
    const body = { role: 'viewer' };
    await call(app, `PUT /albums/${id}/user/${member.id}`, { as: owner, body });
    // Named again, a member keeps the role.
    const again = await share(member.id, owner.id);
    expect(again.status).toBe(200);
    expect(again.body.albumUsers).toMatchObject([{ role: 'owner' }, { role: 'viewer' }]);

    const made = await album(owner, {
      albumUsers: [
        { userId: owner.id, role: 'editor' },
        { userId: member.id, role: 'viewer' },
      ],
    });
    expect(made.albumUsers).toMatchObject([{ role: 'owner' }, { role: 'viewer' }]);
  });

  test('an editor may remove own items and those of partners, and no others', async () => {
    const [owner, editor, friend] = [await user(), await user(), await user()];
    await database.db.insert(partners).values({ sharerId: friend.id, viewerId: editor.id });
    const { id } = await album(owner, { albumUsers: [{ userId: editor.id, role: 'editor' }] });
    const of = { owner: await asset(owner.id), editor: await asset(editor.id) };
    const ofFriend = await asset(friend.id);
    await call(app, `PUT /albums/${id}/assets`, { as: owner, body: { ids: [of.owner] } });
    const ids = [of.editor, ofFriend];
    await call(app, `PUT /albums/${id}/assets`, { as: editor, body: { ids } });

    const removed = await call(app, `DELETE /albums/${id}/assets`, {
      as: editor,
      body: { ids: [of.owner, of.editor, of.editor, ofFriend, crypto.randomUUID()] },
    });
    expect(removed.body.map((result: { error?: string }) => result.error ?? 'ok')).toEqual([
      'no_permission',
      'ok',
      'not_found',
      'ok',
      'not_found',
    ]);
    expect((await read(owner, id)).assetCount).toBe(1);
    await call(app, `PUT /albums/${id}/assets`, { as: editor, body: { ids: [of.editor] } });
    const byOwner = await call(app, `DELETE /albums/${id}/assets`, {
      as: owner,
      body: { ids: [of.editor, of.owner] },
    });
    expect(byOwner.body).toMatchObject([{ success: true }, { success: true }]);
  });

  test('albums of a removed account are hidden from everybody until it is restored', async () => {
    const [owner, member] = [await user(), await user()];
    const id = await asset(owner.id);
    const made = await album(owner, {
      assetIds: [id],
      albumUsers: [{ userId: member.id, role: 'editor' }],
    });
    const kept = await album(member, { albumUsers: [{ userId: owner.id, role: 'editor' }] });
    const listed = async () =>
      (await call(app, 'GET /albums', { as: member })).body.map((one: { id: string }) => one.id);
    const asks = () =>
      Promise.all([
        call(app, `GET /albums/${made.id}`, { as: member }),
        call(app, `PATCH /albums/${made.id}`, { as: member, body: { albumName: 'mine' } }),
        call(app, `GET /activities?albumId=${made.id}`, { as: member }),
        call(app, `GET /timeline/buckets?albumId=${made.id}`, { as: member }),
      ]);
    const mine = await asset(member.id);
    const copy = { sourceId: mine, targetId: await asset(member.id) };
    await database.sql`insert into album_asset (album_id, asset_id) values (${made.id}, ${mine})`;
    const byAssetId = async () => (await call(app, `GET /assets/${id}`, { as: member })).status;
    const inAlbum = async () =>
      (await database.sql`select asset_id from album_asset where album_id = ${made.id}`).length;
    const setDeleted = (at: string | null) =>
      database.sql`update app_user set deleted_at = ${at} where id = ${owner.id}`;
    expect(await byAssetId()).toBe(200);

    await setDeleted(new Date().toISOString());
    expect(await listed()).toEqual([kept.id]);
    expect((await call(app, 'GET /albums/statistics', { as: member })).body.shared).toBe(1);
    expect((await call(app, `GET /albums?assetId=${id}`, { as: member })).body).toEqual([]);
    for (const { status } of await asks()) expect(status).toBe(400);
    expect(await byAssetId()).toBe(400);
    // The member keeps access to the assets it has added itself, and adds no more by copying.
    expect((await call(app, `GET /assets/${mine}`, { as: member })).status).toBe(200);
    await call(app, 'PUT /assets/copy', { as: member, body: copy });
    expect(await inAlbum()).toBe(2);

    await setDeleted(null);
    expect(await byAssetId()).toBe(200);
    await call(app, 'PUT /assets/copy', { as: member, body: copy });
    expect(await inAlbum()).toBe(3);
    expect(await listed()).toContain(made.id);
    for (const { status } of await asks()) expect(status).toBe(200);
    expect((await read(member, made.id)).albumName).toBe('mine');
  });

  test('AU-003: an API key without the permission gets 403 that names it', async () => {
    const reader = await user(['album.read']);
    const refused = await call(app, 'POST /albums', { as: reader, body: { albumName: 'x' } });
    expect(refused).toMatchObject({
      status: 403,
      body: { message: 'Missing required permission: album.create' },
    });
  });
});
