import { beforeAll, describe, expect, test } from 'bun:test';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { useApp } from '../../../../test/support/database.ts';
import {
  DATES,
  filePart,
  createForm,
  type FormPart,
  photoForm,
  toSha256,
  randomFileBytes,
  upload,
} from '../../../../test/support/forms.ts';
import { call, type Caller, NOW, seed, type TestUser } from '../../../../test/support/harness.ts';
import { unlock } from '../../../../test/support/household.ts';
import { originalPath } from '../../../storage/stored-file.ts';

const { database, app } = await useApp();
let alice: TestUser;
let bob: TestUser;
beforeAll(async () => {
  alice = await seed(database).user();
  bob = await seed(database).user();
});

async function findAssetRow(id: string) {
  const [row] = await database.sql`select * from asset where id = ${id}`;
  return row;
}

const toOriginalPath = (bytes: Uint8Array) => originalPath(database.deps.paths, toSha256(bytes));

describe('POST /assets accepts the forms of real clients', () => {
  const bytes = () => randomFileBytes(70_000);
  const web: readonly FormPart[] = [
    { name: 'deviceAssetId', value: 'web-a.jpg-1' },
    { name: 'deviceId', value: 'WEB' },
    ...DATES,
    { name: 'isFavorite', value: 'false' },
    { name: 'duration', value: '0:00:00.000000' },
  ];
  const mobile: readonly FormPart[] = [
    { name: 'deviceAssetId', value: 'DB3/L0/001' },
    { name: 'deviceId', value: 'f00' },
    ...DATES,
    { name: 'isFavorite', value: 'true' },
    { name: 'duration', value: '0' },
    { name: 'filename', value: 'IMG_0001.HEIC' },
    { name: 'metadata', value: '[{"key":"mobile-app","value":{"iCloudId":"x"}}]' },
  ];
  const old: readonly FormPart[] = [
    { name: 'assetType', value: 'VIDEO' },
    { name: 'deviceAssetId', value: 'clip.mp4-5' },
    { name: 'deviceId', value: 'gopher' },
    ...DATES,
    { name: 'isFavorite', value: 'false' },
    { name: 'fileExtension', value: '.mp4' },
    { name: 'duration', value: '00:00:00.000000' },
    { name: 'isReadOnly', value: 'false' },
  ];
  type Expected = { fileName: string; type: string; is_favorite?: boolean; visibility?: string };
  const shapes: [string, (file: Uint8Array) => FormPart[], Expected][] = [
    [
      'the Immich CLI',
      (file) => [
        ...DATES,
        { name: 'fileSize', value: '70000' },
        { name: 'isFavorite', value: 'false' },
        { name: 'visibility', value: 'archive' },
        filePart(file, 'DSC01.ARW'),
      ],
      { fileName: 'DSC01.ARW', type: 'IMAGE', visibility: 'archive' },
    ],
    [
      'the mobile app',
      (file) => [...mobile, filePart(file, 'IMG_0001.HEIC')],
      { fileName: 'IMG_0001.HEIC', type: 'IMAGE', is_favorite: true },
    ],
    [
      'immich-go',
      (file) => [...old, filePart(file, 'clip.mp4')],
      { fileName: 'clip.mp4', type: 'VIDEO' },
    ],
    ['the web page', (file) => [...web, filePart(file)], { fileName: 'a.jpg', type: 'IMAGE' }],
    [
      'fields after the file',
      (file) => [filePart(file, 'blob'), { name: 'filename', value: 'later.png' }, ...DATES],
      { fileName: 'later.png', type: 'IMAGE' },
    ],
    [
      'a field without an extension beside a part with one',
      (file) => [{ name: 'filename', value: 'IMG_1' }, ...DATES, filePart(file, 'b.MOV')],
      { fileName: 'b.MOV', type: 'VIDEO' },
    ],
    [
      'a sound file and an unexpected file',
      (file) => [
        ...DATES,
        { name: 'extra', fileName: 'x.bin', bytes: file },
        filePart(file, 's.mp3'),
      ],
      { fileName: 's.mp3', type: 'AUDIO' },
    ],
    [
      'a non-ASCII name with a folder',
      (file) => [...DATES, filePart(file, 'été/東京 🗾.jpg')],
      { fileName: '東京 🗾.jpg', type: 'IMAGE' },
    ],
  ];
  for (const [name, parts, { fileName, ...expected }] of shapes) {
    test(name, async () => {
      const file = bytes();
      const reply = await upload(app, createForm(parts(file)), { as: alice });
      expect(reply).toMatchObject({ status: 201, body: { status: 'created' } });
      const asset = await findAssetRow(reply.body.id);
      expect(asset).toMatchObject({ owner_id: alice.id, file_name: fileName, ...expected });
      expect(asset!['taken_at']).toBe('2024-05-06 07:08:09.123+00');
      expect(await readFile(toOriginalPath(file))).toEqual(Buffer.from(file));
      // Nobody may write it, others may not even read it.
      expect((await stat(toOriginalPath(file))).mode & 0o337).toBe(0);
    });
  }
});

