import { beforeEach, describe, expect, test } from 'bun:test';
import { rm } from 'node:fs/promises';
import { useApp } from '../../../../test/support/database.ts';
import {
  photoForm,
  randomFileBytes,
  toSha1Hex,
  toSha256,
  upload,
} from '../../../../test/support/forms.ts';
import { call, type Caller, NOW, seed, type TestUser } from '../../../../test/support/harness.ts';
import { addAlbum, addLink } from '../../../../test/support/hidden-places.ts';
import { unlock } from '../../../../test/support/household.ts';
import { addLibrary, makeFolder, scan, writeFiles } from '../../../../test/support/libraries.ts';
import { originalPath } from '../../../storage/stored-file.ts';
import type { SavedAsset } from './save.schemas.ts';

const { database, app } = await useApp();
const { sql, deps } = database;

/** Ada shares her Timeline with Bob, and an album with Eve. */
let [ada, bob, eve, stranger]: TestUser[] = [];
beforeEach(async () => {
  [ada, bob, eve, stranger] = [await add(), await add(), await add(), await add()];
  await call(app, 'POST /partners', { as: ada, body: { sharedWithId: bob?.id } });
});

const add = (over: Parameters<ReturnType<typeof seed>['user']>[1] = {}) =>
  seed(database).user(['all'], over);

const send = async (bytes = randomFileBytes(), fields: Record<string, string> = {}, as = ada) => {
  const parts = Object.entries(fields).map(([name, value]) => ({ name, value }));
  return (await upload(app, photoForm(bytes, parts, fields['filename']), { as })).body.id as string;
};
const sendLive = async (photo = randomFileBytes(), movie = randomFileBytes()) => {
  const video = await send(movie, { visibility: 'hidden', filename: 'a.mov' });
  return { video, id: await send(photo, { livePhotoVideoId: video }), photo, movie };
};
const save = (caller: Caller, ids: readonly string[]) =>
  call(app, 'POST /assets/save', { ...caller, body: { ids } });
const saveOne = async (as: TestUser | undefined, id: string): Promise<SavedAsset> => {
  const { status, body } = await save({ as }, [id]);
  expect(status).toBe(200);
  expect(body).toHaveLength(1);
  return body[0];
};
const listOwned = async (user: TestUser | undefined) => [
  ...(await sql`select * from asset where owner_id = ${user?.id ?? null} order by created_at, id`),
];

