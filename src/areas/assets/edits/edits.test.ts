import { afterAll, beforeAll, expect, test } from 'bun:test';
import { readdirSync } from 'node:fs';
import { dirname } from 'node:path';
import sharp from 'sharp';
import {
  call,
  type Caller,
  type NewAsset,
  seed,
  send,
  type TestDatabase,
  type TestUser,
  testApp,
  testDatabase,
} from '../../../../test/support/harness.ts';
import { addFile, derivedPath, drainLane, jobCtx } from '../../../../test/support/processing.ts';
import type { App } from '../../../app.ts';
import { enqueue } from '../../../jobs/queue.ts';
import { handleRenderEdits } from './edits.handlers.ts';
import { renderImage } from '../jobs.ts';
import { handleRenderImage } from '../processing/thumbnails.handlers.ts';
import { handleRenderPerson } from '../../people/thumbnail/thumbnail.handlers.ts';

let database: TestDatabase;
let app: App;
let me: TestUser;
beforeAll(async () => {
  database = await testDatabase();
  app = testApp(database);
  me = await seed(database).user();
});
afterAll(async () => {
  await database.close();
});

const drain = () =>
  drainLane(database, 'image', {
    'assets.renderImage': handleRenderImage,
    'assets.renderEdits': handleRenderEdits,
    'people.render': handleRenderPerson,
  });

let made = 0;
/** Red on the left and blue on the right, 200 × 100, with its thumbnails. */
async function photo(over: Partial<NewAsset> = {}): Promise<string> {
  const half = { width: 100, height: 100, channels: 3 } as const;
  const right = await sharp({ create: { ...half, background: '#0000ff' } })
    .png()
    .toBuffer();
  const bytes = await sharp({ create: { ...half, width: 200, background: '#ff0000' } })
    .composite([{ input: right, left: 100, top: 0 }])
    .withExif({ IFD0: { Artist: `${++made}` } })
    .jpeg({ quality: 95 })
    .toBuffer();
  const id = await addFile(database, { name: 'a.jpeg', bytes }, { ownerId: me.id, ...over });
  await enqueue(database.db, renderImage, { assetId: id });
  await drain();
  return id;
}

const CROP_RED = { action: 'crop', parameters: { x: 0, y: 0, width: 100, height: 100 } };
const CROP_BLUE = { action: 'crop', parameters: { x: 120, y: 0, width: 50, height: 80 } };
const TURN = { action: 'rotate', parameters: { angle: 90 } };
const FLOP = { action: 'mirror', parameters: { axis: 'horizontal' } };

const put = (id: string, edits: readonly object[], caller: Caller = { as: me }) =>
  call(app, `PUT /assets/${id}/edits`, { ...caller, body: { edits } });
async function edit(id: string, ...edits: object[]): Promise<void> {
  expect((await put(id, edits)).status).toBe(200);
  await drain();
}
const remove = (id: string, caller: Caller = { as: me }) =>
  call(app, `DELETE /assets/${id}/edits`, caller);
const get = async (id: string, caller: Caller = { as: me }) =>
  (await call(app, `GET /assets/${id}`, caller)).body;

/** Size of a picture, and whether its left and right are red or blue. */
async function shown(id: string, query: string, caller: Caller = { as: me }): Promise<string> {
  const response = await send(app, `GET /assets/${id}/${query}`, caller);
  expect(response.status).toBe(200);
  const { data, info } = await sharp(await response.arrayBuffer())
    .raw()
    .toBuffer({ resolveWithObject: true });
  const at = (x: number) => {
    const offset = (Math.floor(info.height / 2) * info.width + x) * info.channels;
    return data[offset]! > data[offset + 2]! ? 'red' : 'blue';
  };
  return `${info.width}×${info.height} ${at(2)} ${at(info.width - 3)}`;
}
const PLAIN = '200×100 red blue';

const listFileKinds = async (id: string): Promise<string[]> =>
  (await database.sql`select kind from asset_file where asset_id = ${id} order by kind`).map(
    (row) => row['kind'] as string,
  );
