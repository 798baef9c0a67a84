import {
  afterAll,
  beforeAll,
  beforeEach,
  describe,
  expect,
  setDefaultTimeout,
  test,
} from 'bun:test';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  call,
  ctxOf,
  NOW,
  seed,
  send,
  sessionOf,
  testApp,
  type TestDatabase,
  testDatabase,
  type TestUser,
} from '../../../test/harness.ts';
import { type Household, seedHousehold, unlock } from '../../../test/library.ts';
import { addFile, derivedPath, jobCtx } from '../../../test/processing.ts';
import type { App } from '../../app.ts';
import { saveEmbeddings, vectorsOf } from '../../inference/index.ts';
import type { Effect } from '../../jobs/define.ts';
import { deleteAssets } from '../trash/index.ts';
import { removeSome } from '../trash/removal.handlers.ts';
import { handleDescribeFrames } from './describe.handlers.ts';
import { handlePickFrames } from './pick.handlers.ts';
import * as store from './store.ts';
import { handleWatchVideos } from './watch.handlers.ts';
import { findVideoSubject } from '../../access/video.ts';

// Films are cut and decoded while others use the machine, too.
setDefaultTimeout(60_000);

let database: TestDatabase;
let app: App;
let folder: string;
let film: string;
let me: TestUser;
let house: Household;
beforeAll(async () => {
  database = await testDatabase();
  app = testApp(database);
  folder = await mkdtemp(join(tmpdir(), 'safelight-scenes-'));
  film = await makeFilm('film.mp4');
  house = await seedHousehold(database);
});
afterAll(async () => {
  await database.close();
  await rm(folder, { recursive: true, force: true });
});
beforeEach(async () => {
  await database.sql`truncate job`;
  me = await seed(database).user();
});

/** Three scenes of two seconds. */
async function makeFilm(name: string): Promise<string> {
  const path = join(folder, name);
  const scenes = [
    'mandelbrot=size=320x180:rate=10',
    'testsrc=size=320x180:rate=10',
    'rgbtestsrc=size=320x180:rate=10',
  ];
  const inputs = scenes.flatMap((scene) => ['-f', 'lavfi', '-t', '2', '-i', scene]);
  const joined = ['-filter_complex', '[0][1][2]concat=n=3:v=1:a=0,format=yuv420p'];
  const child = Bun.spawn([
    'ffmpeg',
    '-y',
    '-v',
    'error',
    ...inputs,
    ...joined,
    '-c:v',
    'libx264',
    path,
  ]);
  expect(await child.exited).toBe(0);
  return path;
}

async function run(work: Promise<Effect | void>): Promise<void> {
  const effect = await work;
  if (!effect) return;
  const after = await database.db.transaction((tx) => effect(tx));
  await after?.();
}

const pick = (assetId: string, force = false) =>
  run(handlePickFrames(jobCtx(database), { assetId, ...(force && { force }) }));

/** A film with its frames, of `owner`. */
async function addFilm(owner: TestUser, over: object = {}): Promise<string> {
  // Behind its end a file may have anything: so it is another one each time.
  const bytes = Buffer.concat([await Bun.file(film).bytes(), randomBytes(8)]);
  const file = { name: 'film.mp4', bytes };
  const id = await addFile(database, file, { ownerId: owner.id, durationMs: 6000, ...over });
  await pick(id);
  return id;
}

type Told = { caption: string | null; vector?: readonly number[] };

/** As the models would have left it. */
async function describeAs(assetId: string, told: readonly Told[], model = 'tiny'): Promise<void> {
  const frames = (await store.listFrames(database.db, assetId)).toSorted((a, b) => a.atMs - b.atMs);
  const { revision: source } = (await findVideoSubject(database.db, assetId))!;
  const moments = frames.map((frame, at) => ({
    id: Bun.randomUUIDv7(),
    assetId,
    kind: 'generated' as const,
    startMs: frame.startMs,
    endMs: frame.endMs,
    title: null,
    caption: told[at]?.caption ?? null,
    transcript: null,
    frameId: frame.id,
    source,
    models: model,
    createdAt: NOW,
    updatedAt: NOW,
  }));
  const described = { source, models: model, vectorModel: model, now: NOW };
  await store.replaceGenerated(database.db, assetId, described, moments);
  const vectors = frames.flatMap(({ id }, at) => {
    const vector = told[at]?.vector;
    return vector
      ? [{ kind: 'frame' as const, subjectId: id, vector: Float32Array.from(vector) }]
      : [];
  });
  await database.db.transaction((tx) => saveEmbeddings(tx, model, vectors));
  if (vectors.length > 0) await vectorsOf(database.deps).refresh(model);
}