describe('POST /assets/save', () => {
  test('makes an item of a partner one of the own, with the file and its name, and nothing else of the owner', async () => {
    const bytes = randomFileBytes();
    const id = await send(bytes, { filename: 'sea.jpg', isFavorite: 'true' });
    const change = { description: 'Private words', rating: 5 };
    await call(app, `PUT /assets/${id}`, { as: ada, body: change });
    const before = await listOwned(ada);

    const saved = await saveOne(bob, id);
    expect(saved).toEqual({ id, success: true, assetId: expect.any(String) });
    expect(saved.assetId).not.toBe(id);
    const { body } = await call(app, `GET /assets/${saved.assetId}`, { as: bob });
    expect(body).toMatchObject({
      ownerId: bob?.id,
      originalFileName: 'sea.jpg',
      fileCreatedAt: '2024-05-06T07:08:09.123Z',
      isFavorite: false,
      visibility: 'timeline',
      exifInfo: { description: '', rating: null },
    });
    expect(body.checksum).toBe(Buffer.from(toSha1Hex(bytes), 'hex').toString('base64'));
    expect(await listOwned(ada)).toEqual(before);
    // The owner sees nothing of the copy, which stays when the owner deletes the item.
    expect((await call(app, `GET /assets/${saved.assetId}`, { as: ada })).status).toBe(400);
    await call(app, 'DELETE /assets', { as: ada, body: { ids: [id], force: true } });
    const file = await call(app, `GET /assets/${saved.assetId}/original`, { as: bob });
    expect(file.status).toBe(200);
    const jobs = await sql`select name from job where payload ->> 'assetId' = ${saved.assetId!}`;
    expect(jobs.length).toBeGreaterThan(0);
  });

  test('saves what an album shows its members, also from the archive of its owner', async () => {
    const ids = [await send(), await send(undefined, { visibility: 'archive' })];
    const outside = await send();
    await addAlbum(app, ada!, [eve!], ids);
    const { body } = await save({ as: eve }, [...ids, outside]);
    expect(body.map(({ success }: SavedAsset) => success)).toEqual([true, true, false]);
    expect(body[2]).toEqual({ id: outside, success: false, error: 'not_found' });
    const owned = await listOwned(eve);
    expect(owned.map(({ visibility }) => visibility)).toEqual(['timeline', 'timeline']);
  });

  test('tells of what the caller has already, and restores it from the trash', async () => {
    const bytes = randomFileBytes();
    const [id, own] = [await send(bytes), await send(undefined, {}, bob)];
    const { assetId } = await saveOne(bob, id);
    const { body } = await save({ as: bob }, [id, own, id.toUpperCase()]);
    for (const result of body) expect(result).toMatchObject({ success: false, error: 'duplicate' });
    expect(body[2].id).toBe(id.toUpperCase());
    await call(app, 'DELETE /assets', { as: bob, body: { ids: [assetId] } });
    expect(await saveOne(bob, id)).toEqual({ id, success: true, assetId: assetId! });
    const owned = await listOwned(bob);
    expect(owned.map(({ trashed_at: at }) => at)).toEqual([null, null]);
  });

  test('saves the same item once when it is asked for at the same time', async () => {
    for (const id of [await send(), (await sendLive()).id]) {
      const replies = await Promise.all([1, 2, 3].map(() => saveOne(bob, id)));
      expect(replies.map(({ error = '' }) => error).toSorted()).toEqual([
        '',
        'duplicate',
        'duplicate',
      ]);
    }
    expect(await listOwned(bob)).toHaveLength(3);
  });

  test('accepts an empty list, and at most 500 ids', async () => {
    expect(await save({ as: bob }, [])).toMatchObject({ status: 200, body: [] });
    const many = Array.from({ length: 501 }, () => crypto.randomUUID());
    expect((await save({ as: bob }, many)).status).toBe(400);
    expect((await save({ as: bob }, ['x'])).status).toBe(400);
  });
});

test('a file of an external library is copied to the store, and is there when the folder is gone', async () => {
  const [admin, folder] = [await add({ isAdmin: true }), await makeFolder()];
  await writeFiles(folder, { 'sea.jpg': '\u00ff\u00d8\u00ff sea' });
  await scan(database, app, admin, await addLibrary(app, admin, ada!.id, [folder]));
  const [asset] = await listOwned(ada);
  const { assetId } = await saveOne(bob, asset!['id']);
  await rm(folder, { recursive: true });
  const file = await call(app, `GET /assets/${assetId}/original`, { as: bob });
  expect(file.status).toBe(200);
  const [copy] = await listOwned(bob);
  expect(copy).toMatchObject({ file_name: 'sea.jpg', sha256: asset!['sha256'] });
});

describe('a live photo', () => {
  test('is saved with its video, and restored with it', async () => {
    const live = await sendLive();
    const { assetId } = await saveOne(bob, live.id);
    const expectPair = async () => {
      const owned = await listOwned(bob);
      expect(owned).toHaveLength(2);
      const still = owned.find(({ id }) => id === assetId);
      const video = owned.find(({ id }) => id !== assetId);
      expect(still).toMatchObject({ live_video_id: video?.['id'], trashed_at: null });
      expect(video).toMatchObject({ visibility: 'hidden', trashed_at: null, type: 'VIDEO' });
    };
    await expectPair();
    expect(await saveOne(bob, live.id)).toMatchObject({ success: false, error: 'duplicate' });
    await call(app, 'DELETE /assets', { as: bob, body: { ids: [assetId] } });
    expect(await saveOne(bob, live.id)).toMatchObject({ success: true, assetId });
    await expectPair();
  });

  test('is saved as a photo when the caller has its video already', async () => {
    const live = await sendLive();
    await send(live.movie, { filename: 'own.mov' }, bob);
    expect(await saveOne(bob, live.id)).toMatchObject({ success: true });
    expect(await listOwned(bob)).toHaveLength(2);
  });

  test('has a video that cannot be saved by itself', async () => {
    const { video } = await sendLive();
    expect(await saveOne(bob, video)).toMatchObject({ success: false, error: 'not_found' });
    expect(await listOwned(bob)).toEqual([]);
  });
});

