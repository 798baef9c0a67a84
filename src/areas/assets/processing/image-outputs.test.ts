import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import sharp, { type Sharp } from 'sharp';
import { readFixture, readSource } from '../../../../test/fixtures/fixture-cache.ts';
import { configWith } from '../../../../test/support/config.ts';
import {
  call,
  seed,
  send,
  type TestDatabase,
  testApp,
  type TestUser,
} from '../../../../test/support/harness.ts';
import {
  addFile,
  derivedPath,
  drainLane,
  openMediaLibrary,
} from '../../../../test/support/processing.ts';
import type { App } from '../../../app.ts';
import { enqueue } from '../../../jobs/queue.ts';
import type { HandlersByLane } from '../../../job-registry.ts';
import { DEFAULTS } from '../../system-config/index.ts';
import { handleRenderEdits } from '../edits/edits.handlers.ts';
import { renderImage } from '../jobs.ts';
import { handleRequeue } from './requeue.handlers.ts';
import { handleRenderImage } from './thumbnails.handlers.ts';

let database: TestDatabase;
let app: App;
let admin: TestUser;
let close: () => Promise<void>;
beforeAll(async () => {
  ({ database, close } = await openMediaLibrary());
  app = testApp(database);
  admin = await seed(database).user(['all'], { isAdmin: true });
});
afterAll(() => close());
beforeEach(async () => {
  await database.sql`truncate job`;
  await database.sql`delete from asset`;
  await configure({});
});

type ImageConfig = typeof DEFAULTS.image;
const configure = (image: { readonly [K in keyof ImageConfig]?: Partial<ImageConfig[K]> }) => {
  const sections = Object.entries(image).map(([name, changes]) => {
    const section = DEFAULTS.image[name as keyof ImageConfig];
    return [name, typeof section === 'object' ? { ...section, ...(changes as object) } : changes];
  });
  const body = configWith({ image: Object.fromEntries(sections) });
  return call(app, 'PUT /system-config', { as: admin, body });
};

const render = () =>
  drainLane(database, 'image', {
    'assets.renderImage': handleRenderImage,
    'assets.renderEdits': handleRenderEdits,
  } as HandlersByLane<'image'>);

/** Returns noise of this size, as a file. */
const readNoise = (width: number, height: number, encode: (picture: Sharp) => Sharp) =>
  readFixture([readSource(import.meta.path), width, height, String(encode)], () => {
    const noise = { type: 'gaussian', mean: 128, sigma: 30 } as const;
    const create = { width, height, channels: 3, background: '#c63', noise } as const;
    return encode(sharp({ create })).toBuffer();
  });

/** By asset. */
const owners = new Map<string, TestUser>();

async function addPicture(fileName: string, bytes: Uint8Array): Promise<string> {
  const owner = await seed(database).user();
  const id = await addFile(database, { name: fileName, bytes }, { ownerId: owner.id });
  owners.set(id, owner);
  await enqueue(database.db, renderImage, { assetId: id });
  await render();
  return id;
}
const addPhoto = async () =>
  addPicture('a.jpg', await readNoise(3000, 2000, (picture) => picture.jpeg()));

async function view(id: string, size: string, query = '') {
  const as = owners.get(id);
  const response = await send(app, `GET /assets/${id}/thumbnail?size=${size}${query}`, { as });
  expect(response.status).toBe(200);
  const bytes = await response.bytes();
  const { width, height, format, isProgressive, hasProfile } = await sharp(bytes).metadata();
  const { headers } = response;
  const picture = { type: headers.get('content-type'), width, height, format };
  return { bytes, etag: headers.get('etag'), picture, isProgressive, hasProfile };
}
const listNames = async (id: string): Promise<string[]> =>
  (await database.sql`select name from asset_file where asset_id = ${id}`).map(
    (row) => row['name'] as string,
  );

