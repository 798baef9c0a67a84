import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { eq } from 'drizzle-orm';
import { makeClip } from '../../../test/fixtures/clips.ts';
import { configWith } from '../../../test/support/config.ts';
import { call, NOW, seed, testApp, type TestUser } from '../../../test/support/harness.ts';
import { addLink } from '../../../test/support/household.ts';
import { addFile, openMediaLibrary } from '../../../test/support/processing.ts';
import { until } from '../../../test/support/until.ts';
import { openStream, readWhole } from '../../../test/support/video-streams.ts';
import type { App } from '../../app.ts';
import { assets } from '../../db/tables/assets.ts';
import { DEFAULTS } from '../system-config/index.ts';
import { countRunning, stopVideoStreams } from './sessions.ts';

let library: Awaited<ReturnType<typeof openMediaLibrary>>;
let app: App;
let admin: TestUser;
let me: TestUser;
let stranger: TestUser;
let path: string;
beforeAll(async () => {
  library = await openMediaLibrary();
  const { database, folder } = library;
  app = testApp(database);
  admin = await seed(database).user(['all'], { isAdmin: true });
  const source = ['-f', 'lavfi', '-i', 'testsrc2=size=854x480:rate=2:duration=90'];
  const coding = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p'];
  path = makeClip(join(folder, 'long.mp4'), [...source, ...coding]);
  await configure({ enabled: true });
});
afterAll(() => library.close());
beforeEach(async () => {
  me = await seed(library.database).user();
  stranger = await seed(library.database).user();
});
afterEach(() => stopVideoStreams(library.database.deps));

const configure = (realtime: Partial<typeof DEFAULTS.ffmpeg.realtime>) =>
  call(app, 'PUT /system-config', {
    as: admin,
    body: configWith({ ffmpeg: { realtime: { ...DEFAULTS.ffmpeg.realtime, ...realtime } } }),
  });

const add = (over: Partial<typeof assets.$inferInsert> = {}) =>
  addFile(library.database, path, { ownerId: me.id, ...over });
const getMain = (id: string, caller: Parameters<typeof call>[2], query = '') =>
  call(app, `GET /assets/${id}/video/stream/main.m3u8${query}`, caller);
const count = () => countRunning(library.database.deps);

test('the main playlist lists the qualities that are not above the original', async () => {
  const { main, variants, durations } = await openStream(app, await add(), { as: me });
  expect(variants.length).toBe(1);
  expect(main).toMatch(
    /^#EXTM3U\n#EXT-X-VERSION:7\n#EXT-X-INDEPENDENT-SEGMENTS\n#EXT-X-STREAM-INF:BANDWIDTH=\d+,RESOLUTION=854x480,CODECS="avc1.64001e",FRAME-RATE=2.000\n[\da-f-]{36}\/0\/playlist.m3u8\n$/,
  );
  // The first one is short, since nothing is shown before it.
  expect(durations).toEqual([1, ...Array.from({ length: 44 }, () => 2), 1]);
});

test('an encoder stays some way ahead, and goes on where its player does', async () => {
  const player = await openStream(app, await add(), { as: me });
  expect((await player.readInit()).headers.get('content-type')).toBe('video/mp4');
  const segment = await player.readSegment(0);
  expect([segment.status, segment.headers.get('cache-control')]).toEqual([
    200,
    'private, no-store',
  ]);
  expect(count()).toBe(1);
  const whole = await readWhole(player);
  expect(whole.length).toBeGreaterThan(10_000);
  await until(() => count() === 0);
});

test('two who watch the same share an encoder, and what one leaves the other goes on with', async () => {
  const id = await add();
  const [one, other] = [
    await openStream(app, id, { as: me }),
    await openStream(app, id, { as: me }),
  ];
  expect((await one.readSegment(0)).status).toBe(200);
  expect((await other.readSegment(0)).status).toBe(200);
  expect((await other.readSegment(1)).status).toBe(200);
  expect(count()).toBe(1);
  expect((await one.end()).status).toBe(204);
  expect((await other.readSegment(20)).status).toBe(200);
  expect((await other.end()).status).toBe(204);
  await until(() => count() === 0);
  expect((await other.end()).status).toBe(204);
});