describe('is refused', () => {
  test('for items that are Locked, in the trash, hidden or archived, and of others', async () => {
    const states: Record<string, object> = {
      locked: { lockedAt: NOW },
      trashed: { trashedAt: NOW },
      hidden: { visibility: 'hidden' },
      archived: { visibility: 'archive' },
    };
    const owner = ada!.id;
    const ids = await Promise.all(
      Object.values(states).map((state) => seed(database).asset({ ownerId: owner, ...state })),
    );
    await addAlbum(app, ada!, [eve!], []);
    const [shared] = await sql`select id from album where owner_id = ${owner}`;
    for (const id of ids.slice(0, 3)) {
      await sql`insert into album_asset (album_id, asset_id) values (${shared!['id']}, ${id})`;
    }
    await unlock(database, bob!);
    const plain = await send();
    const attempts: [Caller, readonly string[]][] = [
      [{ as: bob }, ids],
      [{ session: bob! }, ids],
      [{ as: eve }, [...ids, plain]],
      [{ as: stranger }, [...ids, plain, crypto.randomUUID()]],
    ];
    for (const [caller, wanted] of attempts) {
      const { body } = await save(caller, wanted);
      expect(body).toEqual(wanted.map((id) => ({ id, success: false, error: 'not_found' })));
    }
    for (const user of [bob, eve, stranger]) expect(await listOwned(user)).toEqual([]);
  });

  test('where the owner hides the place, which the file would tell', async () => {
    const live = await sendLive();
    const album = await addAlbum(app, bob!, [eve!], [live.id]);
    expect(album).toBeString();
    await sql`update partner set hides_places = true where sharer_id = ${ada!.id}`;
    for (const user of [bob, eve]) {
      expect(await saveOne(user, live.id)).toEqual({
        id: live.id,
        success: false,
        error: 'no_permission',
        errorMessage: 'The file tells where it was taken, which its owner hides',
      });
      expect(await listOwned(user)).toEqual([]);
    }
  });

  test('once the owner shares no more', async () => {
    const id = await send();
    await call(app, `DELETE /partners/${bob!.id}`, { as: ada });
    expect(await saveOne(bob, id)).toMatchObject({ success: false, error: 'not_found' });
  });

  test('without credentials, through a link and by a key without a permission', async () => {
    const id = await send();
    const link = await addLink(app, ada!, { type: 'INDIVIDUAL', assetIds: [id] });
    const body = { ids: [id] };
    expect((await call(app, 'POST /assets/save', { body })).status).toBe(401);
    expect((await call(app, `POST /assets/save?${link}`, { body })).status).toBe(403);
    const all = ['asset.upload', 'asset.download', 'asset.read', 'asset.view'];
    for (const missing of ['asset.upload', 'asset.download']) {
      const permissions = all.filter((one) => one !== missing);
      const create = { session: bob!, body: { name: 'k', permissions } };
      const key = (await call(app, 'POST /api-keys', create)).body.secret as string;
      const reply = await save({ as: { key } }, [id]);
      expect(reply.status).toBe(403);
      expect(reply.body.message).toBe(`Missing required permission: ${missing}`);
    }
    expect(await listOwned(bob)).toEqual([]);
  });

  test('over the quota, for this item alone', async () => {
    const carol = await add({ quotaBytes: 1500 });
    await call(app, 'POST /partners', { as: ada, body: { sharedWithId: carol.id } });
    const ids = [await send(), await send(), await send(randomFileBytes(400))];
    const { body } = await save({ as: carol }, ids);
    expect(body).toMatchObject([
      { success: true },
      { success: false, error: 'validation', errorMessage: 'Quota has been exceeded!' },
      { success: true },
    ]);
    expect(await listOwned(carol)).toHaveLength(2);
  });

  test('while the file is missing', async () => {
    const bytes = randomFileBytes();
    const [id, other] = [await send(bytes), await send()];
    await rm(originalPath(deps.paths, toSha256(bytes)));
    const { body } = await save({ as: bob }, [id, other]);
    expect(body).toMatchObject([{ success: false, error: 'unknown' }, { success: true }]);
    expect(body[0].errorMessage).toContain('file');
  });
});
