import { describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createArchiveExportTests } from '../../../../test/support/exported-archives.ts';
import { call, NOW, seed, testApp } from '../../../../test/support/harness.ts';
import { sha256 } from '../../../core/hash.ts';
import { originalPath } from '../../../storage/stored-file.ts';

const library = createArchiveExportTests();
const { add, complete, create, download, get, listFiles, run, setMemory } = library;

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
      memoryId: library.memory,
      kind: 'archive',
      format: null,
      music: null,
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
    const part = await download(body.id, { as: library.me, headers: { range: 'bytes=0-3' } });
    expect(part.status).toBe(206);
    expect(await part.bytes()).toEqual(bytes.slice(0, 4));
    expect(listFiles()).toEqual([`${body.id}.zip`]);
    expect(statSync(library.database.deps.paths.exports).mode & 0o777).toBe(0o700);
    const notices = await library.database.sql`
      select data ->> 'kind' as kind, data ->> 'exportId' as id from notification
      where owner_id = ${library.me.id}`;
    expect([...notices]).toEqual([{ kind: 'exportReady', id: body.id }]);
  });

  test('leaves out locked and trashed items and those without a file', async () => {
    const locked = await add('locked.jpg', 'secret', { lockedAt: NOW });
    const trashed = await add('trashed.jpg', 'rubbish', { trashedAt: NOW });
    const lost = await add('lost.jpg', 'lost');
    const later = await add('later.jpg', 'locked later');
    await setMemory([library.photo, locked, trashed, lost, later]);
    rmSync(originalPath(library.database.deps.paths, sha256('lost')));
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
    await setMemory([live]);
    const id = await complete();
    expect(await get(id)).toMatchObject({ total: 1, processed: 1 });
    expect(unpack(await (await download(id)).bytes())).toEqual({
      'live.heic': 'still',
      'a.mov': 'moving',
    });
  });

  test('fails with a text when nothing can be exported, and tells the owner', async () => {
    const { body } = await create();
    await library.database
      .sql`update asset set locked_at = now() where owner_id = ${library.me.id}`;
    await run(body.id);
    expect(await get(body.id)).toMatchObject({
      status: 'failed',
      isDownloadable: false,
      error: 'None of the items can be exported any more',
    });
    expect(listFiles()).toEqual([]);
    const notices = await library.database.sql`
      select data ->> 'kind' as kind from notification where owner_id = ${library.me.id}`;
    expect([...notices]).toEqual([{ kind: 'jobFailed' }]);
  });

  test('is refused with 507 when the disk has no space for it', async () => {
    const settings = { ...library.database.deps.settings, reserveBytes: 2 ** 60 };
    const full = testApp(library.database, { settings });
    const reply = await call(full, `POST /memories/${library.memory}/exports`, {
      as: library.me,
      body: { kind: 'archive' },
    });
    expect(reply.status).toBe(507);
    expect(reply.body.message).toMatch(/needs 1 MiB of disk space, and 0 MiB are free/);
    expect((await call(library.app, 'GET /memories/exports', { as: library.me })).body).toEqual([]);
  });
});

test('EP-029: own exports are listed newest first, of all memories or of one', async () => {
  const first = (await create()).body.id;
  const firstMemory = library.memory;
  await setMemory([library.photo]);
  await library.database.sql`update operation set created_at = created_at - interval '1 hour'`;
  const second = (await create()).body.id;
  const stranger = await seed(library.database).user();
  const ids = async (query = '', as = library.me) =>
    (await call(library.app, `GET /memories/exports${query}`, { as })).body.map(
      (one: { id: string }) => one.id,
    );
  expect(await ids()).toEqual([second, first]);
  expect(await ids(`?memoryId=${firstMemory}`)).toEqual([first]);
  expect(await ids('', stranger)).toEqual([]);
  expect(await ids(`?memoryId=${firstMemory}`, stranger)).toEqual([]);
});

test('EP-030: a film is the default, one run of a kind at a time, and locked items are left out', async () => {
  const locked = await add('locked.jpg', 'secret', { lockedAt: NOW });
  await setMemory([library.photo, locked]);
  const headers = { 'accept-language': 'pt-BR' };
  const { status, body } = await call(library.app, `POST /memories/${library.memory}/exports`, {
    as: library.me,
    headers,
  });
  expect(status).toBe(201);
  expect(body).toMatchObject({ kind: 'highlight-video', status: 'queued', total: 1 });
  const again = await call(library.app, `POST /memories/${library.memory}/exports`, {
    as: library.me,
  });
  expect(again.status).toBe(201);
  expect(again.body.id).toBe(body.id);
  const archive = (await create()).body;
  expect(archive.id).not.toBe(body.id);
  const [row] = await library.database
    .sql`select payload ->> 'language' as language from operation where id = ${body.id}`;
  expect(row!['language']).toBe('pt-BR');
  await run(archive.id);
  expect(unpack(await (await download(archive.id)).bytes())).toEqual({ 'a.jpg': 'first' });
  const both = await Promise.all([create(), create(), create()]);
  expect(new Set(both.map((reply) => reply.body.id)).size).toBe(1);
});

test('only the owner of a memory exports it, and a deleted one cannot be', async () => {
  const stranger = await seed(library.database).user();
  const weak = await seed(library.database).user(['memory.read']);
  const foreign = await create({ kind: 'archive' }, { as: stranger });
  const original = library.memory;
  library.memory = crypto.randomUUID();
  const unknown = await create({ kind: 'archive' }, { as: stranger });
  expect(foreign.status).toBe(400);
  expect({ ...foreign.body, correlationId: 0 }).toEqual({ ...unknown.body, correlationId: 0 });
  library.memory = original;
  expect((await create({ kind: 'archive' }, { as: weak })).status).toBe(403);
  expect((await create({ kind: 'gif' })).status).toBe(400);
  await call(library.app, `DELETE /memories/${library.memory}`, { as: library.me });
  expect((await create()).status).toBe(400);
});

test('ST-022: an archive, or a run that is not completed, is not saved to the library', async () => {
  const id = await complete();
  const film = (await create({})).body.id;
  for (const one of [id, film]) {
    const reply = await call(library.app, `POST /memories/exports/${one}/library`, {
      as: library.me,
    });
    expect(reply.status).toBe(400);
    expect(reply.body.code).toBe('invalid_state');
  }
});

test('ST-023: an export of somebody else answers as an unknown one', async () => {
  const id = await complete();
  const caller = { as: await seed(library.database).user(['all'], { isAdmin: true }) };
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
      await call(library.app, route, caller),
      await call(library.app, unknown[index]!, caller),
    ];
    expect(theirs.status).toBe(404);
    expect({ ...theirs.body, correlationId: 0 }).toEqual({ ...none.body, correlationId: 0 });
    expect((await call(library.app, route)).status).toBe(401);
  }
  expect((await download(id)).status).toBe(200);
});
