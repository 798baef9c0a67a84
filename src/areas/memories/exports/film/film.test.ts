import { describe, expect, test } from 'bun:test';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { makeClip } from '../../../../../test/fixtures/clips.ts';
import {
  createFilmExportTests,
  ffmpeg,
  SMALL,
} from '../../../../../test/support/exported-films.ts';
import { call, NOW, send } from '../../../../../test/support/harness.ts';
import type { Json } from '../../../../../test/support/json.ts';
import { addFace } from '../../../../../test/support/people.ts';
import { jobCtx } from '../../../../../test/support/processing.ts';
import { until } from '../../../../../test/support/until.ts';
import { RENDERER_VERSION } from '../../../studio/render/frame.ts';
import { handleCleanExports } from '../../clean.handlers.ts';
import { getWorkFolder } from '../export-files.ts';

const the = createFilmExportTests((folder) => {
  const picture = (name: string, size: string) =>
    makeClip(join(folder, name), ['-f', 'lavfi', '-i', `testsrc2=s=${size}`, '-frames:v', '1']);
  picture('wide.jpg', '640x360');
  picture('tall.jpg', '360x480');
  picture('classic.jpg', '480x360');
  const tone = ['-f', 'lavfi', '-i', 'sine=frequency=440:duration=5'];
  const clip = ['-f', 'lavfi', '-i', 'testsrc2=s=320x240:r=25:d=5'];
  const coding = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', '-c:a', 'aac'];
  makeClip(join(folder, 'clip.mp4'), [...clip, ...tone, ...coding, '-shortest']);
});
const { add, queue, run, get, listFiles, getFilmPath } = the;
const addClip = () => add('clip.mp4', 'wide.jpg', { type: 'VIDEO', durationMs: 5000 });

/** The folder with the parts of a film that is made by software. */
const getPartsFolder = (id: string) =>
  join(getWorkFolder(the.database.deps.paths, id), 'film', `libx264-${RENDERER_VERSION}`);
const getTitlePath = (id: string) => join(getPartsFolder(id), 'part-000000.mp4');

function probe(path: string): Json {
  const { stdout } = Bun.spawnSync([
    'ffprobe',
    '-v',
    'error',
    '-of',
    'json',
    '-show_streams',
    '-show_format',
    path,
  ]);
  return JSON.parse(stdout.toString());
}
const listTimes = (path: string, stream: string): number[] =>
  Bun.spawnSync([
    'ffprobe',
    '-v',
    'error',
    '-select_streams',
    stream,
    '-of',
    'csv=p=0',
    '-show_entries',
    'packet=dts',
    path,
  ])
    .stdout.toString()
    .split('\n')
    .filter(Boolean)
    .map((line) => Number.parseInt(line, 10));

/** Checks what every film must be. Returns its length in seconds. */
function checkFilm(path: string): number {
  const { streams, format } = probe(path);
  const [video, audio] = ['video', 'audio'].map((type) =>
    streams.find((stream: { codec_type: string }) => stream.codec_type === type),
  );
  expect(video).toMatchObject({
    codec_name: 'h264',
    profile: 'High',
    pix_fmt: 'yuv420p',
    ...SMALL,
    r_frame_rate: '30/1',
    avg_frame_rate: '30/1',
    color_space: 'bt709',
    has_b_frames: 0,
  });
  expect(audio).toMatchObject({ codec_name: 'aac', sample_rate: '48000', channels: 2 });
  expect(streams).toHaveLength(2);
  expect(Math.abs(Number(video.duration) - Number(audio.duration))).toBeLessThan(0.1);
  const times = listTimes(path, 'v');
  expect(times).toEqual(times.map((_, index) => times[0]! + index * (times[1]! - times[0]!)));
  const sound = listTimes(path, 'a');
  expect(sound.every((time, index) => index === 0 || time > sound[index - 1]!)).toBe(true);
  const said = ffmpeg('-i', path, '-vf', 'blackdetect=d=0.04', '-an', '-f', 'null', '-');
  expect(said).not.toContain('black_start');
  const seconds = Number(format.duration);
  expect(seconds).toBeGreaterThanOrEqual(20);
  expect(seconds).toBeLessThanOrEqual(90);
  return seconds;
}

