import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  call,
  type Caller,
  NOW,
  seed,
  send,
  testApp,
  type TestDatabase,
  testDatabase,
  type TestUser,
} from '../../../../test/support/harness.ts';
import { addMemory } from '../../../../test/support/memories.ts';
import { addFile, jobCtx } from '../../../../test/support/processing.ts';
import type { App } from '../../../app.ts';
import { sha256 } from '../../../core/hash.ts';
import { originalPath } from '../../../core/paths.ts';
import type { JobCtx } from '../../../jobs/define.ts';
import { handleExportArchive } from './archive.handlers.ts';
import { handleCleanExports } from './clean.handlers.ts';

let database: TestDatabase;
let app: App;
let me: TestUser;
let photo: string;
let other: string;
let memory: string;
beforeAll(async () => {
  database = await testDatabase();
  app = testApp(database);
});
afterAll(() => database.close());
beforeEach(async () => {
  rmSync(database.deps.paths.exports, { recursive: true, force: true });
  me = await seed(database).user();
  photo = await add('a.jpg', 'first');
  other = await add('a.jpg', 'second');
  memory = await addMemory(database, { ownerId: me.id, type: 'custom', name: 'Our/trip' }, [
    photo,
    other,
  ]);
});

const add = (name: string, text: string, over: object = {}) =>
  addFile(database, { name, bytes: Buffer.from(text) }, { ownerId: me.id, ...over });
const create = (body: object | undefined = { kind: 'archive' }, caller: Caller = { as: me }) =>
  call(app, `POST /memories/${memory}/exports`, { ...caller, body });
const get = async (id: string, caller: Caller = { as: me }) =>
  (await call(app, `GET /memories/exports/${id}`, caller)).body;
const download = (id: string, caller: Caller = { as: me }) =>
  send(app, `GET /memories/exports/${id}/download`, caller);
const cancel = (id: string, caller: Caller = { as: me }) =>
  call(app, `POST /memories/exports/${id}/cancel`, caller);
const files = () =>
  existsSync(database.deps.paths.exports) ? readdirSync(database.deps.paths.exports) : [];

/** Runs the job of an archive to its end, as the queue does. */
async function run(exportId: string, over: Partial<JobCtx> = {}): Promise<void> {
  const effect = await handleExportArchive(jobCtx(database, over), { exportId });
  const after = await database.db.transaction(async (tx) => effect?.(tx));
  await after?.();
}
async function complete(): Promise<string> {
  const { body } = await create();
  await run(body.id);
  return body.id;
}
const setStatus = (id: string, status: string) =>
  database.sql`update memory_export set status = ${status} where id = ${id}`;

/** Unpacks an archive with the tool of the system, which checks it. */
function unpack(bytes: Uint8Array): Record<string, string> {
  const folder = mkdtempSync(join(tmpdir(), 'safelight-zip-'));
  const path = join(folder, 'a.zip');
  writeFileSync(path, bytes);
  const { exitCode, stdout } = Bun.spawnSync([
    'python3',
    '-c',
    'import sys,zipfile,json; z=zipfile.ZipFile(sys.argv[1]); assert z.testzip() is None; ' +
      'print(json.dumps({n: z.read(n).decode() for n in z.namelist()}))',
    path,
  ]);
  rmSync(folder, { recursive: true });
  expect(exitCode).toBe(0);
  return JSON.parse(stdout.toString());
}