describe('is refused', () => {
  test('with the errors of Immich while it is switched off, and features say so', async () => {
    const id = await add();
    const hasFeature = async () =>
      (await call(app, 'GET /server/features', { as: me })).body.realtimeTranscoding;
    expect(await hasFeature()).toBe(true);
    await configure({ enabled: false });
    const { status, body } = await getMain(id, { as: me });
    expect([status, body.message]).toEqual([400, 'Real-time transcoding is not enabled']);
    expect(await hasFeature()).toBe(false);
    expect((await getMain(id, { as: stranger })).body.message).toBe(
      'Not found or no asset.view access',
    );
    await configure({ enabled: true });
  });

  test('to a stranger, a key without the permission, and nobody, at each operation', async () => {
    const id = await add();
    const weak = await seed(library.database).user(['asset.read']);
    const player = await openStream(app, id, { as: me });
    const [sessionId] = player.variants[0]!.split('/');
    const base = `/assets/${id}/video/stream` as const;
    const routes = [
      `GET ${base}/main.m3u8`,
      `GET ${base}/${sessionId}/0/playlist.m3u8`,
      `GET ${base}/${sessionId}/0/init.mp4`,
      `GET ${base}/${sessionId}/0/seg_0.m4s`,
      `DELETE ${base}/${sessionId}`,
    ] as const;
    for (const route of routes) {
      const statuses = [];
      for (const caller of [{ as: stranger }, { as: weak }, {}])
        statuses.push((await call(app, route, caller)).status);
      expect([route, ...statuses]).toEqual([route, 400, 403, 401]);
    }
    expect(count()).toBe(0);
  });

  test('from the moment at which the caller may not see the video any more', async () => {
    const id = await add();
    const player = await openStream(app, id, { as: me });
    expect((await player.readSegment(0)).status).toBe(200);
    const change = (values: Partial<typeof assets.$inferInsert>) =>
      library.database.db.update(assets).set(values).where(eq(assets.id, id));
    await change({ lockedAt: NOW });
    expect([(await player.readSegment(0)).status, (await player.readInit()).status]).toEqual([
      400, 400,
    ]);
    await change({ lockedAt: null });
    expect((await player.readSegment(0)).status).toBe(200);
  });

  test('for what is no video, no readable one, and no part of it', async () => {
    const picture = await seed(library.database).asset({ ownerId: me.id });
    expect((await getMain(picture, { as: me })).status).toBe(404);
    const damaged = await addFile(
      library.database,
      { name: 'damaged.mp4', bytes: new Uint8Array(100) },
      { ownerId: me.id },
    );
    expect(await getMain(damaged, { as: me })).toMatchObject({
      status: 404,
      body: { message: 'Asset is not yet ready for streaming' },
    });
    const id = await add();
    const { variants } = await openStream(app, id, { as: me });
    const [sessionId] = variants[0]!.split('/');
    const get = async (rest: string, headers = {}) =>
      (
        await call(app, `GET /assets/${id}/video/stream/${sessionId}/${rest}`, {
          as: me,
          headers,
        })
      ).status;
    expect(
      await Promise.all(
        ['1/playlist.m3u8', '0/seg_46.m4s', '0/seg_-1.m4s', '0/other.mp4', '0/seg_0.m4s%2f..'].map(
          (rest) => get(rest),
        ),
      ),
    ).toEqual([404, 404, 404, 404, 404]);
    expect(await get('x/playlist.m3u8')).toBe(400);
    expect(await get('0/init.mp4', { 'x-immich-hls-msn': '-1' })).toBe(400);
    expect(await get('0/playlist.m3u8', { 'x-immich-hls-pos': 'soon' })).toBe(400);
    expect(count()).toBe(0);
  });
});

test('guests of a link play it with the addresses of its playlists alone, until the link is gone', async () => {
  const id = await add();
  const bytes = new Uint8Array([...(await Bun.file(path).bytes()), 1]);
  const locked = { ownerId: me.id, lockedAt: NOW };
  const hidden = await addFile(library.database, { name: 'b.mp4', bytes }, locked);
  await addLink(library.database, { ownerId: me.id, slug: 'films' }, [id, hidden]);
  const player = await openStream(app, id, {}, '?slug=films');
  expect((await player.readInit()).status).toBe(200);
  expect((await player.readSegment(2)).status).toBe(200);
  expect((await getMain(hidden, {}, '?slug=films')).status).toBe(400);
  await library.database.sql`delete from shared_link where slug = 'films'`;
  expect((await player.readSegment(0)).status).toBe(401);
});

test('encoding begins where the player says that it is', async () => {
  const id = await add();
  const { variants } = await openStream(app, id, { as: me });
  const [sessionId] = variants[0]!.split('/');
  expect(count()).toBe(0);
  const headers = { 'x-immich-hls-pos': '61.5' };
  const playlist = `GET /assets/${id}/video/stream/${sessionId}/0/playlist.m3u8` as const;
  expect((await call(app, playlist, { as: me, headers })).status).toBe(200);
  expect(count()).toBe(1);
  const segment = `GET /assets/${id}/video/stream/${sessionId}/0/seg_31.m4s` as const;
  expect((await call(app, segment, { as: me })).status).toBe(200);
  expect(count()).toBe(1);
});
