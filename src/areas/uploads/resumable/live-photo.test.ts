import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { effort } from '../../../../test/support/effort.ts';
import { toSha256, randomFileBytes } from '../../../../test/support/forms.ts';
import { call, testApp } from '../../../../test/support/harness.ts';
import { createStill, createVideo } from '../../../../test/support/live-photos.ts';
import { sendRequest, UPLOADS } from '../../../../test/support/resumable.ts';
import { INCOMPATIBLE, liveUploads } from '../../../../test/support/live-photo-halves.ts';
import { useUploadServer } from '../../../../test/support/upload-server.ts';
import { drainLane } from '../../../../test/support/processing.ts';
import { MEDIA, skipWithout } from '../../../../test/support/requirements.ts';
import type { App } from '../../../app.ts';
import { originalPath } from '../../../storage/stored-file.ts';
import { handleReadMetadata } from '../../assets/exif/exif.handlers.ts';

const place = useUploadServer();
let app: App;
let folder: string;
beforeAll(async () => {
  app = testApp(place.database);
  folder = await mkdtemp(join(tmpdir(), 'live-'));
});
afterAll(() => rm(folder, { recursive: true }));

const { add, addVideo, commit, getAssetRow, expectPrivate } = liveUploads(place);

async function timeline(): Promise<string[]> {
  const { body } = await call(app, 'POST /search/metadata', {
    as: place.alice,
    body: { size: 1000 },
  });
  return body.assets.items.map((item: { id: string }) => item.id);
}

describe('committing a live photo', () => {
  test('ST-032 ST-033 ST-035: publishes both halves together, and repeating it returns the same assets', async () => {
    const before = await timeline();
    const [still, moving] = [randomFileBytes(), randomFileBytes()];
    const [photo, video] = [await add(still), await addVideo(moving)];
    expect(await timeline()).toEqual(before);
    await expectPrivate(photo, video, [still, moving]);

    const reply = await commit(photo, video);
    const { photoAssetId, videoAssetId } = reply.body;
    expect(reply).toMatchObject({
      status: 202,
      body: {
        status: 'committed',
        photo: { id: photo, status: 'published', assetId: photoAssetId },
        video: { id: video, status: 'published', assetId: videoAssetId },
      },
    });
    expect(await getAssetRow(photoAssetId)).toMatchObject({
      type: 'IMAGE',
      live_video_id: videoAssetId,
      visibility: 'timeline',
      owner_id: place.alice.id,
    });
    expect(await getAssetRow(videoAssetId)).toMatchObject({ type: 'VIDEO', visibility: 'hidden' });
    expect((await place.original(still))!.equals(still)).toBe(true);
    expect((await place.original(moving))!.equals(moving)).toBe(true);
    expect(await place.partials()).toEqual([]);
    expect(new Set(await timeline())).toEqual(new Set([...before, photoAssetId]));

    for (let twice = 0; twice < 2; twice++) {
      expect(await commit(photo, video)).toMatchObject({
        status: 200,
        body: { status: 'published', photoAssetId, videoAssetId },
      });
    }
    expect((await sendRequest(place.client, `DELETE ${UPLOADS}/${photo}`)).status).toBe(409);
    expect(
      (await call(app, `GET /assets/${photoAssetId}`, { as: place.alice })).body,
    ).toMatchObject({
      livePhotoVideoId: videoAssetId,
    });
  });

  test('locks the video half with its photo and leaves it no favorite', async () => {
    const still = await add(randomFileBytes(), {
      metadata: { visibility: 'locked', isFavorite: true },
    });
    const video = await addVideo(randomFileBytes(), { metadata: { isFavorite: true } });
    const { body } = await commit(still, video);
    const [photo, moving] = [
      await getAssetRow(body.photoAssetId),
      await getAssetRow(body.videoAssetId),
    ];
    expect(photo).toMatchObject({ is_favorite: true, visibility: 'timeline' });
    expect(photo!['locked_at']).not.toBeNull();
    expect(moving!['locked_at']).toEqual(photo!['locked_at']);
    expect(moving).toMatchObject({ is_favorite: false, visibility: 'hidden' });
  });

  test('locks both halves when only the video asked for it', async () => {
    const still = await add(randomFileBytes());
    const video = await addVideo(randomFileBytes(), { metadata: { visibility: 'locked' } });
    const { body } = await commit(still, video);
    const [photo, moving] = [
      await getAssetRow(body.photoAssetId),
      await getAssetRow(body.videoAssetId),
    ];
    expect(photo!['locked_at']).not.toBeNull();
    expect(moving).toMatchObject({ visibility: 'hidden', locked_at: photo!['locked_at'] });
    expect(await timeline()).not.toContain(body.photoAssetId);
  });

  test('returns an existing pair and creates nothing', async () => {
    const [still, moving] = [randomFileBytes(), randomFileBytes()];
    const first = await commit(await add(still), await addVideo(moving));
    // A file that was lost meanwhile comes back.
    await rm(originalPath(place.database.deps.paths, toSha256(moving)));
    const again = await commit(await add(still), await addVideo(moving));
    expect(again).toMatchObject({
      status: 200,
      body: {
        status: 'duplicate',
        photoAssetId: first.body.photoAssetId,
        videoAssetId: first.body.videoAssetId,
        photo: { status: 'duplicate' },
      },
    });
    expect((await place.original(moving))!.equals(moving)).toBe(true);
    expect(await place.partials()).toEqual([]);
  });

  test('restores both halves of a trashed pair', async () => {
    const [still, moving] = [randomFileBytes(), randomFileBytes()];
    const { body } = await commit(await add(still), await addVideo(moving));
    const ids = [body.photoAssetId];
    await call(app, 'DELETE /assets', { as: place.alice, body: { ids } });
    expect((await commit(await add(still), await addVideo(moving))).status).toBe(200);
    for (const id of [body.photoAssetId, body.videoAssetId]) {
      expect(await getAssetRow(id)).toMatchObject({ trashed_at: null });
    }
  });

  test('ER-009: exactly one of two concurrent commits returns 202, the other 409 or the published pair', async () => {
    const seen = new Map<string, number>();
    for (let round = 0; round < effort({ quick: 6, full: 12 }); round++) {
      const [still, moving] = [randomFileBytes(), randomFileBytes()];
      const [photo, video] = [await add(still), await addVideo(moving)];
      const replies = await Promise.all([commit(photo, video), commit(photo, video)]);
      const statuses = replies.map((reply) => reply.status);
      expect(statuses.filter((status) => status === 202)).toHaveLength(1);
      const loser = replies.find((reply) => reply.status !== 202)!;
      if (loser.status === 409) {
        expect(loser.body).toMatchObject({ code: 'concurrent_request', retryable: true });
      } else {
        expect(loser).toMatchObject({ status: 200, body: { status: 'published' } });
      }
      seen.set(`${loser.status}`, (seen.get(`${loser.status}`) ?? 0) + 1);
      expect(await place.findAsset(still)).toBeDefined();
      expect(await place.findAsset(moving)).toBeDefined();
      await place.forget();
    }
    expect(seen.get('409') ?? 0).toBeGreaterThan(0);
  });

  test('of two concurrent commits that share a half, one returns 409 and creates nothing', async () => {
    const files = [randomFileBytes(), randomFileBytes(), randomFileBytes()] as const;
    const [photo, one, two] = [
      await add(files[0]),
      await addVideo(files[1]),
      await addVideo(files[2]),
    ];
    const replies = await Promise.all([commit(photo, one), commit(photo, two)]);
    expect(replies.map((reply) => reply.status).toSorted((a, b) => a - b)).toEqual([202, 409]);
    const made = await Promise.all(files.map((file) => place.findAsset(file)));
    expect(made.filter(Boolean)).toHaveLength(2);
  });

  test('a concurrent DELETE of a half either returns 409 or prevents the pair', async () => {
    for (let round = 0; round < effort({ quick: 3, full: 6 }); round++) {
      const [still, moving] = [randomFileBytes(), randomFileBytes()];
      const [photo, video] = [await add(still), await addVideo(moving)];
      const [made, gone] = await Promise.all([
        commit(photo, video),
        sendRequest(place.client, `DELETE ${UPLOADS}/${video}`),
      ]);
      const both = [await place.findAsset(still), await place.findAsset(moving)].filter(Boolean);
      if (made.status === 202) expect([gone.status, both.length]).toEqual([409, 2]);
      else expect([gone.status, both.length]).toEqual([204, 0]);
    }
  });
});

