import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eq } from 'drizzle-orm';
import { photoForm, randomFileBytes, upload } from '../../../../test/support/forms.ts';
import {
  call,
  NOW,
  seed,
  testApp,
  type TestDatabase,
  testDatabase,
  type TestUser,
} from '../../../../test/support/harness.ts';
import { createStill, createVideo } from '../../../../test/support/live-photos.ts';
import { drainLane } from '../../../../test/support/processing.ts';
import type { App } from '../../../app.ts';
import { albums, sharedLinks } from '../../../db/tables/albums.ts';
import { assets } from '../../../db/tables/assets.ts';
import { handleReadMetadata } from '../exif/exif.handlers.ts';

let database: TestDatabase;
let app: App;
let me: TestUser;
let folder: string;
beforeAll(async () => {
  database = await testDatabase();
  app = testApp(database);
  folder = await mkdtemp(join(tmpdir(), 'pairs-'));
});
afterAll(async () => {
  await database.close();
  await rm(folder, { recursive: true });
});
beforeEach(async () => {
  me = await seed(database).user();
});

const findAssetRow = async (id: string) =>
  (await database.db.select().from(assets).where(eq(assets.id, id)))[0];
const change = (id: string, values: Partial<typeof assets.$inferInsert>) =>
  database.db.update(assets).set(values).where(eq(assets.id, id));
const send = async (bytes: Uint8Array, name: string, fields: Record<string, string> = {}) => {
  const parts = Object.entries(fields).map(([field, value]) => ({ name: field, value }));
  const { status, body } = await upload(app, photoForm(bytes, parts, name), { as: me });
  expect(status).toBe(201);
  return body.id as string;
};
const video = (fields = {}) => send(randomFileBytes(), 'a.mov', fields);
const still = (livePhotoVideoId: string) => send(randomFileBytes(), 'a.heic', { livePhotoVideoId });
/** A video that was there for days before its still. */
const oldVideo = async (fields = {}) => {
  const id = await video(fields);
  await change(id, { createdAt: new Date(NOW.getTime() - 2 * 86_400_000) });
  return id;
};
const remove = (ids: readonly string[], force: boolean) =>
  call(app, 'DELETE /assets', { as: me, body: { ids, force } });
const put = (id: string, livePhotoVideoId: string | null) =>
  call(app, `PUT /assets/${id}`, { as: me, body: { livePhotoVideoId } });
const timeline = async () => {
  const { body } = await call(app, 'POST /search/metadata', { as: me, body: { size: 100 } });
  return body.assets.items.map(({ id }: { id: string }) => id) as string[];
};

describe('deleting a still restores its video when that was an item of its own before', () => {
  const LINKED: Record<string, (videoId: string) => Promise<string>> = {
    'linked by the upload of the still': still,
    'linked by hand': async (videoId) => {
      const id = await send(randomFileBytes(), 'a.heic');
      expect((await put(id, videoId)).status).toBe(200);
      return id;
    },
  };
  for (const [name, link] of Object.entries(LINKED)) {
    test(`${name}: deleted permanently`, async () => {
      const videoId = await oldVideo();
      const stillId = await link(videoId);
      expect(await timeline()).toEqual([stillId]);
      expect((await remove([stillId], true)).status).toBe(204);
      expect(await findAssetRow(stillId)).toBeUndefined();
      expect(await timeline()).toEqual([videoId]);
    });

    test(`${name}: deleted by emptying the trash`, async () => {
      const videoId = await oldVideo();
      const stillId = await link(videoId);
      await remove([stillId], false);
      expect(await timeline()).toEqual([]);
      expect((await call(app, 'POST /trash/empty', { as: me })).body.count).toBe(1);
      expect(await timeline()).toEqual([videoId]);
    });
  }

  test('the video returns to the archive if it was archived before', async () => {
    const videoId = await oldVideo({ visibility: 'archive' });
    await remove([await still(videoId)], true);
    expect(await findAssetRow(videoId)).toMatchObject({ visibility: 'archive', trashedAt: null });
  });

  test('the video stays hidden while another still has it', async () => {
    const videoId = await oldVideo();
    const [first, second] = [await still(videoId), await still(videoId)];
    await remove([first], true);
    expect(await timeline()).toEqual([second]);
    await put(second, null);
    expect(new Set(await timeline())).toEqual(new Set([second, videoId]));
    expect(await findAssetRow(videoId)).toMatchObject({ standaloneVisibility: null });
  });

  test('the video stays Locked when its still was locked', async () => {
    const videoId = await oldVideo();
    const stillId = await still(videoId);
    await call(app, 'POST /assets/lock', { as: me, body: { ids: [stillId] } });
    await database.sql`update session set elevated_until = '2100-01-01' where user_id = ${me.id}`;
    const body = { ids: [stillId], force: true };
    expect((await call(app, 'DELETE /assets', { session: me, body })).status).toBe(204);
    const left = await findAssetRow(videoId);
    expect(left).toMatchObject({ visibility: 'timeline' });
    expect(left!.lockedAt).not.toBeNull();
  });
});