const momentsOf = (id: string, as: TestUser) =>
  call(app, `GET /enrichment/videos/${id}/moments`, { as });
const bodyOf = async (id: string, as = me) => (await momentsOf(id, as)).body;
const mark = (id: string, body: object, as = me) =>
  call(app, `POST /enrichment/videos/${id}/moments`, { as, body });
const search = (body: object, as = me) =>
  call(app, 'POST /enrichment/moments/search', { as, body });

describe('frames', () => {
  test('one of each scene, ranked, stored once as derived files', async () => {
    const id = await addFilm(me);
    const { body } = await momentsOf(id, me);
    expect(body).toMatchObject({
      assetId: id,
      status: 'processing',
      durationMs: 6000,
      isOutdated: false,
    });
    expect(body.frames.map((frame: any) => frame.rank)).toEqual([1, 2, 3]);
    const scenes = body.frames.map((frame: any) => Math.floor(frame.timeMs / 2000)).sort();
    expect(scenes).toEqual([0, 1, 2]);
    expect(body.cover).toEqual({ timeMs: null, frameId: body.frames[0].id });
    const frames = await store.listFrames(database.db, id);
    for (const { name, size } of frames) {
      const file = Bun.file(derivedPath(database, name));
      expect(file.size).toBe(size);
    }
    await database.sql`truncate job`;
    await pick(id);
    expect((await store.listFrames(database.db, id)).map((frame) => frame.id)).toEqual(
      frames.map((frame) => frame.id),
    );
  });

  test('are sent as pictures, with conditions', async () => {
    const id = await addFilm(me);
    const { frames } = await bodyOf(id);
    const reply = await send(app, `GET /enrichment/frames/${frames[0].id}`, { as: me });
    expect(reply.status).toBe(200);
    expect(reply.headers.get('content-type')).toBe('image/jpeg');
    expect(Buffer.from(await reply.arrayBuffer()).readUInt16BE(0)).toBe(0xffd8);
    const again = await send(app, `GET /enrichment/frames/${frames[0].id}`, {
      as: me,
      headers: { 'if-none-match': reply.headers.get('etag')! },
    });
    expect(again.status).toBe(304);
  });

  test('VS-006: who has no access to the video gets what an unknown frame gets', async () => {
    const filmOf = async (over: object) => {
      const id = await addFilm(house.owner, over);
      return (await store.listFrames(database.db, id))[0]!.id;
    };
    const plain = await filmOf({});
    const get = async (id: string, as: TestUser) => {
      const { status, body } = await call(app, `GET /enrichment/frames/${id}`, { as });
      return { status, body: status === 200 ? 'picture' : body };
    };
    const unknown = await get(Bun.randomUUIDv7(), house.stranger);
    expect(unknown.status).toBe(404);
    expect(await get(plain, house.stranger)).toEqual(unknown);
    expect((await get(plain, house.owner)).status).toBe(200);
    expect((await get(plain, house.viewer)).status).toBe(200);
    const similar = (id: string, as: TestUser) =>
      call(app, `GET /enrichment/frames/${id}/similar`, { as });
    expect((await similar(plain, house.stranger)).status).toBe(404);
    await database.sql`update asset set locked_at = now()
      where id = (select asset_id from video_frame where id = ${plain})`;
    expect(await get(plain, house.viewer)).toEqual(unknown);
    expect(await get(plain, house.owner)).toEqual(unknown);
    await unlock(database, house.owner);
    const opened = await send(app, `GET /enrichment/frames/${plain}`, { session: house.owner });
    expect(opened.status).toBe(200);
    expect(opened.headers.get('cache-control')).toBe('private, no-store');
  });

  test('ID-002: ids of other versions than 7 are refused', async () => {
    const path = `GET /enrichment/frames/${crypto.randomUUID()}` as const;
    expect((await call(app, path, { as: me })).status).toBe(400);
  });

  test('a file without a picture is marked as failed, and the queue goes on', async () => {
    const broken = { name: 'broken.mp4', bytes: new TextEncoder().encode('no video at all') };
    const id = await addFile(database, broken, { ownerId: me.id });
    await pick(id);
    expect(await bodyOf(id)).toMatchObject({ status: 'failed', frames: [], moments: [] });
  });

  test('go with the video, and their files and vectors too', async () => {
    const id = await addFilm(me);
    await describeAs(id, [{ caption: 'a', vector: [1, 0, 0] }], 'gone');
    const names = (await store.listFrames(database.db, id)).map(({ name }) => name);
    await deleteAssets(ctxOf(database, sessionOf(me.id)), [id], { force: true });
    for (let more = true; more;) more = await removeSome(database.deps);
    for (const name of names) expect(existsSync(derivedPath(database, name))).toBe(false);
    const [row] = await database.sql`select count(*)::int as left from embedding
      where model = (select id from embedding_model where model_id = 'gone')`;
    expect(row!['left']).toBe(0);
  });
});