const onDisk = (id: string): string[] =>
  readdirSync(dirname(derivedPath(database, `${id.slice(0, 2)}/${id.slice(2, 4)}/x`)))
    .filter((name) => name.startsWith(id))
    .toSorted();

test('edited=true serves the edited picture, otherwise the original one is served', async () => {
  const id = await photo();
  const original = await send(app, `GET /assets/${id}/original`, { as: me });
  const before = { bytes: Buffer.from(await original.arrayBuffer()), asset: await get(id) };
  expect(before.asset).toMatchObject({ isEdited: false, width: 200, height: 100 });

  const reply = await put(id, [CROP_BLUE, TURN]);
  expect(reply.status).toBe(200);
  expect(reply.body).toEqual({
    assetId: id,
    edits: [
      { id: expect.any(String), ...CROP_BLUE },
      { id: expect.any(String), ...TURN },
    ],
  });
  expect((await call(app, `GET /assets/${id}/edits`, { as: me })).body).toEqual(reply.body);
  await drain();

  const after = await get(id);
  expect(after).toMatchObject({
    isEdited: true,
    width: 80,
    height: 50,
    checksum: before.asset.checksum,
  });
  expect(after.thumbhash).not.toBe(before.asset.thumbhash);
  for (const size of ['thumbnail', 'preview', 'fullsize', 'original']) {
    expect(await shown(id, `thumbnail?size=${size}&edited=true`)).toBe('80×50 blue blue');
    expect(await shown(id, `thumbnail?size=${size}&edited=false`)).toBe(PLAIN);
    expect(await shown(id, `thumbnail?size=${size}`)).toBe(PLAIN);
  }
  const edited = await send(app, `GET /assets/${id}/original?edited=true`, { as: me });
  expect(edited.headers.get('content-disposition')).toMatch(/^attachment; filename="?a\.jpg"?/);
  expect((await sharp(await edited.arrayBuffer()).metadata()).width).toBe(80);
  for (const query of ['', '?edited=false']) {
    const bytes = await send(app, `GET /assets/${id}/original${query}`, { as: me });
    expect(Buffer.from(await bytes.arrayBuffer())).toEqual(before.bytes);
  }
});

test('the timeline returns the aspect ratio of the edited picture', async () => {
  const id = await photo({
    takenAt: new Date('2001-02-03T00:00:00Z'),
    localTakenAt: '2001-02-03T00:00:00',
  });
  const ratio = async () =>
    (await call(app, 'GET /timeline/bucket?timeBucket=2001-02-01', { as: me })).body.ratio;
  expect(await ratio()).toEqual([2]);
  await edit(id, TURN);
  expect(await ratio()).toEqual([0.5]);
});

test('new edits replace the previous edits and their files', async () => {
  const id = await photo();
  await edit(id, CROP_RED);
  const [before, etag] = [onDisk(id), async () => (await thumb()).headers.get('etag')];
  const thumb = () => send(app, `GET /assets/${id}/thumbnail?edited=true`, { as: me });
  const first = await etag();
  await edit(id, FLOP);
  expect(await shown(id, 'thumbnail?size=preview&edited=true')).toBe('200×100 blue red');
  expect(await etag()).not.toBe(first);
  expect(onDisk(id)).toHaveLength(before.length);
  expect(onDisk(id).filter((name) => before.includes(name))).toHaveLength(2);
  // The crop is again in the picture as it was taken.
  await edit(id, CROP_BLUE);
  expect(await get(id)).toMatchObject({ width: 50, height: 80 });
});

