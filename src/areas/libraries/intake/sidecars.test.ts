import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { mkdir, rm, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { App } from '../../../app.ts';
import { quarters } from '../../../../test/fixtures/index.ts';
import {
  call,
  seed,
  type TestDatabase,
  testApp,
  testDatabase,
  type TestUser,
} from '../../../../test/support/harness.ts';
import { addLibrary, makeFolder, scan } from '../../../../test/support/libraries.ts';
import { createStill, createVideo } from '../../../../test/support/live-photos.ts';
import { jobCtx } from '../../../../test/support/processing.ts';
import { handleReadMetadata } from '../../assets/exif/exif.handlers.ts';

let database: TestDatabase;
let app: App;
let admin: TestUser;
let me: TestUser;
let folder: string;
let id: string;
beforeAll(async () => {
  database = await testDatabase();
  app = testApp(database);
  admin = await seed(database).user(['all'], { isAdmin: true });
});
afterAll(async () => {
  await database.close();
});
beforeEach(async () => {
  await database.sql`truncate job cascade`;
  me = await seed(database).user();
  folder = await makeFolder();
  id = await addLibrary(app, admin, me.id, [folder]);
});

const xmp = (description: string) => `
  <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF
    xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about=""
    xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:description><rdf:Alt>
    <rdf:li xml:lang="x-default">${description}</rdf:li></rdf:Alt></dc:description>
    </rdf:Description></rdf:RDF></x:xmpmeta>`;
const takeout = (description: string) =>
  JSON.stringify({ photoTakenTime: { timestamp: '1500000000' }, description });
const writePhoto = async (name: string, width: number) =>
  writeFile(join(folder, name), await quarters(width, 40).jpeg().toBuffer());
const run = () => scan(database, app, admin, id);

/** Runs the waiting jobs that read metadata. Returns the file names of their items. */
async function readMetadata(): Promise<string[]> {
  const jobs = await database.sql`
    delete from job using asset where name = 'assets.readMetadata'
      and asset.id = (payload ->> 'assetId')::uuid
    returning asset.id, file_name`;
  for (const { id } of jobs) {
    const effect = await handleReadMetadata(jobCtx(database), { assetId: id });
    if (effect) await database.db.transaction(async (tx) => void (await effect(tx)));
  }
  return jobs
    .map((job) => job['file_name'] as string)
    .toSorted((one, other) => one.localeCompare(other));
}
const listDescriptions = async () =>
  Object.fromEntries(
    (
      await database.sql`
        select file_name, description from asset join asset_exif on asset_id = id
        where library_id = ${id}`
    ).map(({ file_name, description }) => [file_name, description]),
  );
const getClock = async (name: string) =>
  (
    await database.sql`
      select local_taken_at::text as local from asset
      where library_id = ${id} and file_name = ${name}`
  )[0]!['local'];
const getState = async () => (await call(app, `GET /libraries/${id}/state`, { as: admin })).body;

describe('a sidecar', () => {
  beforeEach(async () => {
    await writePhoto('a.jpg', 60);
    await writePhoto('a1.jpg', 70);
    await writePhoto('b.jpg', 80);
  });

  test('that appears or changes after its photo is read by the next scan', async () => {
    await run();
    expect(await readMetadata()).toEqual(['a.jpg', 'a1.jpg', 'b.jpg']);
    await writeFile(join(folder, 'a.xmp'), xmp('first'));
    await writeFile(join(folder, 'b.jpg.supplemental-metadata.json'), takeout('first'));
    await writeFile(join(folder, 'package.json'), '{}');
    await run();
    expect(await readMetadata()).toEqual(['a.jpg', 'b.jpg']);
    expect(await listDescriptions()).toEqual({ 'a.jpg': 'first', 'a1.jpg': '', 'b.jpg': 'first' });
    await run();
    expect(await readMetadata()).toEqual([]);
    await writeFile(join(folder, 'a.xmp'), xmp('second'));
    await writeFile(join(folder, 'b.jpg.supplemental-metadata.json'), takeout('second'));
    expect(await getClock('b.jpg')).toBe('2017-07-14 02:40:00');
    await run();
    expect(await readMetadata()).toEqual(['a.jpg', 'b.jpg']);
    expect(await listDescriptions()).toMatchObject({ 'a.jpg': 'second', 'b.jpg': 'second' });
    expect(await getState()).toMatchObject({ unreadFiles: 0, refusedFiles: 0 });
  });

  test('a file without a date is of the date that its name tells', async () => {
    await writePhoto('IMG_20240102_030405.jpg', 90);
    await run();
    await readMetadata();
    expect(await getClock('IMG_20240102_030405.jpg')).toBe('2024-01-02 03:04:05');
    // Its file is of now.
    expect(await getClock('a.jpg')).not.toBe('2024-01-02 03:04:05');
  });

  test('leaves what the owner has written', async () => {
    await run();
    await readMetadata();
    const [{ id: assetId }] = await database.sql<[{ id: string }]>`
      select id from asset where library_id = ${id} and file_name = 'a.jpg'`;
    const body = { description: 'mine' };
    expect((await call(app, `PUT /assets/${assetId}`, { as: me, body })).status).toBe(200);
    await writeFile(join(folder, 'a.jpg.xmp'), xmp('theirs'));
    await run();
    expect(await readMetadata()).toEqual(['a.jpg']);
    expect(await listDescriptions()).toMatchObject({ 'a.jpg': 'mine' });
  });

  test('that is deleted takes along what it has told, and no file is missing', async () => {
    await writeFile(join(folder, 'a.xmp'), xmp('first'));
    await run();
    await readMetadata();
    await rm(join(folder, 'a.xmp'));
    await run();
    expect(await readMetadata()).toEqual(['a.jpg']);
    expect(await listDescriptions()).toMatchObject({ 'a.jpg': '' });
    expect(await getState()).toMatchObject({ unconfirmedFiles: 0, missingFiles: 0 });
    const { body } = await call(app, `GET /libraries/${id}`, { as: admin });
    expect(body.assetCount).toBe(3);
  });

  test('that is deleted when its photo changes tells nothing of the new one', async () => {
    for (const name of ['a.xmp', 'b.jpg.xmp']) await writeFile(join(folder, name), xmp('first'));
    await run();
    await readMetadata();
    await rm(join(folder, 'a.xmp'));
    for (const name of ['a.jpg', 'b.jpg']) await utimes(join(folder, name), 1_500_000, 1_500_000);
    await run();
    expect(await readMetadata()).toEqual(['a.jpg', 'b.jpg']);
    expect(await listDescriptions()).toMatchObject({ 'a.jpg': '', 'b.jpg': 'first' });
  });
});

test('IMG_1.HEIC and IMG_1.MOV of one folder become a live photo unless they cannot belong together', async () => {
  const [one, other] = [crypto.randomUUID(), crypto.randomUUID()];
  const made = await makeFolder();
  const files = {
    'A.jpg': await createStill(),
    'A.MOV': await createVideo(made),
    'B.jpg': await createStill(one),
    'B.MOV': await createVideo(made, other),
    'c.jpg': await createStill(),
    'D.mov': await createVideo(made),
  };
  for (const [name, bytes] of Object.entries(files)) await writeFile(join(folder, name), bytes);
  await run();
  expect(await readMetadata()).toHaveLength(6);
  const rows = await database.sql`
    select asset.file_name, asset.visibility, video.file_name as video
    from asset left join asset video on video.id = asset.live_video_id
    where asset.library_id = ${id} order by 1`;
  expect(rows.map(({ file_name, visibility, video }) => [file_name, visibility, video])).toEqual([
    ['A.MOV', 'hidden', null],
    ['A.jpg', 'timeline', 'A.MOV'],
    ['B.MOV', 'timeline', null],
    ['B.jpg', 'timeline', null],
    ['D.mov', 'timeline', null],
    ['c.jpg', 'timeline', null],
  ]);
});

test('each of a photo and a video of one name in an export has its own facts, or both those of the photo', async () => {
  const made = await makeFolder();
  const toJson = (seconds: number, over: object = {}) =>
    JSON.stringify({ photoTakenTime: { timestamp: String(seconds) }, ...over });
  const files = {
    'A.jpg': await createStill(),
    'A.jpg.json': toJson(1_554_112_800),
    'A.MP4': await createVideo(made),
    'A.MP4.json': toJson(1_500_000_000),
    'B.jpg': await createStill(),
    'B.jpg.json': toJson(1_554_112_800),
    'B.MP4': await createVideo(made),
    'C.jpg': await createStill(),
    'C.jpg.json': toJson(1_554_112_800, { inLockedFolder: true }),
    'C.MP4': await createVideo(made),
    'D.jpg': await createStill(),
    'D.jpg.json': toJson(1_554_112_800, { trashed: true }),
    'D.MP4': await createVideo(made),
    'E.jpg': await createStill(),
    'E.jpg.json': toJson(1_554_112_800),
    'E.MP4': await createVideo(made),
    'E.MP4.json': toJson(1_500_000_000, { inLockedFolder: true }),
  };
  for (const [name, bytes] of Object.entries(files)) await writeFile(join(folder, name), bytes);
  await run();
  await readMetadata();
  const rows = await database.sql`
    select asset.file_name, asset.visibility, asset.locked_at is not null as is_locked,
      video.file_name as video
    from asset left join asset video on video.id = asset.live_video_id
    where asset.library_id = ${id} order by 1`;
  expect(rows.map((row) => Object.values(row))).toEqual([
    ['A.MP4', 'timeline', false, null],
    ['A.jpg', 'timeline', false, null],
    ['B.MP4', 'hidden', false, null],
    ['B.jpg', 'timeline', false, 'B.MP4'],
    ['C.MP4', 'hidden', true, null],
    ['C.jpg', 'timeline', true, 'C.MP4'],
    ['E.MP4', 'timeline', true, null],
    ['E.jpg', 'timeline', false, null],
  ]);
});

test('in folders of the trash and of locked items of an export, files without facts are not shown', async () => {
  const made = await makeFolder();
  const [bin, locked] = ['Takeout/Google Photos/Bin', 'Takeout/Google Photos/Gesperrter Ordner'];
  const files = {
    [`${bin}/a.jpg`]: await createStill(),
    [`${bin}/b.mp4`]: await createVideo(made),
    [`${locked}/c.jpg`]: await createStill(),
    'Bin/d.jpg': await createStill(),
  };
  for (const [name, bytes] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), bytes);
  }
  await run();
  const rows = await database.sql`
    select file_name, locked_at is not null as is_locked from asset
    where library_id = ${id} order by 1`;
  expect(rows.map((row) => Object.values(row))).toEqual([
    ['c.jpg', true],
    ['d.jpg', false],
  ]);
});
