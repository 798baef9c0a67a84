import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import {
  call,
  NOW,
  seed,
  send,
  testApp,
  type TestDatabase,
  testDatabase,
  type TestUser,
} from '../../../../../test/support/harness.ts';
import { addMemory } from '../../../../../test/support/memories.ts';
import { addFace } from '../../../../../test/support/people.ts';
import { addFile, jobCtx } from '../../../../../test/support/processing.ts';
import type { App } from '../../../../app.ts';
import { derivedName } from '../../../../core/paths.ts';
import { handleCleanExports } from '../clean.handlers.ts';
import { handleExportFilm } from '../film.handlers.ts';

let database: TestDatabase;
let app: App;
let me: TestUser;
let media: string;
beforeAll(async () => {
  database = await testDatabase();
  app = testApp(database);
  media = mkdtempSync(join(tmpdir(), 'safelight-film-'));
  const picture = (name: string, size: string) =>
    ffmpeg('-f', 'lavfi', '-i', `testsrc2=s=${size}`, '-frames:v', '1', join(media, name));
  picture('wide.jpg', '1600x900');
  picture('tall.jpg', '900x1200');
  picture('classic.jpg', '1200x900');
  const tone = ['-f', 'lavfi', '-i', 'sine=frequency=440:duration=5'];
  const clip = ['-f', 'lavfi', '-i', 'testsrc2=s=640x480:r=25:d=5'];
  const coding = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', '-c:a', 'aac'];
  ffmpeg(...clip, ...tone, ...coding, '-shortest', join(media, 'clip.mp4'));
}, 60_000);
afterAll(async () => {
  rmSync(media, { recursive: true });
  await database.close();
});
beforeEach(async () => {
  rmSync(database.deps.paths.exports, { recursive: true, force: true });
  me = await seed(database).user();
});

function ffmpeg(...words: string[]): string {
  const { exitCode, stderr } = Bun.spawnSync(['ffmpeg', '-nostdin', '-y', '-v', 'info', ...words]);
  expect(exitCode).toBe(0);
  return stderr.toString();
}
const fileBytes = (name: string) => Bun.file(join(media, name)).bytes();

/** Adds an asset with a preview, as the server renders it. */
async function add(name: string, preview = name, over: object = {}): Promise<string> {
  const bytes = new Uint8Array([
    ...(await fileBytes(name)),
    ...crypto.getRandomValues(new Uint8Array(8)),
  ]);
  const id = await addFile(database, { name, bytes }, { ownerId: me.id, ...over });
  const stored = derivedName(id, 'preview', 'jpg');
  const path = join(database.deps.paths.derived, stored);
  await mkdir(dirname(path), { recursive: true });
  await Bun.write(path, await fileBytes(preview));
  await database.sql`
    insert into asset_file (asset_id, kind, name, mime_type, size, tag)
    values (${id}, 'preview', ${stored}, 'image/jpeg', 1, 'tag')`;
  return id;
}
const addClip = (over: object = {}) =>
  add('clip.mp4', 'wide.jpg', { type: 'VIDEO', durationMs: 5000, ...over });

async function queue(
  assetIds: readonly string[],
  name = 'A day: at the sea, 100%',
): Promise<string> {
  const memory = await addMemory(database, { ownerId: me.id, type: 'custom', name }, assetIds);
  const { status, body } = await call(app, `POST /memories/${memory}/exports`, { as: me });
  expect(status).toBe(201);
  return body.id;
}
async function run(exportId: string, signal = new AbortController().signal): Promise<void> {
  const effect = await handleExportFilm(jobCtx(database, { signal }), { exportId });
  const after = await database.db.transaction(async (tx) => effect?.(tx));
  await after?.();
}
const get = async (id: string) => (await call(app, `GET /memories/exports/${id}`, { as: me })).body;
const files = () =>
  existsSync(database.deps.paths.exports) ? readdirSync(database.deps.paths.exports) : [];
const filmPath = (id: string) => join(database.deps.paths.exports, `${id}.mp4`);

