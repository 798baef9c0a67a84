import { beforeAll, describe, expect, test } from 'bun:test';
import { randomFileBytes } from '../../../../test/support/forms.ts';
import { call, seed, testApp } from '../../../../test/support/harness.ts';
import {
  sendRequest,
  create,
  encode,
  getUploadId,
  METADATA,
  reserve,
  UPLOADS,
} from '../../../../test/support/resumable.ts';
import { INCOMPATIBLE, liveUploads } from '../../../../test/support/live-photo-halves.ts';
import { useUploadServer } from '../../../../test/support/upload-server.ts';
import type { App } from '../../../app.ts';

const place = useUploadServer();
let app: App;
beforeAll(() => {
  app = testApp(place.database);
});

const { add, addVideo, commit, getAssetRow, expectPrivate } = liveUploads(place);

const DUPLICATE = { status: 409, body: { code: 'live_photo_duplicate' } };

describe('a refused commit keeps both halves private', () => {
  test('ST-034: while a half is incomplete', async () => {
    const [still, moving] = [randomFileBytes(), randomFileBytes()];
    const photo = await add(still);
    const metadata = { ...METADATA, filename: 'a.mov', publication: 'live-photo' };
    const open = getUploadId(
      await reserve(place.client, moving, {
        'content-type': 'video/quicktime',
        'asset-metadata': encode(metadata),
      }),
    );
    expect(await commit(photo, open)).toMatchObject(INCOMPATIBLE);
    await expectPrivate(photo, open, [still, moving]);
  });

  test('ER-007: for two photos, two videos, or swapped halves', async () => {
    const files = [
      randomFileBytes(),
      randomFileBytes(),
      randomFileBytes(),
      randomFileBytes(),
    ] as const;
    const [a, b] = [await add(files[0]), await add(files[1])];
    const [c, d] = [await addVideo(files[2]), await addVideo(files[3])];
    for (const [photo, video] of [
      [a, b],
      [c, d],
      [c, a],
    ] as const) {
      expect(await commit(photo, video)).toMatchObject(INCOMPATIBLE);
      await expectPrivate(photo, video, [...files]);
    }
    expect((await commit(a, c)).status).toBe(202);
  });

  test('for a half that was uploaded for immediate publication', async () => {
    const [still, moving] = [randomFileBytes(), randomFileBytes()];
    const video = await addVideo(moving);
    const reply = await create(place.client, still);
    const refused = await commit(getUploadId(reply.headers['location']!), video);
    expect(refused.status).toBe(409);
    expect(await place.findAsset(moving)).toBeUndefined();
  });

  test('ER-008: for a half whose bytes are an asset already', async () => {
    const [still, moving] = [randomFileBytes(), randomFileBytes()];
    const item = await create(place.client, still);
    const [photo, video] = [await add(still), await addVideo(moving)];
    expect(await commit(photo, video)).toMatchObject(DUPLICATE);
    expect(await place.findAsset(moving)).toBeUndefined();
    expect(await getAssetRow(item.body.assetId)).toMatchObject({ live_video_id: null });
    await expectPrivate(photo, video, [moving]);
  });

  test('for a half that belongs to another pair', async () => {
    const [photo, video] = [await add(randomFileBytes()), await addVideo(randomFileBytes())];
    expect((await commit(photo, video)).status).toBe(202);
    const other = await add(randomFileBytes());
    expect(await commit(other, video)).toMatchObject(DUPLICATE);
  });

  test('with 404 for foreign, unknown and cancelled halves, and 400 for the same half twice', async () => {
    const bob = await seed(place.database).user();
    const [still, moving] = [randomFileBytes(), randomFileBytes()];
    const [photo, video] = [await add(still), await addVideo(moving)];
    const his = await addVideo(randomFileBytes(), { by: bob });
    const gone = await addVideo(randomFileBytes());
    await sendRequest(place.client, `DELETE ${UPLOADS}/${gone}`);
    for (const id of [his, gone, crypto.randomUUID(), 'x']) {
      expect(await commit(photo, id)).toMatchObject({ status: 404, body: { code: 'not_found' } });
    }
    expect((await commit(photo, video, bob)).status).toBe(404);
    expect((await commit(photo, photo)).status).toBe(400);
    await expectPrivate(photo, video, [still, moving]);
  });

  test('with 403 without the permission, 401 without a key and 400 for an invalid body', async () => {
    const reader = await seed(place.database).user(['asset.read']);
    const [photo, video] = [await add(randomFileBytes()), await addVideo(randomFileBytes())];
    expect((await commit(photo, video, reader)).status).toBe(403);
    const route = 'POST /assets/uploads/live-photo/commit';
    const body = { photoUploadId: photo, videoUploadId: video };
    expect((await call(app, route, { body })).status).toBe(401);
    const more = { as: place.alice, body: { ...body, force: true } };
    expect((await call(app, route, more)).status).toBe(400);
    expect(
      (await call(app, route, { as: place.alice, body: { photoUploadId: photo } })).status,
    ).toBe(400);
  });

  test('when the quota has no room for both halves', async () => {
    const carol = await seed(place.database).user(['all'], { quotaBytes: 1500 });
    const [still, moving] = [randomFileBytes(), randomFileBytes()];
    const [photo, video] = [await add(still, { by: carol }), await addVideo(moving, { by: carol })];
    expect(await commit(photo, video, carol)).toMatchObject({
      status: 400,
      body: { message: 'Quota has been exceeded!' },
    });
    const made = [await place.findAsset(still, carol), await place.findAsset(moving, carol)];
    expect(made).toEqual([undefined, undefined]);
    await place.database.sql`update app_user set quota_bytes = 2000 where id = ${carol.id}`;
    expect((await commit(photo, video, carol)).status).toBe(202);
  });
});