describe('content identifiers of the halves', () => {
  test('ER-007: that differ are refused; equal ones, or one that is missing, are accepted', async () => {
    const [a, b] = [crypto.randomUUID().toUpperCase(), crypto.randomUUID().toUpperCase()];
    const differing = [
      await add(await createStill(a), { type: 'image/jpeg' }),
      await addVideo(await createVideo(folder, b)),
    ] as const;
    expect(await commit(...differing)).toMatchObject(INCOMPATIBLE);
    for (const [photo, video] of [
      [a, a],
      [undefined, b],
      [b, undefined],
    ]) {
      const fitting = [
        await add(await createStill(photo), { type: 'image/jpeg' }),
        await addVideo(await createVideo(folder, video)),
      ] as const;
      expect((await commit(...fitting)).status).toBe(202);
    }
  });

  skipWithout('media').test(
    'of a real iPhone match, and the pair is kept when its metadata is read',
    async () => {
      const read = async (name: string) => Buffer.from(await Bun.file(join(MEDIA!, name)).bytes());
      const photo = await add(await read('iphone-xr/IMG_3589.HEIC'));
      const video = await addVideo(await read('iphone-xr/IMG_3589.mov'));
      const { status, body } = await commit(photo, video);
      expect(status).toBe(202);
      await drainLane(place.database, 'metadata', { 'assets.readMetadata': handleReadMetadata });
      expect(await getAssetRow(body.photoAssetId)).toMatchObject({
        live_video_id: body.videoAssetId,
      });
      expect(await getAssetRow(body.videoAssetId)).toMatchObject({ visibility: 'hidden' });
    },
  );
});
