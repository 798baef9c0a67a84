import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { createFilmTests } from '../../../../test/support/films.ts';
import {
  call,
  createCtx,
  send,
  createSession,
  type TestUser,
} from '../../../../test/support/harness.ts';
import { unlock } from '../../../../test/support/household.ts';
import { addFile, derivedPath, jobCtx } from '../../../../test/support/processing.ts';
import type { Effect } from '../../../jobs/define.ts';
import { handleRequeue } from '../../assets/processing/requeue.handlers.ts';
import { deleteAssets } from '../../trash/index.ts';
import { removeNextFiles } from '../../trash/removal/removal.handlers.ts';
import { handleDescribeFrames } from './describe.handlers.ts';
import * as store from '../store.ts';
import { handleWatchVideos } from '../watch.handlers.ts';

// Films are cut and decoded while others use the machine, too.
setDefaultTimeout(300_000);

const films = createFilmTests();
const { addFilm, addPickedFilm, getMoments, describeAs, requestMoments, pick, run } = films;

describe('frames', () => {
  test('are one per scene, ranked, stored once as derived files', async () => {
    const id = await addFilm(films.me);
    const { body } = await requestMoments(id, films.me);
    expect(body).toMatchObject({
      assetId: id,
      status: 'processing',
      durationMs: 6000,
      isOutdated: false,
    });
    expect(body.frames.map((frame: { rank: number }) => frame.rank)).toEqual([1, 2, 3]);
    const scenes = body.frames
      .map((frame: { timeMs: number }) => Math.floor(frame.timeMs / 2000))
      .sort();
    expect(scenes).toEqual([0, 1, 2]);
    expect(body.cover).toEqual({ timeMs: null, frameId: body.frames[0].id });
    const frames = await store.listFrames(films.database.db, id);
    for (const { name, size } of frames) {
      const file = Bun.file(derivedPath(films.database, name));
      expect(file.size).toBe(size);
    }
    await films.database.sql`truncate job`;
    await pick(id);
    expect((await store.listFrames(films.database.db, id)).map((frame) => frame.id)).toEqual(
      frames.map((frame) => frame.id),
    );
  });

  test('are sent as pictures, with conditions', async () => {
    const id = await addPickedFilm(films.me);
    const { frames } = await getMoments(id);
    const reply = await send(films.app, `GET /enrichment/frames/${frames[0].id}`, { as: films.me });
    expect(reply.status).toBe(200);
    expect(reply.headers.get('content-type')).toBe('image/jpeg');
    expect(Buffer.from(await reply.arrayBuffer()).readUInt16BE(0)).toBe(0xffd8);
    const again = await send(films.app, `GET /enrichment/frames/${frames[0].id}`, {
      as: films.me,
      headers: { 'if-none-match': reply.headers.get('etag')! },
    });
    expect(again.status).toBe(304);
  });

  test('VS-006: return 404 like an unknown frame without access to the video', async () => {
    const addFrame = async (over: object) => {
      const id = await addPickedFilm(films.house.owner, over);
      return (await store.listFrames(films.database.db, id))[0]!.id;
    };
    const plain = await addFrame({});
    const get = async (id: string, as: TestUser) => {
      const { status, body } = await call(films.app, `GET /enrichment/frames/${id}`, { as });
      return { status, body: status === 200 ? 'picture' : body };
    };
    const unknown = await get(Bun.randomUUIDv7(), films.house.stranger);
    expect(unknown.status).toBe(404);
    expect(await get(plain, films.house.stranger)).toEqual(unknown);
    expect((await get(plain, films.house.owner)).status).toBe(200);
    expect((await get(plain, films.house.viewer)).status).toBe(200);
    const similar = (id: string, as: TestUser) =>
      call(films.app, `GET /enrichment/frames/${id}/similar`, { as });
    expect((await similar(plain, films.house.stranger)).status).toBe(404);
    await films.database.sql`update asset set locked_at = now()
      where id = (select asset_id from video_frame where id = ${plain})`;
    expect(await get(plain, films.house.viewer)).toEqual(unknown);
    expect(await get(plain, films.house.owner)).toEqual(unknown);
    await unlock(films.database, films.house.owner);
    const opened = await send(films.app, `GET /enrichment/frames/${plain}`, {
      session: films.house.owner,
    });
    expect(opened.status).toBe(200);
    expect(opened.headers.get('cache-control')).toBe('private, no-store');
  });

  test('ID-002: ids of other versions than 7 are refused', async () => {
    const path = `GET /enrichment/frames/${crypto.randomUUID()}` as const;
    expect((await call(films.app, path, { as: films.me })).status).toBe(400);
  });

  test('mark a file without a picture as failed, and the queue goes on', async () => {
    const broken = { name: 'broken.mp4', bytes: new TextEncoder().encode('no video at all') };
    const id = await addFile(films.database, broken, { ownerId: films.me.id });
    await pick(id);
    expect(await getMoments(id)).toMatchObject({ status: 'failed', frames: [], moments: [] });
  });

  test('that an earlier version could not pick are tried again by "missing"', async () => {
    const id = await addFilm(films.me);
    const sane = await addFilm(films.me);
    await films.database.sql`update video_enrichment set status = 'failed' where asset_id = ${id}`;
    await films.database.sql`insert into asset_file (asset_id, kind, name, mime_type, size, tag)
      values (${id}, 'preview', 'x', 'image/jpeg', 1, 't'), (${sane}, 'preview', 'y', 'image/jpeg', 1, 't')`;
    await films.database.sql`truncate job`;
    const missing = { queue: 'smartSearch', force: false } as const;
    await run(handleRequeue(jobCtx(films.database), missing) as Promise<Effect>);
    await run(handleWatchVideos(jobCtx(films.database), {}) as Promise<Effect>);
    const queued = await films.database.sql`
      select payload ->> 'assetId' as id from job where name = 'enrichment.pickFrames'`;
    expect(queued.map((job) => job['id'])).toContain(id);
    expect(queued.map((job) => job['id'])).not.toContain(sane);
  });

  test('go with the video, and their files and vectors too', async () => {
    const id = await addFilm(films.me);
    await describeAs(id, [{ caption: 'a', vector: [1, 0, 0] }], 'gone');
    const names = (await store.listFrames(films.database.db, id)).map(({ name }) => name);
    await deleteAssets(createCtx(films.database, createSession(films.me.id)), [id], {
      force: true,
    });
    for (let more = true; more;) more = await removeNextFiles(films.database.deps);
    for (const name of names) expect(existsSync(derivedPath(films.database, name))).toBe(false);
    const [row] = await films.database.sql`select count(*)::int as left from embedding
      where model = (select id from embedding_model where model_id = 'gone')`;
    expect(row!['left']).toBe(0);
  });
});

