import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { makeClip } from '../../../../test/fixtures/clips.ts';
import { createSidecar } from '../../../../test/fixtures/tags.ts';
import { seed, type TestDatabase } from '../../../../test/support/harness.ts';
import { metadataTools, PARIS } from '../../../../test/support/metadata.ts';
import {
  addFile,
  derivedPath,
  jobCtx,
  openMediaLibrary,
} from '../../../../test/support/processing.ts';
import { listJobRows } from '../../../../test/support/rows.ts';
import { MEDIA, skipWithout } from '../../../../test/support/requirements.ts';
import { originalPath } from '../../../storage/stored-file.ts';
import { handleReadMetadata } from './exif.handlers.ts';

let database: TestDatabase;
let ownerId: string;
let folder: string;
let close: () => Promise<void>;
beforeAll(async () => {
  ({ database, folder, close } = await openMediaLibrary());
});
afterAll(() => close());
beforeEach(async () => {
  ownerId = (await seed(database).user()).id;
  await database.sql`truncate job`;
});

const { getAssetRow, getExifRow, makePhoto, read } = metadataTools(() => ({ database, folder }));
const jobs = () => listJobRows(database);

test('date, position and camera are read from the file, and the month of the asset is updated', async () => {
  const tags = ['-Make=Acme', '-Model=One', '-ISO=200', '-Orientation#=6', '-Rating=4'];
  const path = await makePhoto('a.jpg', [...PARIS, ...tags]);
  const { height } = await sharp(path).metadata();
  const id = await addFile(database, path, { ownerId });
  await read(id);
  const row = await getAssetRow(id);
  expect(row).toMatchObject({ local: '2020-06-01 12:00:00', width: height, height: 40 });
  expect(new Date(row.taken_at).toISOString()).toBe('2020-06-01T10:00:00.000Z');
  expect(row.metadata_read_at).not.toBeNull();
  expect(await getExifRow(id)).toMatchObject({
    make: 'Acme',
    model: 'One',
    iso: 200,
    rating: 4,
    orientation: '6',
    exif_width: 40,
    exif_height: height,
    city: 'Paris',
    country: 'France',
    date_source: 'DateTimeOriginal',
  });
  expect(await jobs()).toEqual([]);
});

test('values edited by the owner are kept, and the place is looked up for the edited position', async () => {
  const file = await makePhoto('b.jpg', [...PARIS, '-Rating=4', '-ImageDescription=from the file']);
  const id = await addFile(database, file, { ownerId });
  await database.sql`
    update asset_exif set description = 'mine', rating = 2, latitude = 52.52, longitude = 13.405,
      date_time_original = '2001-02-03T04:05:06Z', time_zone = 'Europe/Berlin',
      edited_fields = '{description,rating,latitude,longitude,dateTimeOriginal}'
    where asset_id = ${id}`;
  const before = await getAssetRow(id);
  await read(id);
  const exif = await getExifRow(id);
  expect(exif).toMatchObject({
    description: 'mine',
    rating: 2,
    latitude: 52.52,
    longitude: 13.405,
    time_zone: 'Europe/Berlin',
    city: 'Berlin',
    country: 'Germany',
  });
  expect(new Date(exif.date_time_original).getUTCFullYear()).toBe(2001);
  const after = await getAssetRow(id);
  expect([after.taken_at, after.local]).toEqual([before.taken_at, before.local]);
});

test('an uploaded sidecar takes precedence over the file', async () => {
  const id = await addFile(database, await makePhoto('c.jpg', [...PARIS, '-Rating=1']), {
    ownerId,
  });
  const name = `${id}-sidecar.xmp`;
  const path = derivedPath(database, name);
  const tags = ['-XMP:Rating=5', '-XMP:DateTimeOriginal=1999:12:31 23:59:59'];
  await mkdir(database.deps.paths.derived, { recursive: true });
  createSidecar(path, ...tags);
  await database.sql`
    insert into asset_file values (${id}, 'sidecar', ${name}, 'application/xml', 1, 't')`;
  await read(id);
  expect((await getAssetRow(id)).local).toBe('1999-12-31 23:59:59');
  expect((await getExifRow(id)).rating).toBe(5);
});

test('a file without a date keeps the date that the client sent', async () => {
  const takenAt = new Date('2015-05-05T05:05:05Z');
  const id = await addFile(database, await makePhoto('d.jpg', []), { ownerId, takenAt });
  await read(id);
  expect(new Date((await getAssetRow(id)).taken_at)).toEqual(takenAt);
  expect(await getExifRow(id)).toMatchObject({ date_source: 'FileModified', city: null });
});

