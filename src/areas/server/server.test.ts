import { afterAll, beforeAll, expect, test } from 'bun:test';
import { join } from 'node:path';
import { Value } from 'typebox/value';
import {
  call,
  NOW,
  seed,
  type TestDatabase,
  type TestUser,
  testApp,
  testDatabase,
} from '../../../test/support/harness.ts';
import type { App } from '../../app.ts';
import { ServerStatsResponseDto } from './schemas.ts';
import { formatBytes } from '../../core/byte-format.ts';

let database: TestDatabase;
let app: App;
let me: TestUser;
beforeAll(async () => {
  database = await testDatabase();
  app = testApp(database);
  me = await seed(database).user(['all'], { isAdmin: true, name: 'Ada' });
});
afterAll(() => database.close());

const open = async (path: string) => {
  const reply = await call(app, `GET /${path}`);
  expect(reply.status).toBe(200);
  expect(reply.headers.get('content-type')).toContain('json');
  return reply.body;
};

test('says that no administrator exists before the sign-up', async () => {
  await using fresh = await testDatabase();
  expect(await call(testApp(fresh), 'GET /server/config')).toMatchObject({
    status: 200,
    body: { isInitialized: false, isOnboarded: false },
  });
});

test('answers version and product without a credential', async () => {
  expect(await open('server/ping')).toEqual({ res: 'pong' });
  expect(await open('server/version')).toEqual({ major: 3, minor: 2, patch: 2, prerelease: null });
  expect(await open('server/version-history')).toMatchObject([{ version: '3.2.2' }]);
  expect(await open('server/config')).toMatchObject({
    isInitialized: true,
    trashDays: 30,
    userDeleteDelay: 7,
    maintenanceMode: false,
  });
  const features = await open('server/features');
  // Immich's features and no others.
  expect(Object.keys(features)).toHaveLength(16);
  expect(features).toMatchObject({ passwordLogin: true, oauth: false, trash: true });
  const types = await open('server/media-types');
  expect(types.image).toContain('.heic');
  expect(types.video).toContain('.mov');
  expect(types.sidecar).toEqual(['.xmp']);
  expect(types.image).toContain('.svg');
  expect(await open('public/config')).toMatchObject({ passwordLogin: { enabled: true } });
  expect(await open('public/config/defaults')).toEqual(await open('public/config'));
});

test('names the external domain that administrators have set', async () => {
  await using fresh = await testDatabase();
  const app = testApp(fresh);
  const as = await seed(fresh).user(['all'], { isAdmin: true });
  const domains = async () => [
    (await call(app, 'GET /server/config')).body.externalDomain,
    (await call(app, 'GET /config', { as })).body.server.externalDomain,
    (await call(app, 'GET /config/defaults', { as })).body.server.externalDomain,
  ];
  expect(await domains()).toEqual(['', '', '']);
  const { hasPassword: _, ...settings } = (await call(app, 'GET /admin/notifications/mail', { as }))
    .body;
  const body = { ...settings, externalDomain: 'https://photos.example.com/' };
  expect((await call(app, 'PUT /admin/notifications/mail', { session: as, body })).status).toBe(
    200,
  );
  const domain = 'https://photos.example.com';
  expect(await domains()).toEqual([domain, domain, '']);
});