describe('an archive', () => {
  test('contains the originals under unique names and can be downloaded in ranges', async () => {
    const { status, body } = await create();
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.any(String),
      memoryId: memory,
      kind: 'archive',
      status: 'queued',
      total: 2,
      processed: 0,
      skipped: 0,
      fileName: null,
      sizeInBytes: null,
      isDownloadable: false,
      canSaveToLibrary: false,
      libraryAssetId: null,
      createdAt: NOW.toISOString(),
      startedAt: null,
      finishedAt: null,
      expiresAt: null,
      error: null,
    });
    expect((await download(body.id)).status).toBe(404);
    await run(body.id);
    const done = await get(body.id);
    expect(done).toMatchObject({
      status: 'completed',
      processed: 2,
      skipped: 0,
      fileName: 'Our-trip.zip',
      isDownloadable: true,
      canSaveToLibrary: false,
      expiresAt: new Date(NOW.getTime() + 7 * 86_400_000).toISOString(),
    });
    const response = await download(body.id);
    expect(response.headers.get('content-type')).toBe('application/zip');
    expect(response.headers.get('content-disposition')).toContain('Our-trip.zip');
    expect(response.headers.get('cache-control')).toBe('private, no-store');
    const bytes = await response.bytes();
    expect(bytes.length).toBe(done.sizeInBytes);
    expect(unpack(bytes)).toEqual({ 'a.jpg': 'first', 'a+1.jpg': 'second' });
    const part = await download(body.id, { as: me, headers: { range: 'bytes=0-3' } });
    expect(part.status).toBe(206);
    expect(await part.bytes()).toEqual(bytes.slice(0, 4));
    expect(files()).toEqual([`${body.id}.zip`]);
    expect(statSync(database.deps.paths.exports).mode & 0o777).toBe(0o700);
    const notices = await database.sql`
      select data ->> 'kind' as kind, data ->> 'exportId' as id from notification
      where owner_id = ${me.id}`;
    expect([...notices]).toEqual([{ kind: 'exportReady', id: body.id }]);
  });

  test('leaves out locked and trashed items and those without a file', async () => {
    const locked = await add('locked.jpg', 'secret', { lockedAt: NOW });
    const trashed = await add('trashed.jpg', 'rubbish', { trashedAt: NOW });
    const lost = await add('lost.jpg', 'lost');
    const later = await add('later.jpg', 'locked later');
    memory = await addMemory(database, { ownerId: me.id, type: 'custom', name: 'x' }, [
      photo,
      locked,
      trashed,
      lost,
      later,
    ]);
    rmSync(originalPath(database.deps.paths, sha256('lost')));
    const { body } = await create();
    expect(body.total).toBe(3);
    await run(body.id);
    expect(await get(body.id)).toMatchObject({ status: 'completed', processed: 2, skipped: 1 });
    expect(unpack(await (await download(body.id)).bytes())).toEqual({
      'a.jpg': 'first',
      'later.jpg': 'locked later',
    });
  });

  test('contains the video of a live photo', async () => {
    const video = await add('a.mov', 'moving', { visibility: 'hidden', type: 'VIDEO' });
    const live = await add('live.heic', 'still', { liveVideoId: video });
    memory = await addMemory(database, { ownerId: me.id, type: 'custom', name: 'x' }, [live]);
    const id = await complete();
    expect(await get(id)).toMatchObject({ total: 1, processed: 1 });
    expect(unpack(await (await download(id)).bytes())).toEqual({
      'live.heic': 'still',
      'a.mov': 'moving',
    });
  });

  test('fails with a text when nothing can be exported, and tells the owner', async () => {
    const { body } = await create();
    await database.sql`update asset set locked_at = now() where owner_id = ${me.id}`;
    await run(body.id);
    expect(await get(body.id)).toMatchObject({
      status: 'failed',
      isDownloadable: false,
      error: 'None of the items can be exported any more',
    });
    expect(files()).toEqual([]);
    const notices = await database.sql`
      select data ->> 'kind' as kind from notification where owner_id = ${me.id}`;
    expect([...notices]).toEqual([{ kind: 'jobFailed' }]);
  });

  test('is refused with 507 when the disk has no space for it', async () => {
    const settings = { ...database.deps.settings, reserveBytes: 2 ** 60 };
    const full = testApp(database, { settings });
    const reply = await call(full, `POST /memories/${memory}/exports`, {
      as: me,
      body: { kind: 'archive' },
    });
    expect(reply.status).toBe(507);
    expect(reply.body.message).toMatch(/needs 1 MiB of disk space, and 0 MiB are free/);
    expect((await call(app, 'GET /memories/exports', { as: me })).body).toEqual([]);
  });
});

test('EP-029: own exports are listed newest first, of all memories or of one', async () => {
  const first = (await create()).body.id;
  const firstMemory = memory;
  memory = await addMemory(database, { ownerId: me.id, type: 'custom', name: 'b' }, [photo]);
  await database.sql`update memory_export set created_at = created_at - interval '1 hour'`;
  const second = (await create()).body.id;
  const stranger = await seed(database).user();
  const ids = async (query = '', as = me) =>
    (await call(app, `GET /memories/exports${query}`, { as })).body.map((one: any) => one.id);
  expect(await ids()).toEqual([second, first]);
  expect(await ids(`?memoryId=${firstMemory}`)).toEqual([first]);
  expect(await ids('', stranger)).toEqual([]);
  expect(await ids(`?memoryId=${firstMemory}`, stranger)).toEqual([]);
});

