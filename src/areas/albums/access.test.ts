import { describe, expect, test } from 'bun:test';
import { useApp } from '../../../test/support/database.ts';
import { createAlbum, readAlbum } from '../../../test/support/albums.ts';
import { call, seed, type TestUser } from '../../../test/support/harness.ts';
import { sharedLinks } from '../../db/tables/albums.ts';
import { assets } from '../../db/tables/assets.ts';
import { partners } from '../../db/tables/identity.ts';

const { database, app } = await useApp();

const user = (permissions?: string[]) => seed(database).user(permissions);
const asset = (ownerId: string, over: Partial<typeof assets.$inferInsert> = {}) =>
  seed(database).asset({ ownerId, ...over });

describe('access', () => {
  test('each role may do what it allows, and an account without a role nothing', async () => {
    const [owner, editor, viewer, stranger] = [
      await user(),
      await user(),
      await user(),
      await user(),
    ];
    const { id } = await createAlbum(app, owner, {
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
    expect((await readAlbum(app, owner, id)).albumUsers).toHaveLength(3);
    expect((await call(app, `DELETE /albums/${id}/user/me`, { as: viewer })).status).toBe(204);
    expect((await call(app, `GET /albums/${id}`, { as: viewer })).status).toBe(400);
    expect((await call(app, `DELETE /albums/${id}/user/me`, { as: owner })).status).toBe(400);
  });

  test('an album of others returns exactly the error of an unknown one', async () => {
    const [owner, stranger] = [await user(), await user()];
    const { id } = await createAlbum(app, owner);
    const foreign = await call(app, `GET /albums/${id}`, { as: stranger });
    const unknown = await call(app, `GET /albums/${crypto.randomUUID()}`, { as: stranger });
    expect(foreign.body).toEqual(unknown.body);
    expect(foreign.body.message).toBe('Not found or no album.read access');
  });

  test('a shared link reads its own album only, without names and e-mail addresses', async () => {
    const owner = await user();
    const [mine, other] = [await createAlbum(app, owner), await createAlbum(app, owner)];
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
    const { id } = await createAlbum(app, owner);
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
    expect((await readAlbum(app, owner, id)).albumUsers).toHaveLength(1);
    expect((await share(member.id, member.id)).body.albumUsers[1]).toMatchObject({
      role: 'editor',
    });
    const body = { role: 'viewer' };
    await call(app, `PUT /albums/${id}/user/${member.id}`, { as: owner, body });
    // Named again, a member keeps the role.
    const again = await share(member.id, owner.id);
    expect(again.status).toBe(200);
    expect(again.body.albumUsers).toMatchObject([{ role: 'owner' }, { role: 'viewer' }]);

    const made = await createAlbum(app, owner, {
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
    const { id } = await createAlbum(app, owner, {
      albumUsers: [{ userId: editor.id, role: 'editor' }],
    });
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
    expect((await readAlbum(app, owner, id)).assetCount).toBe(1);
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
    const made = await createAlbum(app, owner, {
      assetIds: [id],
      albumUsers: [{ userId: member.id, role: 'editor' }],
    });
    const kept = await createAlbum(app, member, {
      albumUsers: [{ userId: owner.id, role: 'editor' }],
    });
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
    expect((await readAlbum(app, member, made.id)).albumName).toBe('mine');
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