test('thumbnails and previews have the size and the format of the configuration', async () => {
  const id = await addPhoto();
  const before = [await view(id, 'thumbnail'), await view(id, 'preview')];
  expect(before.map(({ picture }) => picture)).toEqual([
    { type: 'image/webp', width: 375, height: 250, format: 'webp' },
    { type: 'image/jpeg', width: 2250, height: 1500, format: 'jpeg' },
  ]);
  const names = await listNames(id);

  await configure({
    thumbnail: { size: 480, format: 'jpeg', progressive: true },
    preview: { size: 720, format: 'webp' },
  });
  expect((await view(id, 'thumbnail')).etag).toBe(before[0]!.etag);
  const forced = { command: 'start', force: true };
  await call(app, 'PUT /jobs/thumbnailGeneration', { as: admin, body: forced });
  await drainLane(database, 'background', {
    'assets.requeue': handleRequeue,
  } as HandlersByLane<'background'>);
  await render();
  const after = [await view(id, 'thumbnail'), await view(id, 'preview')];
  expect(after.map(({ picture }) => picture)).toEqual([
    { type: 'image/jpeg', width: 720, height: 480, format: 'jpeg' },
    { type: 'image/webp', width: 1125, height: 750, format: 'webp' },
  ]);
  expect(after[0]!.isProgressive).toBe(true);
  expect(after.map(({ etag }) => etag)).not.toEqual(before.map(({ etag }) => etag));
  // The files of the other formats are gone.
  expect(names.filter((name) => existsSync(derivedPath(database, name)))).toEqual([]);
});

test('a lower quality makes fewer bytes, and a progressive preview stays a JPEG', async () => {
  const usual = await view(await addPhoto(), 'preview');
  await configure({ preview: { quality: 30, progressive: true } });
  const small = await view(await addPhoto(), 'preview');
  expect(small.picture).toEqual(usual.picture);
  expect([usual.isProgressive, small.isProgressive]).toEqual([false, true]);
  expect(small.bytes.length).toBeLessThan(usual.bytes.length / 1.5);
});

test('the colour space srgb converts the previews of Display P3', async () => {
  const bytes = await readNoise(1600, 1200, (picture) => picture.withIccProfile('p3').jpeg());
  // The profile of sharp is not one of a maker: whether it is kept depends on its size alone.
  const wide = await view(await addPicture('a.jpg', bytes), 'preview');
  await configure({ colorspace: 'srgb' });
  const converted = await view(await addPicture('b.jpg', bytes), 'preview');
  expect([wide.hasProfile, converted.hasProfile]).toEqual([true, false]);
});

test('transparency stays in a WebP', async () => {
  await configure({ thumbnail: { format: 'jpeg' } });
  const clear = { width: 400, height: 400, channels: 4, background: '#00000000' } as const;
  const id = await addPicture('a.png', await sharp({ create: clear }).png().toBuffer());
  expect((await view(id, 'thumbnail')).picture).toMatchObject({ format: 'webp' });
  expect((await view(id, 'preview')).picture).toMatchObject({ format: 'webp' });
});

test('a full size is made of pictures that browsers do not display, if it is enabled', async () => {
  const tiff = await readNoise(3000, 2000, (picture) => picture.tiff());
  expect((await view(await addPicture('a.tif', tiff), 'fullsize')).picture.width).toBe(2160);
  await configure({ fullsize: { enabled: true, format: 'webp' } });
  const id = await addPicture('b.tif', tiff);
  expect((await view(id, 'fullsize')).picture).toEqual({
    type: 'image/webp',
    width: 3000,
    height: 2000,
    format: 'webp',
  });
  expect((await view(id, 'preview')).picture.width).toBe(2160);
  expect((await listNames(await addPhoto())).length).toBe(2);
  const { body } = await call(app, 'GET /config', { as: admin });
  expect(body.image).toEqual({
    fullsize: { enabled: true },
    preview: { size: 1440 },
    thumbnail: { size: 250 },
  });
});

test('edited pictures follow the configuration', async () => {
  await configure({ preview: { size: 360 }, fullsize: { format: 'webp', quality: 50 } });
  const id = await addPhoto();
  const edits = [{ action: 'rotate', parameters: { angle: 90 } }];
  await call(app, `PUT /assets/${id}/edits`, { as: owners.get(id), body: { edits } });
  await render();
  expect((await view(id, 'preview', '&edited=true')).picture).toEqual({
    type: 'image/jpeg',
    width: 360,
    height: 540,
    format: 'jpeg',
  });
  expect((await view(id, 'fullsize', '&edited=true')).picture).toEqual({
    type: 'image/webp',
    width: 2000,
    height: 3000,
    format: 'webp',
  });
});

test.each([
  ['preview', 2161],
  ['thumbnail', 1081],
] as const)('a %s of %d pixels is refused', async (kind, size) => {
  const { status, body } = await configure({ [kind]: { size } });
  expect([status, body.errors[0].path.join('.')]).toEqual([400, `image.${kind}.size`]);
});