test('EP-030: a film is the default, one run of a kind at a time, and locked items are left out', async () => {
  const locked = await add('locked.jpg', 'secret', { lockedAt: NOW });
  memory = await addMemory(database, { ownerId: me.id, type: 'custom', name: 'b' }, [
    photo,
    locked,
  ]);
  const headers = { 'accept-language': 'pt-BR' };
  const { status, body } = await call(app, `POST /memories/${memory}/exports`, { as: me, headers });
  expect(status).toBe(201);
  expect(body).toMatchObject({ kind: 'highlight-video', status: 'queued', total: 1 });
  const again = await call(app, `POST /memories/${memory}/exports`, { as: me });
  expect(again.status).toBe(201);
  expect(again.body.id).toBe(body.id);
  const archive = (await create()).body;
  expect(archive.id).not.toBe(body.id);
  const [row] = await database.sql`select language from memory_export where id = ${body.id}`;
  expect(row!['language']).toBe('pt-BR');
  await run(archive.id);
  expect(unpack(await (await download(archive.id)).bytes())).toEqual({ 'a.jpg': 'first' });
  const both = await Promise.all([create(), create(), create()]);
  expect(new Set(both.map((reply) => reply.body.id)).size).toBe(1);
});

test('only the owner of a memory exports it, and a deleted one cannot be', async () => {
  const stranger = await seed(database).user();
  const weak = await seed(database).user(['memory.read']);
  const foreign = await create({ kind: 'archive' }, { as: stranger });
  const original = memory;
  memory = crypto.randomUUID();
  const unknown = await create({ kind: 'archive' }, { as: stranger });
  expect(foreign.status).toBe(400);
  expect({ ...foreign.body, correlationId: 0 }).toEqual({ ...unknown.body, correlationId: 0 });
  memory = original;
  expect((await create({ kind: 'archive' }, { as: weak })).status).toBe(403);
  expect((await create({ kind: 'gif' })).status).toBe(400);
  await call(app, `DELETE /memories/${memory}`, { as: me });
  expect((await create()).status).toBe(400);
});

describe('cancelling', () => {
  test('ST-013: a queued run is cancelled at once and never starts', async () => {
    const { id } = (await create()).body;
    const { status, body } = await cancel(id);
    expect(status).toBe(200);
    expect(body).toMatchObject({ status: 'cancelled', startedAt: null });
    await run(id);
    expect(await get(id)).toEqual(body);
    expect(files()).toEqual([]);
  });

  test('ST-014: a running run stops at its next asset and leaves no file', async () => {
    const ids: string[] = [];
    for (let n = 0; n < 200; n++) ids.push(await add(`${n}.jpg`, `content ${n}`));
    memory = await addMemory(database, { ownerId: me.id, type: 'custom', name: 'x' }, ids);
    const { id } = (await create()).body;
    const running = run(id);
    while ((await get(id)).processed === 0) await Bun.sleep(1);
    const { status, body } = await cancel(id);
    expect(status).toBe(200);
    expect(body.status).toBe('cancelling');
    await running;
    const { processed, ...ended } = await get(id);
    expect(ended).toMatchObject({ status: 'cancelled', total: 200, isDownloadable: false });
    expect(processed).toBeLessThan(200);
    expect((await download(id)).status).toBe(404);
    expect(files()).toEqual([]);
  });

  test('ST-015: a completed run is returned as it is and can still be downloaded', async () => {
    const id = await complete();
    const before = await get(id);
    expect((await cancel(id)).body).toEqual(before);
    expect((await download(id)).status).toBe(200);
  });

  test('at the last moment leaves no file', async () => {
    const { id } = (await create()).body;
    const effect = await handleExportArchive(jobCtx(database), { exportId: id });
    expect((await cancel(id)).body.status).toBe('cancelling');
    const after = await database.db.transaction(async (tx) => effect?.(tx));
    await after?.();
    expect(await get(id)).toMatchObject({ status: 'cancelled', isDownloadable: false });
    expect(files()).toEqual([]);
  });
});

