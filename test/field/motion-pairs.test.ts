import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { handleReadMetadata } from '../../src/areas/assets/exif/exif.handlers.ts';
import { useApp } from '../support/database.ts';
import { photoForm, upload } from '../support/forms.ts';
import { call, seed, type TestUser } from '../support/harness.ts';
import { addLibrary, makeFolder, scan } from '../support/libraries.ts';
import { createStill, createVideo } from '../support/live-photos.ts';
import { drainLane } from '../support/processing.ts';

// Live photos in two files, whichever comes first: README.md has the public threads.

const { database, app } = await useApp();
const folder = mkdtempSync(join(tmpdir(), 'safelight-pairs-'));
let me: TestUser;
let admin: TestUser;
let cid: string;
beforeAll(async () => {
  admin = await seed(database).user(['all'], { isAdmin: true });
});
beforeEach(async () => {
  me = await seed(database).user();
  cid = crypto.randomUUID().toUpperCase();
});
afterAll(async () => {
  await rm(folder, { recursive: true });
});

const readAll = () =>
  drainLane(database, 'metadata', { 'assets.readMetadata': handleReadMetadata });
const isStill = (name: string) => /\.(heic|jpe?g)$/i.test(name);
const make = (name: string, identifier: string | undefined = cid) =>
  isStill(name) ? createStill(identifier) : createVideo(folder, identifier);

/** Uploads files one after another. */
async function add(...names: string[]): Promise<void> {
  for (const name of names) {
    const { status } = await upload(app, photoForm(await make(name), [], name), { as: me });
    expect(status).toBe(201);
    await readAll();
  }
}

/** The names of shown items, with that of the clip behind each. */
async function listItems(): Promise<Record<string, string | null>> {
  const rows = await database.sql<{ name: string; video: string | null }[]>`
    select asset.file_name as name, video.file_name as video from asset
    left join asset video on video.id = asset.live_video_id
    where asset.owner_id = ${me.id} and asset.visibility <> 'hidden' and asset.trashed_at is null
    order by 1`;
  return Object.fromEntries(rows.map(({ name, video }) => [name, video]));
}

/** All orders of names. */
const listOrders = (names: readonly string[]): string[][] =>
  names.length < 2
    ? [[...names]]
    : names.flatMap((name) =>
        listOrders(names.filter((other) => other !== name)).map((rest) => [name, ...rest]),
      );

describe('280: two stills and two clips with one identifier pair by their names', () => {
  const names = ['IMG_1.HEIC', 'IMG_1.MOV', 'IMG_1(1).HEIC', 'IMG_1(1).MOV'];
  test.each(listOrders(names).filter((_, at) => at % 3 === 0))(
    '%s, %s, %s, %s',
    async (...order) => {
      await add(...order.filter((name) => typeof name === 'string'));
      expect(await listItems()).toEqual({
        'IMG_1.HEIC': 'IMG_1.MOV',
        'IMG_1(1).HEIC': 'IMG_1(1).MOV',
      });
    },
  );
});

test('281: an edited still alone takes the clip of the original', async () => {
  await add('IMG_E1.JPG', 'IMG_1.MOV');
  expect(await listItems()).toEqual({ 'IMG_E1.JPG': 'IMG_1.MOV' });
});

describe('282: an edited still leaves the clip to the original', () => {
  test.each(listOrders(['IMG_1.HEIC', 'IMG_E1.JPG', 'IMG_1.MOV']))(
    '%s, %s, %s',
    async (...order) => {
      await add(...order.filter((name) => typeof name === 'string'));
      expect(await listItems()).toEqual({ 'IMG_1.HEIC': 'IMG_1.MOV', 'IMG_E1.JPG': null });
    },
  );
});

describe('283: an edited still has its edited clip', () => {
  test.each(
    listOrders(['IMG_1.HEIC', 'IMG_E1.HEIC', 'IMG_1.MOV', 'IMG_E1.MOV']).filter(
      (_, at) => at % 5 === 0,
    ),
  )('%s, %s, %s, %s', async (...order) => {
    await add(...order.filter((name) => typeof name === 'string'));
    expect(await listItems()).toEqual({ 'IMG_1.HEIC': 'IMG_1.MOV', 'IMG_E1.HEIC': 'IMG_E1.MOV' });
  });
});

