import { describe, expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import { useHousehold } from '../../../../test/support/database.ts';
import { call, type Caller, seed } from '../../../../test/support/harness.ts';
import { unlock } from '../../../../test/support/household.ts';
import { assetExif, assets } from '../../../db/tables/assets.ts';

const { database, app, house } = await useHousehold();

const getAssetRow = async (id: string) =>
  (await database.db.select().from(assets).where(eq(assets.id, id)))[0]!;

const getExifRow = async (id: string) =>
  (await database.db.select().from(assetExif).where(eq(assetExif.assetId, id)))[0]!;

describe('PUT /assets/:id', () => {
  const setUp = async (values: Partial<Parameters<ReturnType<typeof seed>['asset']>[0]> = {}) => {
    const me = await seed(database).user();
    const id = await seed(database).asset({ ownerId: me.id, ...values });
    const put = (body: object, caller: Caller = { as: me }) =>
      call(app, `PUT /assets/${id}`, { ...caller, body });
    return { me, id, put };
  };

  test('an edited description and rating are kept when the metadata is read again', async () => {
    const { id, put } = await setUp();
    const { body } = await put({ description: 'a lake', rating: 5, isFavorite: true });
    expect(body).toMatchObject({
      isFavorite: true,
      exifInfo: { description: 'a lake', rating: 5 },
    });
    expect((await getExifRow(id)).editedFields).toEqual(['description', 'rating']);
    const rejected = await put({ rating: -1 });
    expect([rejected.status, rejected.body.exifInfo?.rating]).toEqual([200, -1]);
    expect((await put({ rating: null })).body.exifInfo.rating).toBeNull();
    expect((await put({ rating: 0 })).body.exifInfo.rating).toBeNull();
    expect((await getExifRow(id)).editedFields).toEqual(['description', 'rating']);
  });

  test('an edited date moves the asset in the Timeline', async () => {
    const { id, put, me } = await setUp({ exif: { timeZone: 'Europe/Berlin' } });
    const { body } = await put({ dateTimeOriginal: '2020-07-01T01:30:00.000+05:00' });
    expect(body).toMatchObject({
      fileCreatedAt: '2020-06-30T20:30:00.000Z',
      localDateTime: '2020-07-01T01:30:00.000Z',
      exifInfo: { dateTimeOriginal: '2020-06-30T20:30:00+00:00', timeZone: 'UTC+5' },
    });
    expect((await getExifRow(id)).editedFields).toEqual(['dateTimeOriginal']);
    const buckets = await call(app, 'GET /timeline/buckets', { as: me });
    expect(buckets.body).toEqual([{ timeBucket: '2020-07-01', count: 1 }]);
  });

  test('accepts a date only if the day exists and an offset is given', async () => {
    const { put } = await setUp({ exif: { timeZone: 'Europe/Berlin' } });
    for (const dateTimeOriginal of [
      'yesterday',
      '2020-02-31T12:00:00Z',
      '2020-07-01T12:00:00',
      '2020-07-01',
    ]) {
      const { status, body } = await put({ dateTimeOriginal });
      expect([dateTimeOriginal, status, body.errors[0].path]).toEqual([
        dateTimeOriginal,
        400,
        ['dateTimeOriginal'],
      ]);
    }
  });

  test('an edited position is answered with its place', async () => {
    const { id, put } = await setUp({ exif: { city: 'Lisbon', latitude: 38, longitude: -9 } });
    expect((await put({ latitude: 1 })).status).toBe(400);
    const { body } = await put({ latitude: 52.5, longitude: 13.4 });
    expect(body.exifInfo).toMatchObject({ latitude: 52.5, longitude: 13.4, city: 'Berlin' });
    expect((await getExifRow(id)).editedFields).toEqual(['latitude', 'longitude']);
  });

  test('changes the visibility to archived, hidden and back', async () => {
    const { put } = await setUp();
    for (const visibility of ['archive', 'hidden', 'timeline'] as const) {
      const { body } = await put({ visibility });
      expect(body).toMatchObject({ visibility, isArchived: visibility === 'archive' });
    }
  });

  test('locking hides both halves of a live photo, and unlocking restores them', async () => {
    const { me, id, put } = await setUp({ visibility: 'archive' });
    const videoId = await seed(database).asset({
      ownerId: me.id,
      type: 'VIDEO',
      visibility: 'hidden',
    });
    await database.db.update(assets).set({ liveVideoId: videoId }).where(eq(assets.id, id));
    await unlock(database, me);
    const locked = await put({ visibility: 'locked' }, { session: me });
    expect(locked).toMatchObject({ status: 200, body: { visibility: 'locked' } });
    for (const half of [id, videoId]) expect((await getAssetRow(half)).lockedAt).not.toBeNull();
    // Without the PIN it does not exist.
    expect((await put({ visibility: 'timeline' })).status).toBe(400);
    expect((await put({ description: 'x' })).status).toBe(400);

    const back = await put({ visibility: 'timeline' }, { session: me });
    expect(back.body).toMatchObject({ visibility: 'archive', livePhotoVideoId: videoId });
    for (const half of [id, videoId]) expect((await getAssetRow(half)).lockedAt).toBeNull();
    expect((await getAssetRow(videoId)).visibility).toBe('hidden');
  });

  test('an API key can lock an asset and can no longer read it afterwards', async () => {
    const { id, put } = await setUp();
    expect((await put({ visibility: 'locked' })).status).toBe(200);
    expect((await getAssetRow(id)).lockedAt).not.toBeNull();
    expect((await put({})).status).toBe(400);
  });

  test('linking a video half hides it, and unlinking shows it again', async () => {
    const { me, put } = await setUp();
    const videoId = await seed(database).asset({ ownerId: me.id, type: 'VIDEO' });
    const pictureId = await seed(database).asset({ ownerId: me.id });
    const { body } = await put({ livePhotoVideoId: videoId });
    expect(body.livePhotoVideoId).toBe(videoId);
    expect((await getAssetRow(videoId)).visibility).toBe('hidden');
    expect((await put({ livePhotoVideoId: pictureId })).status).toBe(400);
    expect((await put({ livePhotoVideoId: house.ids.video })).status).toBe(400);
    const again = `PUT /assets/${pictureId}` as const;
    const taken = await call(app, again, { as: me, body: { livePhotoVideoId: videoId } });
    expect(taken.status).toBe(400);
    expect((await put({ livePhotoVideoId: null })).body.livePhotoVideoId).toBeNull();
    expect((await getAssetRow(videoId)).visibility).toBe('timeline');
  });

  test('is refused to everyone but the owner and changes nothing', async () => {
    const path = `PUT /assets/${house.ids.plain}` as const;
    const body = { description: 'mine now', isFavorite: true };
    const before = await getAssetRow(house.ids.plain);
    for (const who of [house.viewer, house.member, house.stranger]) {
      const reply = await call(app, path, { as: who, body });
      expect(reply).toMatchObject({
        status: 400,
        body: { message: 'Not found or no asset.update access' },
      });
    }
    expect((await call(app, `${path}?slug=assets`, { body })).status).toBe(403);
    expect((await call(app, path, { body })).status).toBe(401);
    const weak = await seed(database).user(['asset.read']);
    expect((await call(app, path, { as: weak, body })).status).toBe(403);
    expect((await call(app, path, { as: house.owner, body: { rating: 6 } })).status).toBe(400);
    expect(await getAssetRow(house.ids.plain)).toEqual(before);
  });
});

describe('metadata values of an asset', () => {
  test('can be put, read and deleted; the last of two values for one key wins', async () => {
    const me = await seed(database).user();
    const id = await seed(database).asset({ ownerId: me.id });
    const path = `/assets/${id}/metadata` as const;
    const items = [
      { key: 'mobile-app', value: { iCloudId: 'a' } },
      { key: 'mobile-app', value: { iCloudId: 'b' } },
    ];
    const put = await call(app, `PUT ${path}`, { as: me, body: { items } });
    expect(put).toMatchObject({
      status: 200,
      body: [{ key: 'mobile-app', value: { iCloudId: 'b' } }],
    });
    expect((await call(app, `GET ${path}`, { as: me })).body).toEqual(put.body);
    expect((await call(app, `GET ${path}/mobile-app`, { as: me })).body).toEqual(put.body[0]);
    expect((await call(app, `GET ${path}/none`, { as: me })).status).toBe(404);
    expect((await call(app, `DELETE ${path}/mobile-app`, { as: me })).status).toBe(204);
    expect((await call(app, `GET ${path}`, { as: me })).body).toEqual([]);
  });

  test('can be written by the owner only', async () => {
    const path = `/assets/${house.ids.plain}/metadata` as const;
    const body = { items: [{ key: 'k', value: {} }] };
    for (const who of [house.viewer, house.member, house.stranger]) {
      expect((await call(app, `PUT ${path}`, { as: who, body })).status).toBe(400);
      expect((await call(app, `DELETE ${path}/k`, { as: who })).status).toBe(400);
    }
    expect((await call(app, `GET ${path}`, { as: house.stranger })).status).toBe(400);
    expect((await call(app, `PUT ${path}?slug=assets`, { body })).status).toBe(403);
    const weak = await seed(database).user(['asset.read']);
    expect((await call(app, `PUT ${path}`, { as: weak, body })).status).toBe(403);
  });
});
