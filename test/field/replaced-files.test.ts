import { mkdtempSync } from 'node:fs';
import { mkdir, rename, rm, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import sharp from 'sharp';
import { handleRenderEdits } from '../../src/areas/assets/edits/edits.handlers.ts';
import { handleReadMetadata } from '../../src/areas/assets/exif/exif.handlers.ts';
import { handleRenderImage } from '../../src/areas/assets/processing/thumbnails.handlers.ts';
import { tag } from '../fixtures/index.ts';
import { useApp } from '../support/database.ts';
import {
  jpegWith,
  motionClip,
  motionItem,
  motionXmp,
  picture,
  PRIMARY,
} from '../support/field-motion.ts';
import { photoForm, upload } from '../support/forms.ts';
import { call, seed, type TestUser } from '../support/harness.ts';
import { addLibrary, makeFolder, scan } from '../support/libraries.ts';
import { createStill, createVideo } from '../support/live-photos.ts';
import { derivedPath, drainLane } from '../support/processing.ts';
import { getAssetRow } from '../support/rows.ts';

// Files of external libraries that get another content: README.md has the public threads.

const { database, app } = await useApp();
const scratch = mkdtempSync(join(tmpdir(), 'safelight-replaced-'));
let admin: TestUser;
let me: TestUser;
let folder: string;
let id: string;
let written = 0;
beforeAll(async () => {
  admin = await seed(database).user(['all'], { isAdmin: true });
});
beforeEach(async () => {
  await database.sql`truncate job cascade`;
  me = await seed(database).user();
  folder = await makeFolder();
  id = await addLibrary(app, admin, me.id, [folder]);
});
afterAll(async () => {
  await rm(scratch, { recursive: true });
});

const readAll = () =>
  drainLane(database, 'metadata', { 'assets.readMetadata': handleReadMetadata });
const renderAll = () =>
  drainLane(database, 'image', {
    'assets.renderImage': handleRenderImage,
    'assets.renderEdits': handleRenderEdits,
  } as never);

/** Writes files with another time each, scans them and reads their metadata. */
async function put(files: Readonly<Record<string, Uint8Array>>): Promise<void> {
  for (const [name, bytes] of Object.entries(files)) {
    await Bun.write(join(folder, name), bytes);
    await utimes(join(folder, name), 1_700_000_000, 1_700_000_000 + ++written);
  }
  await scan(database, app, admin, id);
  await readAll();
}

const find = async (name: string) => {
  const [row] = await database.sql<{ id: string }[]>`
    select id from asset where library_id = ${id} and file_name = ${name}`;
  return getAssetRow(database, row!.id);
};
const exists = async (assetId: string): Promise<boolean> =>
  (await database.sql`select from asset where id = ${assetId}`).length > 0;
const findClip = async (name: string): Promise<string | null> => {
  const { live_video_id: video } = await find(name);
  return video && Buffer.from((await getAssetRow(database, video)).sha256).toString('hex');
};
const hash = (bytes: Uint8Array): string =>
  new Bun.CryptoHasher('sha256').update(bytes).digest('hex');

const motion = (clip: Uint8Array) =>
  jpegWith(motionXmp('GCamera:MotionPhoto="1"', [PRIMARY, motionItem(clip.length)]), clip);
const [first, second] = [motionClip(scratch, 0), motionClip(scratch, 1)];
const change = (assetId: string, body: object) =>
  call(app, `PUT /assets/${assetId}`, { as: me, body });

test('292: a motion photo that becomes a photo has no film any more', async () => {
  await put({ 'a.jpg': await motion(first) });
  const { live_video_id: clip } = await find('a.jpg');
  await put({ 'a.jpg': await picture() });
  expect((await find('a.jpg')).live_video_id).toBeNull();
  expect(await exists(clip!)).toBe(false);
});

test('293a: a motion photo that becomes another one has its film', async () => {
  await put({ 'a.jpg': await motion(first) });
  await put({ 'a.jpg': await motion(second) });
  expect(await findClip('a.jpg')).toBe(hash(second));
});

test('293b: so has one that has had another name', async () => {
  await put({ 'a.jpg': await motion(first) });
  await rename(join(folder, 'a.jpg'), join(folder, 'b.jpg'));
  await put({});
  expect(await findClip('b.jpg')).toBe(hash(first));
  await put({ 'b.jpg': await motion(second) });
  expect(await findClip('b.jpg')).toBe(hash(second));
});

test('294: a motion photo whose stars were written into it keeps its film', async () => {
  const bytes = await motion(first);
  await put({ 'a.jpg': bytes });
  await Bun.write(join(scratch, 'a.jpg'), bytes);
  await put({ 'a.jpg': await Bun.file(tag(join(scratch, 'a.jpg'), '-XMP-xmp:Rating=4')).bytes() });
  expect(await findClip('a.jpg')).toBe(hash(first));
});

describe('295: the still of a live photo that becomes another photo', () => {
  const cid = crypto.randomUUID().toUpperCase();
  test('leaves its clip as an item of its own', async () => {
    await put({
      'IMG_1.HEIC': await createStill(cid),
      'IMG_1.MOV': await createVideo(scratch, cid),
    });
    const { id: video } = await find('IMG_1.MOV');
    expect((await find('IMG_1.HEIC')).live_video_id).toBe(video);
    await put({ 'IMG_1.HEIC': await createStill(crypto.randomUUID().toUpperCase()) });
    expect((await find('IMG_1.HEIC')).live_video_id).toBeNull();
    expect(await find('IMG_1.MOV')).toMatchObject({ id: video, visibility: 'timeline' });
  });

  test('keeps its clip where it is the same live photo', async () => {
    await put({
      'IMG_1.HEIC': await createStill(cid),
      'IMG_1.MOV': await createVideo(scratch, cid),
    });
    const { id: video } = await find('IMG_1.MOV');
    await put({ 'IMG_1.HEIC': await createStill(cid) });
    expect((await find('IMG_1.HEIC')).live_video_id).toBe(video);
    expect((await find('IMG_1.MOV')).visibility).toBe('hidden');
  });
});

test('296: the clip of a live photo that becomes another video is an item of its own', async () => {
  const [cid, other] = [crypto.randomUUID(), crypto.randomUUID()].map((one) => one.toUpperCase());
  await put({ 'IMG_1.HEIC': await createStill(cid), 'IMG_1.MOV': await createVideo(scratch, cid) });
  await put({ 'IMG_1.MOV': await createVideo(scratch, other) });
  expect((await find('IMG_1.HEIC')).live_video_id).toBeNull();
  expect((await find('IMG_1.MOV')).visibility).toBe('timeline');
});

test('297: models look at a picture with another content again', async () => {
  await put({ 'a.jpg': await picture() });
  const { id: photo } = await find('a.jpg');
  for (const task of ['faces', 'embedding', 'objects', 'labels', 'text', 'feature'])
    await database.sql`
      insert into asset_analysis (asset_id, task, model_id) values (${photo}, ${task}, 'a')`;
  await put({ 'a.jpg': await picture() });
  const rows = await database.sql`select from asset_analysis where asset_id = ${photo}`;
  expect(rows).toHaveLength(0);
});

const block = (color: string, width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: color } })
    .jpeg()
    .toBuffer();