test('284: names of icloudpd, two downloads of one live photo', async () => {
  await add('IMG_1.HEIC', 'IMG_1-77.HEIC', 'IMG_1-77_HEVC.MOV', 'IMG_1_HEVC.MOV');
  expect(await listItems()).toEqual({
    'IMG_1.HEIC': 'IMG_1_HEVC.MOV',
    'IMG_1-77.HEIC': 'IMG_1-77_HEVC.MOV',
  });
});

test('285: names that do not fit at all pair by the identifier', async () => {
  await add('FullSizeRender-2369959.HEIC', 'FullSizeRender_HEVC-4559592.MOV');
  expect(await listItems()).toEqual({
    'FullSizeRender-2369959.HEIC': 'FullSizeRender_HEVC-4559592.MOV',
  });
});

test('286: one name and two identifiers are two live photos', async () => {
  await add('IMG_1.HEIC');
  const first = cid;
  cid = crypto.randomUUID().toUpperCase();
  await add('IMG_1.MOV', 'IMG_1.JPG');
  expect(await listItems()).toEqual({ 'IMG_1.HEIC': null, 'IMG_1.JPG': 'IMG_1.MOV' });
  cid = first;
  await add('IMG_1_2.MOV');
  expect(await listItems()).toEqual({ 'IMG_1.HEIC': 'IMG_1_2.MOV', 'IMG_1.JPG': 'IMG_1.MOV' });
});

test('287: an edited still in the trash leaves the clip to that which is left', async () => {
  await add('IMG_E1.JPG');
  const [edited] = await database.sql`select id from asset where owner_id = ${me.id}`;
  await call(app, 'DELETE /assets', { as: me, body: { ids: [edited!['id']] } });
  await add('IMG_9.HEIC', 'UUID.MOV');
  expect(await listItems()).toEqual({ 'IMG_9.HEIC': 'UUID.MOV' });
});

test('288: a locked still keeps its clip from an unlocked one of its name', async () => {
  await add('IMG_E1.JPG', 'IMG_1.MOV');
  const [edited] = await database.sql`
    select id from asset where owner_id = ${me.id} and type = 'IMAGE'`;
  const body = { ids: [edited!['id']], visibility: 'locked' };
  expect((await call(app, 'PUT /assets', { as: me, body })).status).toBe(204);
  await add('IMG_1.HEIC');
  expect(await listItems()).toEqual({ 'IMG_1.HEIC': null, 'IMG_E1.JPG': 'IMG_1.MOV' });
});

test('289: in an external library the halves of each folder, and two copies of one live photo', async () => {
  const root = await makeFolder();
  const id = await addLibrary(app, admin, me.id, [root]);
  for (const name of ['b/IMG_1.HEIC', 'a/IMG_1.HEIC', 'a/IMG_1.MOV', 'b/IMG_1.MOV'])
    await Bun.write(join(root, name), await make(name));
  await scan(database, app, admin, id);
  await readAll();
  const rows = await database.sql`
    select still.folder = video.folder as "isSame" from asset still
    join asset video on video.id = still.live_video_id where still.library_id = ${id}`;
  expect(rows.map((row) => row['isSame'])).toEqual([true, true]);
});

test('290a: a clip of icloudpd beside a photo without identifiers, in an external library', async () => {
  const root = await makeFolder();
  const id = await addLibrary(app, admin, me.id, [root]);
  await Bun.write(join(root, 'IMG_1.JPG'), await createStill());
  await Bun.write(join(root, 'IMG_1_HEVC.MOV'), await createVideo(folder));
  await scan(database, app, admin, id);
  await readAll();
  expect(await listItems()).toEqual({ 'IMG_1.JPG': 'IMG_1_HEVC.MOV' });
});

test('290b: a HEIC and an MP4 of one name, as a phone with Android exports them', async () => {
  const root = await makeFolder();
  const id = await addLibrary(app, admin, me.id, [root]);
  await Bun.write(join(root, '20251026_1.heic'), await createStill());
  await Bun.write(join(root, '20251026_1.mp4'), await createVideo(folder));
  await scan(database, app, admin, id);
  await readAll();
  expect(await listItems()).toEqual({ '20251026_1.heic': '20251026_1.mp4' });
});

test('291: a burst with one identifier and one clip has it at one picture', async () => {
  await add('IMG_1.HEIC', 'IMG_2.HEIC', 'IMG_3.HEIC', 'IMG_2.MOV');
  expect(await listItems()).toEqual({
    'IMG_1.HEIC': null,
    'IMG_2.HEIC': 'IMG_2.MOV',
    'IMG_3.HEIC': null,
  });
});