describe('without models', () => {
  test('frames exist, the status is unavailable, and the periodic job does not requeue them', async () => {
    const id = await addFilm(films.me);
    await run(handleDescribeFrames(jobCtx(films.database), { assetId: id }));
    const body = await getMoments(id);
    expect(body).toMatchObject({ status: 'unavailable', source: null, moments: [] });
    expect(body.frames).toHaveLength(3);
    await films.database.sql`truncate job`;
    await run(handleWatchVideos(jobCtx(films.database), {}) as Promise<Effect | void>);
    const waiting = await films.database.sql`select 1 from job where payload ->> 'assetId' = ${id}`;
    expect(waiting).toHaveLength(0);
  });

  test('the periodic job enqueues older videos once they have previews', async () => {
    const id = await addFile(films.database, films.film, {
      ownerId: films.me.id,
      durationMs: 6000,
    });
    await films.database.sql`insert into video_enrichment (asset_id) values (${id})`;
    await films.database.sql`insert into asset_file (asset_id, kind, name, mime_type, size, tag)
      values (${id}, 'preview', 'x.jpg', 'image/jpeg', 1, 'x')`;
    await run(handleWatchVideos(jobCtx(films.database), {}) as Promise<Effect | void>);
    const waiting = await films.database
      .sql`select name from job where payload ->> 'assetId' = ${id}`;
    expect([...waiting].map(({ name }) => name)).toEqual(['enrichment.pickFrames']);
  });
});

describe('cover', () => {
  const cover = (id: string, timeMs: unknown, as = films.me) =>
    call(films.app, `PUT /enrichment/videos/${id}/cover`, { as, body: { timeMs } });

  test('EP-008: is a time; null returns to the frame of rank 1', async () => {
    const id = await addPickedFilm(films.me);
    const { frames } = await getMoments(id);
    const set = await cover(id, 5000);
    expect(set.status).toBe(200);
    const near = frames.find((frame: { timeMs: number }) => frame.timeMs >= 4000);
    expect(set.body.cover).toEqual({ timeMs: 5000, frameId: near.id });
    const rendering = await films.database.sql`select 1 from job
      where name = 'assets.renderVideo' and payload ->> 'assetId' = ${id}`;
    expect(rendering).toHaveLength(1);
    await pick(id, true);
    expect((await getMoments(id)).cover.timeMs).toBe(5000);
    const { body } = await cover(id, null);
    const best = body.frames.find((frame: { rank: number }) => frame.rank === 1);
    expect(body.cover).toEqual({ timeMs: null, frameId: best.id });
  });

  test('is refused beyond the end and for a photo, and is 404 for others', async () => {
    const id = await addPickedFilm(films.house.owner);
    const { owner, viewer, stranger, ids } = films.house;
    expect((await cover(id, 6000, owner)).status).toBe(200);
    expect((await cover(id, 6001, owner)).status).toBe(400);
    expect((await cover(id, -1, owner)).status).toBe(400);
    expect((await cover(ids.plain, 0, owner)).status).toBe(400);
    expect((await cover(crypto.randomUUID(), 0, owner)).status).toBe(404);
    expect((await cover(id, 0, viewer)).status).toBe(404);
    expect((await cover(id, 0, stranger)).status).toBe(404);
  });
});
