import { beforeAll, describe, expect, test } from 'bun:test';
import { readdir } from 'node:fs/promises';
import sharp from 'sharp';
import { useDatabase } from '../../../test/support/database.ts';
import { call, seed, send, type TestUser, testApp } from '../../../test/support/harness.ts';
import type { App } from '../../app.ts';

const database = await useDatabase();
let app: App;
let alice: TestUser;
let bob: TestUser;
beforeAll(async () => {
  await Bun.$`mkdir -p ${database.deps.paths.incoming}`.quiet();
  app = testApp(database);
  alice = await seed(database).user();
  bob = await seed(database).user();
});

const RED = { r: 255, g: 0, b: 0 };
const BLUE = { r: 0, g: 0, b: 255 };
const flat = (width: number, height: number, background = RED) =>
  sharp({ create: { width, height, channels: 3, background } });

function upload(content: Uint8Array | string, as = alice, field = 'file') {
  const body = new FormData();
  body.set(field, new Blob([content as Uint8Array<ArrayBuffer>]), 'me.jpg');
  return call(app, 'POST /users/profile-image', { as, body });
}
const picture = (id: string, as = bob) => send(app, `GET /users/${id}/profile-image`, { as });
// Made with the first picture.
const stored = () => readdir(database.deps.paths.profiles).catch(() => []);

test('a picture is scaled down, shown to other accounts, replaced and deleted', async () => {
  const before = await stored();
  expect((await picture(alice.id)).status).toBe(404);
  const made = await upload(await flat(2000, 1000).jpeg().toBuffer());
  expect(made).toMatchObject({ status: 201, body: { userId: alice.id } });
  const shown = await picture(alice.id);
  expect(shown.status).toBe(200);
  expect(shown.headers.get('content-type')).toBe('image/webp');
  const etag = shown.headers.get('etag')!;
  const me = (await call(app, 'GET /users/me', { as: alice })).body;
  expect(me.profileImagePath).toBe(made.body.profileImagePath);
  expect((await call(app, `GET /users/${alice.id}`, { as: bob })).body.profileImagePath).toBe(
    made.body.profileImagePath,
  );
  const again = { as: bob, headers: { 'if-none-match': etag } };
  expect((await send(app, `GET /users/${alice.id}/profile-image`, again)).status).toBe(304);

  await upload(await flat(100, 100, BLUE).png().toBuffer());
  const other = await picture(alice.id);
  expect(other.headers.get('etag')).not.toBe(etag);
  expect(await stored()).toHaveLength(before.length + 1);

  expect((await call(app, 'DELETE /users/profile-image', { as: alice })).status).toBe(204);
  expect((await picture(alice.id)).status).toBe(404);
  expect(await stored()).toEqual(before);
  expect((await call(app, 'DELETE /users/profile-image', { as: alice })).status).toBe(400);
});

/** Returns the current profile picture, decoded. */
async function lastPicture(as: TestUser) {
  const { profileImagePath } = (await call(app, 'GET /users/me', { as })).body;
  return sharp(await Bun.file(`${database.deps.paths.profiles}/${profileImagePath}`).bytes());
}

test('the picture is upright and has no location metadata', async () => {
  const carol = await seed(database).user();
  // Red on the left, blue on the right; shown upright, red is on top.
  const lying = await flat(400, 200)
    .composite([{ input: await flat(200, 200, BLUE).png().toBuffer(), left: 200, top: 0 }])
    .jpeg()
    .withExif({ IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '51/1 30/1 0/1' } })
    .withMetadata({ orientation: 6 })
    .toBuffer();
  expect((await upload(lying, carol)).status).toBe(201);
  const result = await lastPicture(carol);
  expect(await result.metadata()).toMatchObject({ width: 200, height: 400, format: 'webp' });
  expect((await result.metadata()).exif).toBeUndefined();
  const { data } = await result.raw().toBuffer({ resolveWithObject: true });
  expect(data[0]).toBeGreaterThan(200);
  expect(data.at(-1)).toBeGreaterThan(200);
});

test('uses the first frame of an animation, and does not enlarge small pictures', async () => {
  const dora = await seed(database).user();
  expect((await upload(await flat(40, 30).gif().toBuffer(), dora)).status).toBe(201);
  expect(await (await lastPicture(dora)).metadata()).toMatchObject({ width: 40, height: 30 });
});

describe('refused, and nothing is kept', () => {
  const cases: [string, () => Promise<{ status: number }>, number][] = [
    ['a drawing that runs code', () => upload('<svg xmlns="http://www.w3.org/2000/svg"/>'), 400],
    ['a playlist that names addresses', () => upload('#EXTM3U\nhttp://example.com/a.ts\n'), 400],
    ['an empty file', () => upload(''), 400],
    ['a broken picture', () => upload(new Uint8Array([0xff, 0xd8, 0xff, 0xe0, 1, 2, 3])), 400],
    ['another field', () => upload('x', alice, 'picture'), 400],
    ['a file that never ends', () => upload(new Uint8Array(21 * 1024 ** 2)), 413],
    ['no form', () => call(app, 'POST /users/profile-image', { as: alice, body: {} }), 415],
    ['nobody', () => call(app, 'POST /users/profile-image', {}), 401],
  ];
  for (const [name, attempt, status] of cases) {
    test(`${name} → ${status}`, async () => {
      const before = (await stored()).length;
      expect((await attempt()).status).toBe(status);
      expect(await stored()).toHaveLength(before);
      expect(await readdir(database.deps.paths.incoming)).toEqual([]);
    });
  }

  test('a picture whose header claims billions of pixels → 400', async () => {
    const bomb = await flat(10, 10).png().toBuffer();
    bomb.writeUInt32BE(60_000, 16);
    bomb.writeUInt32BE(60_000, 20);
    bomb.writeUInt32BE(Bun.hash.crc32(bomb.subarray(12, 29)), 29);
    expect((await upload(bomb)).status).toBe(400);
  });

  test('a key without the permission → 403', async () => {
    const weak = await seed(database).user(['userProfileImage.read']);
    expect((await upload(await flat(10, 10).png().toBuffer(), weak)).status).toBe(403);
  });
});