test('an unreadable file completes its job; an unreadable sound file is marked broken', async () => {
  const noise = (name: string) => ({ name, bytes: Buffer.from(`noise ${name}`) });
  const photo = await addFile(database, noise('x.jpg'), { ownerId });
  const sound = await addFile(database, { name: 'x.mp3', bytes: new Uint8Array() }, { ownerId });
  await read(photo);
  await read(sound);
  for (const [id, reason] of [
    [photo, null],
    [sound, 'broken: The file is no sound'],
  ] as const) {
    const row = await getAssetRow(id);
    expect(row.metadata_read_at).not.toBeNull();
    expect(row.broken_reason).toBe(reason);
  }
  expect(await jobs()).toEqual([]);
});

test('the job of a deleted asset succeeds', async () => {
  const id = await addFile(database, await makePhoto('e.jpg', PARIS), { ownerId });
  const effect = await handleReadMetadata(jobCtx(database), { assetId: id });
  await database.sql`delete from asset where id = ${id}`;
  await database.db.transaction((tx) => effect!(tx));
  expect(await handleReadMetadata(jobCtx(database), { assetId: id })).toBeUndefined();
  expect(await getExifRow(id)).toBeUndefined();
});

test('an animated picture has the duration of its frames, and a still has none', async () => {
  const source = ['-f', 'lavfi', '-i', 'testsrc=size=64x48:rate=5:duration=2'];
  for (const [name, coding, expected] of [
    ['moving.avif', ['-c:v', 'libaom-av1', '-cpu-used', '8'], 2000],
    ['moving.png', ['-f', 'apng'], 2000],
    ['still.png', ['-frames:v', '1'], null],
  ] as const) {
    const path = makeClip(join(folder, name), [...source, ...coding]);
    const id = await addFile(database, path, { ownerId });
    await read(id);
    expect([name, (await getAssetRow(id)).duration_ms]).toEqual([name, expected]);
  }
});

skipWithout('media').describe('metadata of real files', () => {
  const media = (name: string) => join(MEDIA!, name);

  test('both halves of a live photo that are processed concurrently are always paired', async () => {
    for (let round = 0; round < 8; round++) {
      const { id } = await seed(database).user();
      const still = await addFile(database, media('iphone-xr/IMG_3589.HEIC'), { ownerId: id });
      const video = await addFile(database, media('iphone-xr/IMG_3589.mov'), { ownerId: id });
      const ctx = jobCtx(database);
      const effects = await Promise.all(
        [still, video].map((assetId) => handleReadMetadata(ctx, { assetId })),
      );
      if (round % 2) effects.reverse();
      await Promise.all(effects.map((effect) => database.db.transaction((tx) => effect!(tx))));
      expect(await getAssetRow(still)).toMatchObject({
        live_video_id: video,
        visibility: 'timeline',
      });
      expect(await getAssetRow(video)).toMatchObject({ visibility: 'hidden' });
    }
  });

  test('the video of a motion photo is extracted once into a hidden asset', async () => {
    const id = await addFile(database, media('formats/motionphoto/samsung-one-ui-6.heic'), {
      ownerId,
    });
    await read(id);
    const videoId = (await getAssetRow(id)).live_video_id!;
    const video = await getAssetRow(videoId);
    expect(video).toMatchObject({
      owner_id: ownerId,
      type: 'VIDEO',
      visibility: 'hidden',
      file_name: 'samsung-one-ui-6.mp4',
    });
    expect(video.duration_ms).toBeGreaterThan(500);
    const original = Bun.file(originalPath(database.deps.paths, video.sha256));
    expect(original.size).toBe(Number(video.file_size));
    expect((await jobs()).map((job) => [job.name, job.payload.assetId])).toEqual([
      ['assets.renderVideo', videoId],
    ]);

    await read(id);
    expect((await getAssetRow(id)).live_video_id).toBe(videoId);
    // Unlinked by hand and read again: the video that is there is taken, not a second one.
    await database.sql`update asset set live_video_id = null where id = ${id}`;
    await read(id);
    expect((await getAssetRow(id)).live_video_id).toBe(videoId);
    const owned = await database.sql`select id from asset where owner_id = ${ownerId}`;
    expect(owned.length).toBe(2);
  });

  test('a phone photo has its time zone, place and camera', async () => {
    const id = await addFile(database, media('iphone-13-pro/IMG_8563.HEIC'), { ownerId });
    await read(id);
    const exif = await getExifRow(id);
    expect(exif).toMatchObject({ make: 'Apple', model: 'iPhone 13 Pro' });
    expect(exif.date_source).toBe('DateTimeOriginal');
  });
});