describe('without models', () => {
  test('frames are there, the status says unavailable, and the watch leaves them alone', async () => {
    const id = await addFilm(me);
    await run(handleDescribeFrames(jobCtx(database), { assetId: id }));
    const body = await bodyOf(id);
    expect(body).toMatchObject({ status: 'unavailable', source: null, moments: [] });
    expect(body.frames).toHaveLength(3);
    await database.sql`truncate job`;
    await run(handleWatchVideos(jobCtx(database), {}) as Promise<Effect | void>);
    const waiting = await database.sql`select 1 from job where payload ->> 'assetId' = ${id}`;
    expect(waiting).toHaveLength(0);
  });

  test('a library from before is queued by the watch once there are previews', async () => {
    const id = await addFile(database, film, { ownerId: me.id, durationMs: 6000 });
    await database.sql`insert into video_enrichment (asset_id) values (${id})`;
    await database.sql`insert into asset_file (asset_id, kind, name, mime_type, size, tag)
      values (${id}, 'preview', 'x.jpg', 'image/jpeg', 1, 'x')`;
    await run(handleWatchVideos(jobCtx(database), {}) as Promise<Effect | void>);
    const waiting = await database.sql`select name from job where payload ->> 'assetId' = ${id}`;
    expect([...waiting].map(({ name }) => name)).toEqual(['enrichment.pickFrames']);
  });
});

describe('cover', () => {
  const cover = (id: string, timeMs: unknown, as = me) =>
    call(app, `PUT /enrichment/videos/${id}/cover`, { as, body: { timeMs } });

  test('EP-008: is a time; null returns to the frame of rank 1', async () => {
    const id = await addFilm(me);
    const { frames } = await bodyOf(id);
    const set = await cover(id, 5000);
    expect(set.status).toBe(200);
    const near = frames.find((frame: any) => frame.timeMs >= 4000);
    expect(set.body.cover).toEqual({ timeMs: 5000, frameId: near.id });
    const rendering = await database.sql`select 1 from job
      where name = 'assets.renderVideo' and payload ->> 'assetId' = ${id}`;
    expect(rendering).toHaveLength(1);
    await pick(id, true);
    expect((await bodyOf(id)).cover.timeMs).toBe(5000);
    const { body } = await cover(id, null);
    const best = body.frames.find((frame: any) => frame.rank === 1);
    expect(body.cover).toEqual({ timeMs: null, frameId: best.id });
  });

  test('beyond the end and of a photo it is refused; others know no such video', async () => {
    const id = await addFilm(house.owner);
    const { owner, viewer, stranger, ids } = house;
    expect((await cover(id, 6000, owner)).status).toBe(200);
    expect((await cover(id, 6001, owner)).status).toBe(400);
    expect((await cover(id, -1, owner)).status).toBe(400);
    expect((await cover(ids.plain, 0, owner)).status).toBe(400);
    expect((await cover(crypto.randomUUID(), 0, owner)).status).toBe(404);
    expect((await cover(id, 0, viewer)).status).toBe(404);
    expect((await cover(id, 0, stranger)).status).toBe(404);
  });
});