test('a new asset has its jobs, its metadata and its sidecar', async () => {
  const xmp = Buffer.from('<x:xmpmeta xmlns:x="adobe:ns:meta/"/>');
  const reply = await upload(
    app,
    createForm([
      filePart(randomFileBytes()),
      { name: 'metadata', value: '[{"key":"mobile-app","value":{"a":[1]}}]' },
      { name: 'sidecarData', fileName: 'a.jpg.xmp', bytes: xmp },
      ...DATES,
    ]),
    { as: alice },
  );
  const { id } = reply.body;
  const { sql, deps } = database;
  expect(
    await sql`select name from job where payload ->> 'assetId' = ${id} order by name`.values(),
  ).toEqual([['assets.readMetadata'], ['assets.renderImage']] as never);
  const [item] = await sql`select key, value from asset_metadata where asset_id = ${id}`;
  expect(item).toEqual({ key: 'mobile-app', value: { a: [1] } });
  const [file] = await sql`select kind, name, size from asset_file where asset_id = ${id}`;
  expect(file).toMatchObject({ kind: 'sidecar', size: String(xmp.length) });
  expect(await readFile(join(deps.paths.derived, file!['name']))).toEqual(xmp);
  expect(await sql`select 1 from asset_exif where asset_id = ${id}`).toHaveLength(1);
});

test('a new asset has the date of the client in the time zone of the owner', async () => {
  const kathmandu = await seed(database).user(['all'], { timeZone: 'Asia/Kathmandu' });
  const { body } = await upload(app, photoForm(randomFileBytes()), { as: kathmandu });
  expect((await findAssetRow(body.id))!['local_taken_at']).toBe('2024-05-06 12:53:09.123');
});

test('visibility=locked locks the new asset', async () => {
  const form = photoForm(randomFileBytes(), [{ name: 'visibility', value: 'locked' }]);
  const { body } = await upload(app, form, { as: alice });
  const asset = await findAssetRow(body.id);
  expect(asset).toMatchObject({ visibility: 'timeline' });
  expect(new Date(asset!['locked_at'])).toEqual(NOW);
});