test('298: edits stay, and a crop keeps its part of a picture of another size', async () => {
  await put({ 'a.jpg': await block('#c00', 320, 200) });
  await renderAll();
  const { id: photo } = await find('a.jpg');
  const edits = [
    { action: 'crop', parameters: { x: 160, y: 0, width: 160, height: 100 } },
    { action: 'rotate', parameters: { angle: 90 } },
  ];
  const { status } = await call(app, `PUT /assets/${photo}/edits`, { as: me, body: { edits } });
  expect(status).toBe(200);
  await renderAll();
  expect(await find('a.jpg')).toMatchObject({ width: 100, height: 160 });
  await put({ 'a.jpg': await block('#00c', 640, 400) });
  await renderAll();
  expect(await find('a.jpg')).toMatchObject({ width: 200, height: 320 });
  const { body } = await call(app, `GET /assets/${photo}/edits`, { as: me });
  expect(body.edits[0].parameters).toEqual({ x: 320, y: 0, width: 320, height: 200 });
});

test('299: keywords that a program writes into a file become tags, others stay', async () => {
  const bytes = await picture();
  await put({ 'a.jpg': bytes });
  const { id: photo } = await find('a.jpg');
  const { body } = await call(app, 'PUT /tags', { as: me, body: { tags: ['mine'] } });
  await call(app, `PUT /tags/${body[0].id}/assets`, { as: me, body: { ids: [photo] } });
  await Bun.write(join(scratch, 'b.jpg'), bytes);
  await put({
    'a.jpg': await Bun.file(tag(join(scratch, 'b.jpg'), '-XMP-dc:Subject=Köln')).bytes(),
  });
  const tags = await database.sql<{ value: string }[]>`
    select value from tag join tag_asset on tag_id = tag.id where asset_id = ${photo} order by 1`;
  expect(tags.map(({ value }) => value)).toEqual(['Köln', 'mine']);
});