describe('moments', () => {
  test('EP-009: one by hand survives a refresh; a generated one cannot be changed', async () => {
    const id = await addFilm(me);
    await describeAs(id, [{ caption: 'A dog' }, { caption: 'A cat' }, { caption: null }]);
    const made = await mark(id, { startMs: 1000, endMs: 1500, title: 'First steps' });
    expect(made.status).toBe(201);
    expect(made.body).toMatchObject({
      kind: 'manual',
      startMs: 1000,
      endMs: 1500,
      title: 'First steps',
      caption: null,
      transcript: null,
      source: null,
      isOutdated: false,
    });
    await pick(id, true);
    await describeAs(id, [{ caption: 'A horse' }, { caption: null }, { caption: null }]);
    const { moments } = await bodyOf(id);
    expect(moments.map((moment: any) => [moment.kind, moment.caption])).toEqual([
      ['generated', 'A horse'],
      ['manual', null],
      ['generated', null],
      ['generated', null],
    ]);
    expect(moments[1].id).toBe(made.body.id);
    const path = `/enrichment/videos/${id}/moments/${moments[0].id}` as const;
    expect((await call(app, `PUT ${path}`, { as: me, body: { title: 'x' } })).status).toBe(400);
    expect((await call(app, `DELETE ${path}`, { as: me })).status).toBe(400);
    expect((await bodyOf(id)).moments).toHaveLength(4);
  });

  test('EP-034: after the video was edited, what was generated is outdated and says from what', async () => {
    const id = await addFilm(me);
    await describeAs(id, [{ caption: 'A dog' }, { caption: 'A cat' }, { caption: null }]);
    await mark(id, { startMs: 0 });
    const before = await bodyOf(id);
    expect(before).toMatchObject({ status: 'ready', isOutdated: false });
    expect(before.source.models).toEqual(['tiny']);
    await database.sql`update asset_exif set orientation = '6' where asset_id = ${id}`;
    const after = await bodyOf(id);
    expect(after.isOutdated).toBe(true);
    expect(after.source).toEqual(before.source);
    expect(after.frames.map((frame: any) => frame.isOutdated)).toEqual([true, true, true]);
    for (const { kind, isOutdated, source } of after.moments) {
      expect(isOutdated).toBe(kind === 'generated');
      expect(source).toEqual(kind === 'generated' ? before.source : null);
    }
    await pick(id);
    await describeAs(id, [{ caption: 'A dog' }, { caption: 'A cat' }, { caption: null }]);
    const renewed = await bodyOf(id);
    expect(renewed.isOutdated).toBe(false);
    expect(renewed.source.sourceRevision).not.toBe(before.source.sourceRevision);
    const files = await readdir(join(database.deps.paths.derived, id.slice(0, 2), id.slice(2, 4)));
    expect(files.filter((name) => name.startsWith(id))).toHaveLength(3);
  });

  test('EP-035: own ones are changed; an end before the start is refused; foreign ones are unknown', async () => {
    const id = await addFilm(house.owner);
    const { body: moment } = await mark(id, { startMs: 1000 }, house.owner);
    expect(moment).toMatchObject({ startMs: 1000, endMs: 1000 });
    const put = (body: object, as: TestUser, momentId = moment.id, of = id) =>
      call(app, `PUT /enrichment/videos/${of}/moments/${momentId}`, { as, body });
    const changed = await put({ title: 'Goal' }, house.owner);
    expect(changed.status).toBe(200);
    expect(changed.body).toMatchObject({ title: 'Goal', startMs: 1000, endMs: 1000 });
    expect((await put({ endMs: 999 }, house.owner)).status).toBe(400);
    expect((await put({ startMs: 1001 }, house.owner)).status).toBe(400);
    expect((await put({ endMs: 6001 }, house.owner)).status).toBe(400);
    const unknown = await put(
      { title: 'x' },
      house.stranger,
      Bun.randomUUIDv7(),
      crypto.randomUUID(),
    );
    expect(unknown.status).toBe(404);
    for (const other of [house.stranger, house.viewer]) {
      expect(await put({ title: 'x' }, other)).toMatchObject({ status: 404, body: unknown.body });
    }
    const elsewhere = await addFilm(me);
    expect((await put({ title: 'x' }, me, moment.id, elsewhere)).status).toBe(404);
    expect((await bodyOf(id, house.owner)).moments[0].title).toBe('Goal');
  });

  test('EP-036: deleted once it is unknown', async () => {
    const id = await addFilm(me);
    const { body: moment } = await mark(id, { startMs: 1000, endMs: 2000 });
    const path = `DELETE /enrichment/videos/${id}/moments/${moment.id}` as const;
    const stranger = await seed(database).user();
    expect((await call(app, path, { as: stranger })).status).toBe(404);
    expect((await call(app, path, { as: me })).status).toBe(204);
    const again = await call(app, path, { as: me });
    const never = await call(app, `DELETE /enrichment/videos/${id}/moments/${Bun.randomUUIDv7()}`, {
      as: me,
    });
    expect(again.status).toBe(404);
    expect(again.body).toEqual(never.body);
  });

  test('lie within the video, and only their owner makes them', async () => {
    const id = await addFilm(house.owner);
    expect((await mark(id, { startMs: 2000, endMs: 1000 }, house.owner)).status).toBe(400);
    expect((await mark(id, { startMs: 0, endMs: 6001 }, house.owner)).status).toBe(400);
    expect((await mark(id, { startMs: 7000 }, house.owner)).status).toBe(400);
    expect((await mark(id, { startMs: 0, title: 'x'.repeat(256) }, house.owner)).status).toBe(400);
    expect((await mark(house.ids.plain, { startMs: 0 }, house.owner)).status).toBe(400);
    expect((await mark(id, { startMs: 0 }, house.viewer)).status).toBe(404);
    expect((await mark(id, { startMs: 0 }, house.stranger)).status).toBe(404);
    expect((await bodyOf(id, house.owner)).moments).toEqual([]);
    expect((await momentsOf(id, house.viewer)).status).toBe(200);
    expect((await momentsOf(id, house.stranger)).status).toBe(404);
    expect((await momentsOf(house.ids.plain, house.owner)).status).toBe(404);
  });
});