function probe(path: string): any {
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
    streams.find((stream: any) => stream.codec_type === type),
  );
  expect(video).toMatchObject({
    codec_name: 'h264',
    profile: 'High',
    pix_fmt: 'yuv420p',
    width: 1920,
    height: 1080,
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

describe('a film', () => {
  test('ST-018, ST-019, ST-021: shows pictures and videos with sound, and is saved once', async () => {
    const face = await add('classic.jpg');
    await addFace(database, { ownerId: me.id, assetId: face, x1: 0.6, y1: 0.2, x2: 0.7, y2: 0.4 });
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
    checkFilm(filmPath(id));
    expect(files()).toEqual([`${id}.mp4`]);
    const reply = await send(app, `GET /memories/exports/${id}/download`, {
      as: me,
      headers: { range: 'bytes=4-7' },
    });
    expect(reply.status).toBe(206);
    expect(reply.headers.get('content-type')).toBe('video/mp4');
    expect(await reply.text()).toBe('ftyp');
    // The index lies before the pictures.
    const head = Buffer.from(await Bun.file(filmPath(id)).slice(0, 200_000).arrayBuffer());
    expect(head.indexOf('moov')).toBeGreaterThan(0);
    expect(head.indexOf('moov')).toBeLessThan(head.indexOf('mdat'));

    const listed = async () => {
      const { body } = await call(app, 'POST /search/metadata', { as: me, body: { size: 100 } });
      const { body: counted } = await call(app, 'GET /assets/statistics', { as: me });
      const months = (await call(app, 'GET /timeline/buckets', { as: me })).body;
      const shown = months.reduce((sum: number, { count }: { count: number }) => sum + count, 0);
      return [body.assets.items.map((one: any) => one.id), counted.total, shown];
    };
    const [before, ...counts] = await listed();
    expect(new Set(before)).toEqual(new Set(ids));
    expect(counts).toEqual([4, 4]);
    const save = () => call(app, `POST /memories/exports/${id}/library`, { as: me });
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
    await call(app, `DELETE /memories/exports/${id}`, { as: me });
    const original = await send(app, `GET /assets/${libraryAssetId}/original`, {
      as: me,
    });
    expect(original.status).toBe(200);
    expect(files()).toEqual([]);
  }, 240_000);

  test('ST-020: goes with its memory unless it was saved', async () => {
    const id = await queue([await add('wide.jpg')]);
    await Bun.write(filmPath(id), 'film');
    await database.sql`
      update memory_export set status = 'completed', size = 4, file_name = 'a.mp4',
        finished_at = ${NOW.toISOString()} where id = ${id}`;
    const { memoryId } = await get(id);
    await call(app, `DELETE /memories/${memoryId}`, { as: me });
    await handleCleanExports(jobCtx(database), {});
    expect((await call(app, `GET /memories/exports/${id}`, { as: me })).status).toBe(404);
    expect(files()).toEqual([]);
    const [row] =
      await database.sql`select count(*)::int as count from asset where owner_id = ${me.id}`;
    expect(row!['count']).toBe(1);
  }, 240_000);

  test('goes on behind the parts that an interrupted run has finished', async () => {
    const id = await queue([await add('wide.jpg'), await addClip()]);
    const controller = new AbortController();
    const stopped = run(id, controller.signal).catch((error: unknown) => error);
    const folder = join(database.deps.paths.exports, `${id}.work`);
    const parts = () =>
      (existsSync(folder) ? readdirSync(folder) : []).filter((name) => name.endsWith('.mp4'));
    while (parts().length < 1) await Bun.sleep(20);
    controller.abort(new Error('stopped'));
    expect(await stopped).toBeInstanceOf(Error);
    expect(await get(id)).toMatchObject({ status: 'running' });
    const { lastModified } = Bun.file(join(folder, 'part-000.mp4'));
    const running = run(id);
    while (parts().length < 2) await Bun.sleep(20);
    expect(Bun.file(join(folder, 'part-000.mp4')).lastModified).toBe(lastModified);
    await running;
    checkFilm(filmPath(id));
    expect(files()).toEqual([`${id}.mp4`]);
  }, 240_000);

  test('a cancelled run stops at its next item and leaves nothing', async () => {
    const id = await queue([await add('wide.jpg'), await add('tall.jpg')]);
    const running = run(id);
    while ((await get(id)).status !== 'running') await Bun.sleep(5);
    expect((await call(app, `POST /memories/exports/${id}/cancel`, { as: me })).body.status).toBe(
      'cancelling',
    );
    await running;
    expect(await get(id)).toMatchObject({ status: 'cancelled', isDownloadable: false });
    expect(files()).toEqual([]);
  }, 240_000);

  test('leaves out what is locked, trashed or broken, and fails when nothing is left', async () => {
    const locked = await add('wide.jpg', 'wide.jpg', { lockedAt: NOW });
    const trashed = await add('wide.jpg', 'wide.jpg', { trashedAt: NOW });
    const id = await queue([locked, trashed]);
    await run(id);
    expect(await get(id)).toMatchObject({
      status: 'failed',
      error: 'None of the items can be shown in a film',
    });
    expect(files()).toEqual([]);
  });
});