async function expectGone(id: string, status: 'expired' | 'failed'): Promise<void> {
  const error = 'An item of it is not available any more';
  expect(await get(id)).toMatchObject({ status, error, canSaveToLibrary: false });
  const file = await send(the.app, `GET /memories/exports/${id}/download`, { as: the.me });
  expect(file.status).toBe(404);
  const save = await call(the.app, `POST /memories/exports/${id}/library`, { as: the.me });
  expect([save.status, save.body.code]).toEqual([400, 'invalid_state']);
  await handleCleanExports(jobCtx(the.database), {});
  expect(listFiles()).toEqual([]);
}

describe('a film', () => {
  test('ST-018, ST-019, ST-021: shows pictures and videos with sound, and is saved once', async () => {
    const face = await add('classic.jpg');
    await addFace(the.database, {
      ownerId: the.me.id,
      assetId: face,
      x1: 0.6,
      y1: 0.2,
      x2: 0.7,
      y2: 0.4,
    });
    const ids = [face, await add('tall.jpg'), await addClip(), await add('wide.jpg')];
    const id = await queue(ids);
    await run(id);
    expect(await get(id)).toMatchObject({
      status: 'completed',
      total: 4,
      processed: 4,
      skipped: 0,
      fileName: 'A day_ at the sea, 100%.mp4',
      canSaveToLibrary: true,
      isDownloadable: true,
    });
    checkFilm(getFilmPath(id));
    expect(listFiles()).toEqual([`${id}.mp4`]);
    const reply = await send(the.app, `GET /memories/exports/${id}/download`, {
      as: the.me,
      headers: { range: 'bytes=4-7' },
    });
    expect(reply.status).toBe(206);
    expect(reply.headers.get('content-type')).toBe('video/mp4');
    expect(await reply.text()).toBe('ftyp');
    // The index lies before the pictures.
    const head = Buffer.from(await Bun.file(getFilmPath(id)).slice(0, 200_000).arrayBuffer());
    expect(head.indexOf('moov')).toBeGreaterThan(0);
    expect(head.indexOf('moov')).toBeLessThan(head.indexOf('mdat'));

    const listed = async () => {
      const { body } = await call(the.app, 'POST /search/metadata', {
        as: the.me,
        body: { size: 100 },
      });
      const { body: counted } = await call(the.app, 'GET /assets/statistics', { as: the.me });
      const months = (await call(the.app, 'GET /timeline/buckets', { as: the.me })).body;
      const shown = months.reduce((sum: number, { count }: { count: number }) => sum + count, 0);
      return [body.assets.items.map((one: { id: string }) => one.id), counted.total, shown];
    };
    const [before, ...counts] = await listed();
    expect(new Set(before)).toEqual(new Set(ids));
    expect(counts).toEqual([4, 4]);
    const save = () => call(the.app, `POST /memories/exports/${id}/library`, { as: the.me });
    const saved = await save();
    expect(saved.status).toBe(200);
    const { libraryAssetId, canSaveToLibrary } = saved.body;
    expect(libraryAssetId).toMatch(/^[\da-f-]{36}$/);
    expect(canSaveToLibrary).toBe(false);
    expect((await save()).body).toEqual(saved.body);
    const [after, ...more] = await listed();
    expect(new Set(after)).toEqual(new Set([...ids, libraryAssetId]));
    expect(more).toEqual([5, 5]);
    // It stays when the export goes.
    await call(the.app, `DELETE /memories/exports/${id}`, { as: the.me });
    const original = await send(the.app, `GET /assets/${libraryAssetId}/original`, {
      as: the.me,
    });
    expect(original.status).toBe(200);
    expect(listFiles()).toEqual([]);
  }, 300_000);

  test('of photos has the music, the shape and the date that it was asked for', async () => {
    const id = await queue([await add('tall.jpg'), await add('wide.jpg')], 'x', {
      format: 'portrait',
      music: 'calm',
    });
    const { memoryId } = await get(id);
    await the.database.sql`
      update memory set memory_at = '2019-11-21T00:00:00Z' where id = ${memoryId}`;
    await run(id);
    expect(await get(id)).toMatchObject({ status: 'completed', format: 'portrait', music: 'calm' });
    const { streams, format } = probe(getFilmPath(id));
    expect(streams).toContainEqual(
      expect.objectContaining({ width: SMALL.height, height: SMALL.width }),
    );
    expect(format.tags.creation_time).toStartWith('2019-11-21T12:00:00');
    const said = ffmpeg('-i', getFilmPath(id), '-af', 'volumedetect', '-vn', '-f', 'null', '-');
    expect(Number(/mean_volume: (.*) dB/.exec(said)?.[1])).toBeGreaterThan(-40);
    const saved = await call(the.app, `POST /memories/exports/${id}/library`, { as: the.me });
    const asset = await call(the.app, `GET /assets/${saved.body.libraryAssetId}`, { as: the.me });
    expect(asset.body.fileCreatedAt).toStartWith('2019-11-21');
  }, 300_000);

  test('ST-020: goes with its memory unless it was saved', async () => {
    const id = await queue([await add('wide.jpg')]);
    await Bun.write(getFilmPath(id), 'film');
    await the.database.sql`
      update operation set state = 'completed', finished_at = ${NOW.toISOString()} where id = ${id}`;
    await the.database.sql`
      update operation_file set size = 4, name = 'a.mp4', source_count = 0 where id = ${id}`;
    const { memoryId } = await get(id);
    await call(the.app, `DELETE /memories/${memoryId}`, { as: the.me });
    await handleCleanExports(jobCtx(the.database), {});
    expect((await call(the.app, `GET /memories/exports/${id}`, { as: the.me })).status).toBe(404);
    expect(listFiles()).toEqual([]);
    const [row] = await the.database
      .sql`select count(*)::int as count from asset where owner_id = ${the.me.id}`;
    expect(row!['count']).toBe(1);
  }, 300_000);

  test('is gone once an item of it is locked, when being made', async () => {
    const ids = [await add('wide.jpg'), await add('wide.jpg'), await add('wide.jpg')];
    const id = await queue(ids);
    const running = run(id);
    await until(() => existsSync(getTitlePath(id)), 200_000);
    await the.database.sql`update asset set locked_at = now() where id = ${ids[2]!}`;
    await running;
    await expectGone(id, 'failed');
  }, 300_000);

  test('goes on behind the parts that an interrupted run has finished, and is gone once an item of it is locked', async () => {
    const ids = [await add('wide.jpg'), await addClip()];
    const id = await queue(ids);
    const controller = new AbortController();
    const stopped = run(id, { signal: controller.signal }).catch((error: unknown) => error);
    const folder = getPartsFolder(id);
    const parts = () =>
      (existsSync(folder) ? readdirSync(folder) : []).filter((name) => name.endsWith('.mp4'));
    await until(() => parts().length > 0);
    controller.abort(new Error('stopped'));
    expect(await stopped).toBeInstanceOf(Error);
    expect(await get(id)).toMatchObject({ status: 'running' });
    const { lastModified } = Bun.file(getTitlePath(id));
    const running = run(id);
    await until(() => parts().length > 1);
    expect(Bun.file(getTitlePath(id)).lastModified).toBe(lastModified);
    await running;
    checkFilm(getFilmPath(id));
    expect(listFiles()).toEqual([`${id}.mp4`]);
    await the.database.sql`update asset set locked_at = now() where id = ${ids[1]!}`;
    await expectGone(id, 'expired');
  }, 300_000);

  test('has frames of 1920 × 1080', async () => {
    const id = await queue([await add('wide.jpg')]);
    const controller = new AbortController();
    const stopped = run(id, { signal: controller.signal }, 1).catch((error: unknown) => error);
    const title = getTitlePath(id);
    await until(() => existsSync(title), 200_000);
    controller.abort(new Error('stopped'));
    expect(await stopped).toBeInstanceOf(Error);
    expect(probe(title).streams).toMatchObject([{ width: 1920, height: 1080 }]);
  }, 300_000);

  test('whose run is cancelled stops at its next item and leaves nothing', async () => {
    const ids: string[] = [];
    for (let n = 0; n < 6; n++) ids.push(await add('wide.jpg'));
    const id = await queue(ids);
    const running = run(id);
    await until(() => existsSync(getTitlePath(id)), 200_000);
    expect(
      (await call(the.app, `POST /memories/exports/${id}/cancel`, { as: the.me })).body,
    ).toMatchObject({
      status: 'cancelling',
    });
    await running;
    expect(await get(id)).toMatchObject({ status: 'cancelled', isDownloadable: false });
    expect(listFiles()).toEqual([]);
  }, 300_000);

  test('leaves out what is locked, trashed or broken, and fails when nothing is left', async () => {
    const locked = await add('wide.jpg', 'wide.jpg', { lockedAt: NOW });
    const trashed = await add('wide.jpg', 'wide.jpg', { trashedAt: NOW });
    const id = await queue([locked, trashed]);
    await run(id);
    expect(await get(id)).toMatchObject({
      status: 'failed',
      error: 'None of the items can be shown in a film',
    });
    expect(listFiles()).toEqual([]);
  });
});