describe('search', () => {
  test('EP-033: by words of captions, titles and typed transcripts', async () => {
    const id = await addFilm(me);
    await describeAs(id, [{ caption: 'A lighthouse, seashore' }, { caption: 'A cat' }]);
    const said = await mark(id, { startMs: 10, title: 'Toast', transcript: 'Auf die Großmutter!' });
    const told = (await search({ query: 'a lighthouse' })).body;
    expect(told.items).toHaveLength(1);
    expect(told.items[0]).toMatchObject({ assetId: id, matchedBy: ['caption'] });
    expect(told.nextPage).toBeNull();
    const spoken = (await search({ query: 'grossmutter' })).body.items;
    expect(spoken).toMatchObject([
      { momentId: said.body.id, matchedBy: ['transcript'], timeMs: 10 },
    ]);
    expect((await search({ query: 'toast' })).body.items).toHaveLength(1);
    expect((await search({ query: 'submarine' })).body.items).toEqual([]);
    expect((await search({ query: 'toast', kinds: ['generated'] })).body.items).toEqual([]);
    expect((await search({ query: 'toast', assetIds: [crypto.randomUUID()] })).body.items).toEqual(
      [],
    );
    expect((await search({ query: 'toast', assetIds: [id] })).body.items).toHaveLength(1);
    expect((await search({ query: '' })).status).toBe(400);
    const path = `/enrichment/videos/${id}/moments/${said.body.id}` as const;
    await call(app, `PUT ${path}`, { as: me, body: { transcript: 'Cheers' } });
    expect((await search({ query: 'grossmutter' })).body.items).toEqual([]);
    expect((await search({ query: 'cheers' })).body.items).toHaveLength(1);
  });

  test('pages do not overlap', async () => {
    const id = await addFilm(me);
    for (const startMs of [0, 1, 2, 3, 4]) await mark(id, { startMs, title: 'Wave' });
    const pages = await Promise.all(
      [1, 2, 3].map(async (page) => (await search({ query: 'wave', size: 2, page })).body),
    );
    expect(pages.map(({ items, nextPage }) => [items.length, nextPage])).toEqual([
      [2, 2],
      [2, 3],
      [1, null],
    ]);
    const ids = pages.flatMap(({ items }) => items.map((item: any) => item.momentId));
    expect(new Set(ids).size).toBe(5);
  });

  test('shows nothing of others, nor what is Locked, trashed or hidden', async () => {
    const shown = await addFilm(house.owner);
    await describeAs(shown, [{ caption: 'A zebra', vector: [1, 0] }], 'states');
    for (const state of [
      { lockedAt: NOW },
      { trashedAt: NOW },
      { lockedAt: NOW, trashedAt: NOW },
      { ownerId: house.stranger.id },
      { ownerId: house.partner.id },
    ]) {
      const id = await addFilm(house.owner, state);
      await describeAs(id, [{ caption: 'A zebra', vector: [1, 0] }], 'states');
    }
    await unlock(database, house.owner);
    const found = await call(app, 'POST /enrichment/moments/search', {
      session: house.owner,
      body: { query: 'zebra' },
    });
    expect(found.body.items.map((item: any) => item.assetId)).toEqual([shown]);
    const [first] = (await store.listFrames(database.db, shown)).toSorted(
      (a, b) => a.atMs - b.atMs,
    );
    const alike = await call(app, `GET /enrichment/frames/${first!.id}/similar`, {
      session: house.owner,
    });
    expect(alike.body.items).toEqual([]);
  });
});