describe('deleting', () => {
  test('ST-016: a running run is gone with its file', async () => {
    const { id } = (await create()).body;
    const effect = await handleExportArchive(jobCtx(database), { exportId: id });
    expect(files()).toEqual([`${id}.zip`]);
    expect((await call(app, `DELETE /memories/exports/${id}`, { as: me })).status).toBe(204);
    const after = await database.db.transaction(async (tx) => effect?.(tx));
    await after?.();
    await run(id);
    expect((await call(app, `GET /memories/exports/${id}`, { as: me })).status).toBe(404);
    expect((await download(id)).status).toBe(404);
    expect(files()).toEqual([]);
  });

  test('ST-017: a completed run is gone with its file', async () => {
    const id = await complete();
    expect((await call(app, `DELETE /memories/exports/${id}`, { as: me })).status).toBe(204);
    expect((await call(app, `GET /memories/exports/${id}`, { as: me })).status).toBe(404);
    expect(files()).toEqual([]);
    expect((await call(app, `DELETE /memories/exports/${id}`, { as: me })).status).toBe(404);
  });

  test('a memory takes its exports and their files along', async () => {
    const id = await complete();
    await call(app, `DELETE /memories/${memory}`, { as: me });
    expect((await call(app, `GET /memories/exports/${id}`, { as: me })).status).toBe(404);
    expect((await download(id)).status).toBe(404);
    const [job] = await database.sql`
      select 1 from job where name = 'memories.cleanExports' and state = 'waiting'`;
    expect(job).toBeDefined();
    await handleCleanExports(jobCtx(database), {});
    expect(files()).toEqual([]);
  });
});

test('ST-022: an archive, or a run that is not completed, is not saved to the library', async () => {
  const id = await complete();
  const film = (await create({})).body.id;
  for (const one of [id, film]) {
    const reply = await call(app, `POST /memories/exports/${one}/library`, { as: me });
    expect(reply.status).toBe(400);
    expect(reply.body.code).toBe('invalid_state');
  }
});

test('ST-023: an export of somebody else answers as an unknown one', async () => {
  const id = await complete();
  const caller = { as: await seed(database).user(['all'], { isAdmin: true }) };
  const routes = (one: string) =>
    [
      `GET /memories/exports/${one}`,
      `GET /memories/exports/${one}/download`,
      `POST /memories/exports/${one}/cancel`,
      `POST /memories/exports/${one}/library`,
      `DELETE /memories/exports/${one}`,
    ] as const;
  const unknown = routes(crypto.randomUUID());
  for (const [index, route] of routes(id).entries()) {
    const [theirs, none] = [
      await call(app, route, caller),
      await call(app, unknown[index]!, caller),
    ];
    expect(theirs.status).toBe(404);
    expect({ ...theirs.body, correlationId: 0 }).toEqual({ ...none.body, correlationId: 0 });
    expect((await call(app, route)).status).toBe(401);
  }
  expect((await download(id)).status).toBe(200);
});

test('ST-024: an expired run has no file any more', async () => {
  const id = await complete();
  const later = testApp(database, { now: () => new Date(NOW.getTime() + 7 * 86_400_000) });
  const { body } = await call(later, `GET /memories/exports/${id}`, { as: me });
  expect(body).toMatchObject({ status: 'expired', isDownloadable: false });
  expect((await send(later, `GET /memories/exports/${id}/download`, { as: me })).status).toBe(404);
  expect(files()).toEqual([]);
});

describe('the hourly job', () => {
  test('expires runs, ends those without a job, and deletes files without a row', async () => {
    const expired = await complete();
    const kept = await addMemory(database, { ownerId: me.id, type: 'custom', name: 'k' }, [photo]);
    await database.sql`update memory_export set expires_at = now() - interval '30 years'`;
    memory = kept;
    const whole = await complete();
    const lost = (await create({})).body.id;
    await database.sql`delete from job`;
    await setStatus(lost, 'running');
    const { paths } = database.deps;
    await Bun.write(join(paths.exports, `${crypto.randomUUID()}.zip`), 'x');
    await Bun.write(join(paths.exports, `${whole}.part`), 'x');
    await Bun.write(join(paths.exports, `${lost}.work`, 'segment'), 'x');
    await handleCleanExports(jobCtx(database), {});
    expect(files()).toEqual([`${whole}.zip`]);
    expect(await get(expired)).toMatchObject({ status: 'expired' });
    expect(await get(lost)).toMatchObject({
      status: 'failed',
      error: 'The export was interrupted',
    });
    expect((await download(whole)).status).toBe(200);
  });
});