test('shows versions and free disk space to accounts', async () => {
  const about = (await call(app, 'GET /server/about', { as: me })).body;
  // Clients parse it as a version.
  expect(about.version).toBe('v3.2.2');
  expect(about.build).toMatch(/^Safelight \d+\.\d+\.\d+/);
  const links = (await call(app, 'GET /server/apk-links', { as: me })).body;
  expect(Object.keys(links).sort()).toEqual(['arm64v8a', 'armeabiv7a', 'universal', 'x86_64']);
  expect(links.universal).toEndWith('/v3.2.2/app-release.apk');
  // That of this program, not that of the system.
  expect(about.exiftool).toBe('13.59');
  const packages = join(import.meta.dir, '../../../node_modules/@img');
  const library = Bun.file(join(packages, `sharp-libvips-linux-${process.arch}/versions.json`));
  expect(about.libvips).toBe((await library.json()).vips);
  // Built from no commit, and for no image.
  expect(Object.keys(about)).not.toContain('sourceCommit');
  expect(Object.keys(about)).not.toContain('buildImage');
  for (const tool of ['ffmpeg', 'nodejs', 'postgres']) expect(about[tool]).toMatch(/^v?\d+\.\d+/);
  expect((await call(app, 'GET /server/version-check', { as: me })).body).toEqual({
    checkedAt: null,
    releaseVersion: null,
  });
  const storage = (await call(app, 'GET /server/storage', { as: me })).body;
  expect(storage.diskSizeRaw).toBeGreaterThan(storage.diskUseRaw);
  expect(storage.diskUsagePercentage).toBeGreaterThan(0);
  expect(storage.diskUsagePercentage).toBeLessThanOrEqual(100);
  expect(storage.diskSize).toMatch(/^\d+\.\d [KMGT]iB$/);
  const config = (await call(app, 'GET /config', { as: me })).body;
  expect(config).toMatchObject({ trash: { enabled: true, days: 30 }, user: { deleteDelay: 7 } });
  expect((await call(app, 'GET /config/defaults', { as: me })).body).toEqual(config);
  for (const path of [
    'server/about',
    'server/apk-links',
    'server/storage',
    'server/version-check',
    'config',
  ] as const) {
    expect((await call(app, `GET /${path}`)).status).toBe(401);
  }
});

test('statistics count every account, without the trash and without videos of live photos', async () => {
  await using fresh = await testDatabase();
  const admin = await seed(fresh).user(['all'], { isAdmin: true, name: 'Ada' });
  const other = await seed(fresh).user(['all'], { name: 'Bob', quotaBytes: 1000 });
  await seed(fresh).user(['all'], { name: 'Gone', deletedAt: NOW });
  const add = (over: object) => seed(fresh).asset({ ownerId: admin.id, fileSize: 100, ...over });
  await add({});
  await add({ visibility: 'archive' });
  await add({ type: 'VIDEO' });
  await add({ type: 'VIDEO', visibility: 'hidden' });
  await add({ trashedAt: NOW });
  await seed(fresh).asset({ ownerId: other.id, fileSize: 7 });
  const freshApp = testApp(fresh);
  const { body } = await call(freshApp, 'GET /server/statistics', { as: admin });
  expect(Value.Check(ServerStatsResponseDto, body)).toBe(true);
  expect(body).toEqual({
    photos: 3,
    videos: 1,
    usage: 407,
    usagePhotos: 207,
    usageVideos: 200,
    usageByUser: [
      {
        userId: admin.id,
        userName: 'Ada',
        photos: 2,
        videos: 1,
        usage: 400,
        usagePhotos: 200,
        usageVideos: 200,
        quotaSizeInBytes: null,
      },
      {
        userId: other.id,
        userName: 'Bob',
        photos: 1,
        videos: 0,
        usage: 7,
        usagePhotos: 7,
        usageVideos: 0,
        quotaSizeInBytes: 1000,
      },
    ],
  });
  expect((await call(freshApp, 'GET /server/statistics', { as: other })).status).toBe(403);
});

test('only an administrator marks the set-up as complete', async () => {
  const body = { isOnboarded: true };
  const post = (caller: object) =>
    call(app, 'POST /system-metadata/admin-onboarding', { ...caller, body });
  const stranger = await seed(database).user();
  expect((await post({ as: stranger })).status).toBe(403);
  expect((await post({ as: me })).status).toBe(204);
  const { body: noted } = await call(app, 'GET /system-metadata/admin-onboarding', { as: me });
  expect(noted).toEqual(body);
  expect((await open('server/config')).isOnboarded).toBe(true);
  for (const state of ['reverse-geocoding-state', 'version-check-state']) {
    expect((await call(app, `GET /system-metadata/${state}`, { as: me })).status).toBe(200);
  }
});

test('sizes are written as people read them', () => {
  const sizes = [0, 1, 1023, 1024, 1.5 * 1024 ** 3, 4 * 1024 ** 4];
  expect(sizes.map(formatBytes)).toEqual(['0 B', '1 B', '1023 B', '1.0 KiB', '1.5 GiB', '4.0 TiB']);
});