describe('the video half of a live photo', () => {
  const video = async (as: TestUser) =>
    (await upload(app, photoForm(randomFileBytes(), [], 'IMG_1.MOV'), { as })).body.id as string;
  const still = (as: TestUser, videoId: string, more: readonly FormPart[] = []) =>
    stillBy({ as }, videoId, more);
  const stillBy = (caller: Caller, videoId: string, more: readonly FormPart[] = []) =>
    upload(
      app,
      photoForm(randomFileBytes(), [{ name: 'livePhotoVideoId', value: videoId }, ...more]),
      caller,
    );

  const LOCKED = [{ name: 'visibility', value: 'locked' }];
  const APART = { message: 'A live photo is locked as a whole: include its video' };
  const assetCount = async () => (await database.sql`select count(*) from asset`)[0]!['count'];

  test('is linked to its still and hidden', async () => {
    const videoId = await video(alice);
    const { status, body } = await still(alice, videoId);
    expect(status).toBe(201);
    expect((await findAssetRow(body.id))!['live_video_id']).toBe(videoId);
    expect(await findAssetRow(videoId)).toMatchObject({ visibility: 'hidden', locked_at: null });
  });

  test('is locked with its still', async () => {
    const videoId = await video(alice);
    await still(alice, videoId, LOCKED);
    expect((await findAssetRow(videoId))!['locked_at']).not.toBeNull();
  });

  test('that is Locked can only be linked to a locked still', async () => {
    const videoId = await video(alice);
    await database.sql`update asset set locked_at = now() where id = ${videoId}`;
    const [before, count] = [await findAssetRow(videoId), await assetCount()];
    // Without the PIN there is no such video.
    expect(await still(alice, videoId)).toMatchObject({
      status: 400,
      body: { message: 'Live photo video not found' },
    });
    await unlock(database, alice);
    const unlocked = { session: alice };
    expect(await stillBy(unlocked, videoId)).toMatchObject({ status: 400, body: APART });
    expect([await findAssetRow(videoId), await assetCount()]).toEqual([before, count]);
    const { status, body } = await stillBy(unlocked, videoId, LOCKED);
    expect(status).toBe(201);
    const [photo, moving] = [await findAssetRow(body.id), await findAssetRow(videoId)];
    expect(moving).toMatchObject({ visibility: 'hidden', locked_at: photo!['locked_at'] });
    expect(photo!['locked_at']).not.toBeNull();
  });

  test('cannot be locked with a second still while another still shows it', async () => {
    const videoId = await video(alice);
    const first = (await still(alice, videoId)).body.id;
    const before = await findAssetRow(videoId);
    expect(await still(alice, videoId, LOCKED)).toMatchObject({ status: 400, body: APART });
    expect(await findAssetRow(videoId)).toEqual(before);
    // An edited copy of a photo has the same video.
    const second = (await still(alice, videoId)).body.id;
    for (const id of [first, second]) {
      expect((await findAssetRow(id))!['live_video_id']).toBe(videoId);
    }
  });

  test('is restored from the trash when it is linked', async () => {
    const videoId = await video(alice);
    await call(app, 'DELETE /assets', { as: alice, body: { ids: [videoId] } });
    expect((await findAssetRow(videoId))!['trashed_at']).not.toBeNull();
    const { body } = await still(alice, videoId);
    expect(await findAssetRow(videoId)).toMatchObject({ visibility: 'hidden', trashed_at: null });
    // Both are one item from now on, wherever it goes.
    await call(app, 'DELETE /assets', { as: alice, body: { ids: [body.id] } });
    const [trashed, hidden] = [await findAssetRow(body.id), await findAssetRow(videoId)];
    expect(hidden!['trashed_at']).toEqual(trashed!['trashed_at']);
    expect(trashed!['trashed_at']).not.toBeNull();
  });

  test('must be a video of the caller; the refusal has the text of Immich and changes nothing', async () => {
    const photo = (await upload(app, photoForm(randomFileBytes()), { as: alice })).body.id;
    const hisPhoto = (await upload(app, photoForm(randomFileBytes()), { as: bob })).body.id;
    const target = (await upload(app, photoForm(randomFileBytes()), { as: alice })).body.id;
    const count = await assetCount();
    for (const [id, message] of [
      [await video(bob), 'Live photo video does not belong to the user'],
      [hisPhoto, 'Live photo video does not belong to the user'],
      [photo, 'Live photo video must be a video'],
      [crypto.randomUUID(), 'Live photo video not found'],
    ] as const) {
      const before = await findAssetRow(id);
      expect(await still(alice, id)).toMatchObject({ status: 400, body: { message } });
      const put = await call(app, `PUT /assets/${target}`, {
        as: alice,
        body: { livePhotoVideoId: id },
      });
      expect(put).toMatchObject({ status: 400, body: { message } });
      expect(await findAssetRow(id)).toEqual(before);
    }
    expect(await assetCount()).toBe(String(Number(count) + 1));
  });
});
