import { describe, expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import { useApp } from '../../../test/support/database.ts';
import { createAlbum, readAlbum } from '../../../test/support/albums.ts';
import { call, seed, type TestUser } from '../../../test/support/harness.ts';
import { assets } from '../../db/tables/assets.ts';
import { partners } from '../../db/tables/identity.ts';

const { database, app } = await useApp();

const user = (permissions?: string[]) => seed(database).user(permissions);
const asset = (ownerId: string, over: Partial<typeof assets.$inferInsert> = {}) =>
  seed(database).asset({ ownerId, ...over });

test('an album can be created, changed and deleted, and its assets stay', async () => {
  const owner = await user();
  const first = await asset(owner.id, { localTakenAt: '2020-01-01 10:00:00' });
  const last = await asset(owner.id, { localTakenAt: '2024-05-06 07:08:09' });
  const made = await createAlbum(app, owner, { description: 'Rome', assetIds: [first, last] });
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
    const made = await createAlbum(app, owner, { assetIds: [...shown, ...later] });
    expect(made.assetCount).toBe(5);

    const hide = (id: string, change: Partial<typeof assets.$inferInsert>) =>
      database.db.update(assets).set(change).where(eq(assets.id, id));
    await hide(later[0]!, { lockedAt: new Date() });
    await hide(later[1]!, { trashedAt: new Date() });
    await hide(later[2]!, { visibility: 'hidden' });

    const after = await readAlbum(app, owner, made.id);
    expect(after.assetCount).toBe(2);
    expect(shown).toContain(after.albumThumbnailAssetId!);
    for (const id of later) {
      expect((await call(app, `GET /albums?assetId=${id}`, { as: owner })).body).toEqual([]);
    }
  });

  test('nothing and has no cover when all its items are gone', async () => {
    const owner = await user();
    const id = await asset(owner.id);
    const made = await createAlbum(app, owner, { assetIds: [id] });
    await database.sql`update asset set trashed_at = now() where id = ${id}`;
    expect(await readAlbum(app, owner, made.id)).toMatchObject({
      assetCount: 0,
      albumThumbnailAssetId: null,
    });
  });
});

describe('GET /albums lists', () => {
  test('own albums and those shared with the caller, and no others', async () => {
    const [owner, member, stranger] = [await user(), await user(), await user()];
    const own = await createAlbum(app, owner, { albumName: 'own' });
    const shared = await createAlbum(app, owner, {
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
    expect((await readAlbum(app, owner, shared.id)).contributorCounts).toEqual([
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
    const { id } = await createAlbum(app, owner);
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
    const [a, b, foreign] = [
      await createAlbum(app, owner),
      await createAlbum(app, owner),
      await createAlbum(app, other),
    ];
    const id = await asset(owner.id);
    const put = (albumIds: string[]) =>
      call(app, 'PUT /albums/assets', { as: owner, body: { albumIds, assetIds: [id] } });

    expect((await put([a.id, b.id, foreign.id])).body).toEqual({ success: true });
    expect((await put([a.id])).body).toEqual({ success: false, error: 'duplicate' });
    expect((await put([foreign.id])).body).toEqual({ success: false, error: 'no_permission' });
    expect((await readAlbum(app, other, foreign.id)).assetCount).toBe(0);
    expect((await readAlbum(app, owner, b.id)).assetCount).toBe(1);
  });
});