test('removing edits restores the original picture without a job', async () => {
  const id = await photo();
  const { updatedAt: _, ...before } = await get(id);
  const [files, disk] = [await listFileKinds(id), onDisk(id)];
  await edit(id, CROP_RED, TURN);
  expect((await remove(id)).status).toBe(204);
  expect(await get(id)).toMatchObject(before);
  expect(await listFileKinds(id)).toEqual(files);
  expect(onDisk(id)).toEqual(disk);
  expect(await shown(id, 'thumbnail?size=preview&edited=true')).toBe(PLAIN);
  expect((await call(app, `GET /assets/${id}/edits`, { as: me })).body.edits).toEqual([]);
  // Twice is no error.
  expect((await remove(id)).status).toBe(204);
});

test('serves the original picture until the edited one is rendered', async () => {
  const id = await photo();
  await put(id, [CROP_RED]);
  expect(await get(id)).toMatchObject({ isEdited: true, width: 200 });
  expect(await shown(id, 'thumbnail?size=preview&edited=true')).toBe(PLAIN);
  await drain();
  expect(await shown(id, 'thumbnail?size=preview&edited=true')).toBe('100×100 red red');
});

test('discards a rendered picture whose edits have changed meanwhile', async () => {
  const id = await photo();
  await put(id, [CROP_RED]);
  const late = await handleRenderEdits(jobCtx(database), { assetId: id });
  await put(id, [FLOP]);
  await drain();
  const disk = onDisk(id);
  const afterCommit = await database.db.transaction((tx) => late!(tx));
  await afterCommit?.();
  expect(await shown(id, 'thumbnail?size=preview&edited=true')).toBe('200×100 blue red');
  expect(onDisk(id)).toHaveLength(disk.length - 3);

  const later = await handleRenderEdits(jobCtx(database), { assetId: id });
  await remove(id);
  await (
    await database.db.transaction((tx) => later!(tx))
  )?.();
  expect(await get(id)).toMatchObject({ isEdited: false, width: 200 });
  expect(onDisk(id)).toHaveLength(2);
});

test('rendering thumbnails again keeps the edited picture', async () => {
  const id = await photo();
  const plain = await get(id);
  await edit(id, CROP_RED);
  const edited = await get(id);
  await enqueue(database.db, renderImage, { assetId: id });
  await drain();
  const { width, height, thumbhash } = edited;
  expect(await get(id)).toMatchObject({ width, height, thumbhash, isEdited: true });
  expect(await shown(id, 'thumbnail?size=preview')).toBe(PLAIN);
  await remove(id);
  expect(await get(id)).toMatchObject({ width: 200, thumbhash: plain.thumbhash });
});

test('guests receive only the edited picture', async () => {
  const id = await photo();
  await edit(id, CROP_RED);
  const body = { type: 'INDIVIDUAL', assetIds: [id] };
  const { key } = (await call(app, 'POST /shared-links', { as: me, body })).body;
  const guest = { headers: { 'x-immich-share-key': key as string } };
  for (const query of ['', '&edited=false', '&edited=true']) {
    for (const size of ['thumbnail', 'preview', 'fullsize', 'original']) {
      expect(await shown(id, `thumbnail?size=${size}${query}`, guest)).toBe('100×100 red red');
    }
    expect(await shown(id, `original?${query.slice(1)}`, guest)).toBe('100×100 red red');
  }
  const archived = async (caller: Caller, more: object = {}) => {
    const response = await send(app, 'POST /download/archive', {
      ...caller,
      body: { assetIds: [id], ...more },
    });
    const bytes = Buffer.from(await response.arrayBuffer());
    // A ZIP of one stored file: the name stands after 30 bytes.
    const name = bytes.subarray(30, 30 + bytes.readUInt16LE(26)).toString();
    const start = bytes.indexOf(Buffer.from([0xff, 0xd8]));
    return { name, width: (await sharp(bytes.subarray(start)).metadata()).width };
  };
  expect(await archived(guest)).toEqual({ name: 'a.jpg', width: 100 });
  expect(await archived(guest, { edited: false })).toEqual({ name: 'a.jpg', width: 100 });
  expect(await archived({ as: me })).toEqual({ name: 'a.jpeg', width: 200 });
  expect(await archived({ as: me }, { edited: true })).toEqual({ name: 'a.jpg', width: 100 });
});