test.each([{ visibility: 'hidden' }, {}])(
  'a video that was uploaded just before its still, as %p, is deleted with it',
  async (fields) => {
    const videoId = await video(fields);
    await remove([await still(videoId)], true);
    expect(await findAssetRow(videoId)).toBeUndefined();
    const favorite = await video({ ...fields, isFavorite: 'true' });
    await remove([await still(favorite)], true);
    expect((await findAssetRow(favorite))?.visibility).toBe(
      fields.visibility === undefined ? 'timeline' : undefined,
    );
  },
);

test('unlinking a video from one of two stills leaves it hidden behind the other', async () => {
  const videoId = await video();
  const [first, second] = [await still(videoId), await still(videoId)];
  await put(first, null);
  expect(new Set(await timeline())).toEqual(new Set([first, second]));
});

describe('files with the same content identifier', () => {
  const read = () => drainLane(database, 'metadata', { 'assets.readMetadata': handleReadMetadata });
  async function link() {
    const [album] = await database.db
      .insert(albums)
      .values({ ownerId: me.id, name: 'party' })
      .returning({ id: albums.id });
    const key = crypto.getRandomValues(new Uint8Array(50));
    await database.db.insert(sharedLinks).values({
      ownerId: me.id,
      type: 'ALBUM',
      albumId: album!.id,
      key,
      allowUpload: true,
    });
    return { query: `?key=${Buffer.from(key).toString('base64url')}` };
  }

  test('are not paired between owner and guest, so that no guest can hide an asset of the owner', async () => {
    const identifier = crypto.randomUUID().toUpperCase();
    const videoId = await send(await createVideo(folder, identifier), 'a.mov');
    await read();
    const form = photoForm(await createStill(identifier), [], 'a.jpg');
    const { body } = await upload(app, form, await link());
    await read();
    expect(await findAssetRow(body.id)).toMatchObject({ liveVideoId: null });
    expect(await findAssetRow(videoId)).toMatchObject({ visibility: 'timeline' });
  });

  test('are paired when uploaded through the same shared link, not through different ones', async () => {
    const identifier = crypto.randomUUID().toUpperCase();
    const [party, other] = [await link(), await link()];
    const movie = photoForm(await createVideo(folder, identifier), [], 'a.mov');
    const videoId = (await upload(app, movie, party)).body.id;
    const sent = async (query: { query: string }) =>
      (await upload(app, photoForm(await createStill(identifier), [], 'a.jpg'), query)).body.id;
    const [apart, together] = [await sent(other), await sent(party)];
    await read();
    expect(await findAssetRow(apart)).toMatchObject({ liveVideoId: null });
    expect(await findAssetRow(together)).toMatchObject({ liveVideoId: videoId });
  });

  test('are deleted together unless the video had been visible for more than a day', async () => {
    for (const [days, isKept] of [
      [0, false],
      [2, true],
    ] as const) {
      const identifier = crypto.randomUUID().toUpperCase();
      const videoId = await send(await createVideo(folder, identifier), 'a.mov');
      await change(videoId, { createdAt: new Date(Date.now() - days * 86_400_000) });
      const stillId = await send(await createStill(identifier), 'a.jpg');
      await read();
      expect(await findAssetRow(stillId)).toMatchObject({ liveVideoId: videoId });
      await remove([stillId], true);
      expect((await findAssetRow(videoId))?.visibility).toBe(isKept ? 'timeline' : undefined!);
    }
  });
});

test("nobody makes a stranger wait for the stranger's own video", async () => {
  const other = await seed(database).user();
  const theirs = await seed(database).asset({ ownerId: other.id, type: 'VIDEO' });
  const mine = await still(await video());
  // A request that locked it, too, would wait for this transaction, which waits for the request.
  const reply = await database.sql.begin(async (tx) => {
    await tx`select from asset where id = ${theirs} for update`;
    return put(mine, theirs);
  });
  expect(reply).toMatchObject({
    status: 400,
    body: { message: 'Live photo video does not belong to the user' },
  });
});