test('274: the conversion and the transcript of a video go with its content', async () => {
  await put({ 'a.mov': await createVideo(scratch) });
  const { id: video } = await find('a.mov');
  for (const kind of ['encoded_video', 'bare_video', 'preview']) {
    const name = `test/${video}-${kind}`;
    await Bun.write(derivedPath(database, name), 'x');
    await database.sql`
      insert into asset_file (asset_id, kind, name, mime_type, size, tag)
      values (${video}, ${kind}, ${name}, 'video/mp4', 1, 't')`;
  }
  await database.sql`
    insert into video_enrichment (asset_id, heard_by, heard_ms, language)
    values (${video}, 'model', 1000, 'en')`;
  await database.sql`
    insert into video_speech (id, asset_id, start_ms, end_ms, text, confidence, model, words)
    values (gen_random_uuid(), ${video}, 0, 1000, 'hello', 1, 'model', '')`;
  await put({ 'a.mov': await createVideo(scratch) });
  const files = await database.sql`select kind from asset_file where asset_id = ${video}`;
  expect(files.map((row) => row['kind'])).toEqual(['preview']);
  expect(await Bun.file(derivedPath(database, `test/${video}-encoded_video`)).exists()).toBe(false);
  const [state] = await database.sql`
    select heard_by, heard_ms, (select count(*)::int from video_speech) as lines
    from video_enrichment where asset_id = ${video}`;
  expect(state).toEqual({ heard_by: '', heard_ms: 0, lines: 0 });
});

test('275: an animation that becomes a still has no length', async () => {
  const frame = { create: { width: 20, height: 20, channels: 3, background: '#f00' } } as const;
  const frames = await Promise.all(
    ['#f00', '#0f0'].map((background) =>
      sharp({ create: { ...frame.create, background } })
        .png()
        .toBuffer(),
    ),
  );
  const moving = await sharp(frames, { join: { animated: true } })
    .gif({ delay: [500, 500] })
    .toBuffer();
  await put({ 'a.gif': moving });
  expect((await find('a.gif')).duration_ms).toBe(1000);
  await put({ 'a.gif': await sharp(frame).gif().toBuffer() });
  expect((await find('a.gif')).duration_ms).toBeNull();
});

test('276: previews show the content that a file has now', async () => {
  await put({ 'a.jpg': await block('#c00', 320, 200) });
  await renderAll();
  await put({ 'a.jpg': await block('#00c', 200, 320) });
  await renderAll();
  const { id: photo, ...row } = await find('a.jpg');
  expect(row).toMatchObject({ width: 200, height: 320 });
  const [file] = await database.sql<{ name: string }[]>`
    select name from asset_file where asset_id = ${photo} and kind = 'preview'`;
  const { channels } = await sharp(derivedPath(database, file!.name)).stats();
  expect(channels[2]!.mean).toBeGreaterThan(180);
  expect(channels[0]!.mean).toBeLessThan(30);
});

test('277a: a change of the size alone is seen', async () => {
  await put({ 'a.jpg': await picture() });
  const before = await find('a.jpg');
  await Bun.write(join(folder, 'a.jpg'), await block('#00c', 99, 99));
  await utimes(join(folder, 'a.jpg'), 1_700_000_000, 1_700_000_000 + written);
  await scan(database, app, admin, id);
  expect((await find('a.jpg')).sha256).not.toEqual(before.sha256);
});

test('277b: a file that was only touched keeps all that was made of it', async () => {
  const bytes = await motion(first);
  await put({ 'a.jpg': bytes });
  const before = await find('a.jpg');
  await database.sql`
    insert into asset_analysis (asset_id, task, model_id) values (${before.id}, 'faces', 'a')`;
  await put({ 'a.jpg': bytes });
  expect((await find('a.jpg')).live_video_id).toBe(before.live_video_id);
  const rows = await database.sql`select from asset_analysis where asset_id = ${before.id}`;
  expect(rows).toHaveLength(1);
});

test('278: a video that its owner has linked stays with a photo that gets another content', async () => {
  await put({ 'a.jpg': await picture() });
  const { body } = await upload(app, photoForm(await createVideo(scratch), [], 'own.mov'), {
    as: me,
  });
  await readAll();
  const { id: photo } = await find('a.jpg');
  expect((await change(photo, { livePhotoVideoId: body.id })).status).toBe(200);
  await put({ 'a.jpg': await picture() });
  expect((await find('a.jpg')).live_video_id).toBe(body.id);
});

test('279: what its owner has set stays, and a live photo that moves stays one', async () => {
  const cid = crypto.randomUUID().toUpperCase();
  await put({ 'IMG_1.HEIC': await createStill(cid), 'IMG_1.MOV': await createVideo(scratch, cid) });
  const { id: photo, live_video_id: video } = await find('IMG_1.HEIC');
  await change(photo, { description: 'mine', isFavorite: true, rating: 5 });
  await mkdir(join(folder, 'moved'));
  for (const name of ['IMG_1.HEIC', 'IMG_1.MOV'])
    await rename(join(folder, name), join(folder, 'moved', name));
  await put({});
  await put({ 'moved/IMG_1.HEIC': await createStill(cid) });
  expect(await find('IMG_1.HEIC')).toMatchObject({
    id: photo,
    live_video_id: video,
    is_favorite: true,
  });
  const { body } = await call(app, `GET /assets/${photo}`, { as: me });
  expect(body.exifInfo).toMatchObject({ description: 'mine', rating: 5 });
});