describe('similar', () => {
  test('EP-007: the nearest without the frame itself; no model and no write', async () => {
    const [one, two] = [await addFilm(me), await addFilm(me)];
    await describeAs(
      one,
      [{ caption: 'a', vector: [1, 0, 0] }, { caption: 'b', vector: [0, 1, 0] }, { caption: 'c' }],
      'near',
    );
    await describeAs(
      two,
      [
        { caption: 'd', vector: [0.8, 0.6, 0] },
        { caption: 'e', vector: [0.6, 0.8, 0] },
        { caption: 'f' },
      ],
      'near',
    );
    const [frame] = (await store.listFrames(database.db, one)).toSorted((a, b) => a.atMs - b.atMs);
    const xid = async () =>
      (await database.sql`select pg_snapshot_xmax(pg_current_snapshot())::text as x`)[0]!['x'];
    const before = await xid();
    const { status, body } = await call(app, `GET /enrichment/frames/${frame!.id}/similar`, {
      as: me,
    });
    expect(await xid()).toBe(before);
    expect(status).toBe(200);
    expect(body.nextPage).toBeNull();
    expect(body.items.map((item: any) => item.caption)).toEqual(['d', 'e', 'b']);
    expect(body.items.map((item: any) => item.frameId)).not.toContain(frame!.id);
    for (const item of body.items) expect(item.matchedBy).toEqual(['similarity']);
    expect(body.items[0].score).toBeCloseTo(0.8, 1);
    const limited = await call(app, `GET /enrichment/frames/${frame!.id}/similar?limit=1`, {
      as: me,
    });
    expect(limited.body.items).toHaveLength(1);
  });

  test('LM-024: limits 1 and 100 are accepted', async () => {
    const id = await addFilm(me);
    const [frame] = await store.listFrames(database.db, id);
    for (const limit of [1, 100]) {
      const path = `GET /enrichment/frames/${frame!.id}/similar?limit=${limit}` as const;
      expect((await call(app, path, { as: me })).status).toBe(200);
    }
  });

  test('LM-025: limits 0 and 101 are refused by name', async () => {
    const id = await addFilm(me);
    const [frame] = await store.listFrames(database.db, id);
    for (const limit of [0, 101]) {
      const path = `GET /enrichment/frames/${frame!.id}/similar?limit=${limit}` as const;
      const { status, body } = await call(app, path, { as: me });
      expect(status).toBe(400);
      expect(body.errors[0].path).toEqual(['limit']);
    }
  });
});

test('no guest and no key without the permission changes or reads anything', async () => {
  const id = await addFilm(house.owner);
  const [frame] = await store.listFrames(database.db, id);
  const made = (await mark(id, { startMs: 0 }, house.owner)).body;
  const reader = await seed(database).user(['asset.read']);
  const nobody = await seed(database).user(['album.read']);
  const video = `/enrichment/videos/${id}`;
  const routes = [
    ['GET', `/enrichment/frames/${frame!.id}`, undefined],
    ['GET', `/enrichment/frames/${frame!.id}/similar`, undefined],
    ['POST', '/enrichment/moments/search', { query: 'x' }],
    ['GET', `${video}/moments`, undefined],
    ['PUT', `${video}/cover`, { timeMs: 0 }],
    ['POST', `${video}/moments`, { startMs: 0 }],
    ['PUT', `${video}/moments/${made.id}`, { title: 'x' }],
    ['DELETE', `${video}/moments/${made.id}`, undefined],
  ] as const;
  for (const [method, path, body] of routes) {
    const isWrite = path.startsWith(video) && method !== 'GET';
    const status = async (caller: object, query = '') =>
      (await call(app, `${method} ${path}${query}` as 'GET /', { ...caller, body })).status;
    expect(await status({})).toBe(401);
    expect(await status({ as: nobody })).toBe(403);
    expect(await status({}, '?slug=assets')).toBe(403);
    if (isWrite) expect(await status({ as: reader })).toBe(403);
  }
  expect((await bodyOf(id, house.owner)).moments).toMatchObject([{ id: made.id, title: null }]);
});
