import { afterEach, beforeEach, expect, test } from 'bun:test';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { appendFile, readFile, rm } from 'node:fs/promises';
import { useArchiveMoves } from '../../../../test/support/archive-moves.ts';
import { useApp } from '../../../../test/support/database.ts';
import { randomFileBytes } from '../../../../test/support/forms.ts';
import { call, NOW, seed, type TestUser } from '../../../../test/support/harness.ts';
import { jobCtx } from '../../../../test/support/processing.ts';
import { makeZip } from '../../../../test/support/zips.ts';
import { isMachineFault } from '../../../jobs/machine-faults.ts';
import { JobPostponed } from '../../../jobs/postpone.ts';
import { openStaging } from '../../../staging/staging.ts';
import { handleRunMoveIn } from '../run.handlers.ts';
import { getMoveFolder, getPartPath } from './files.ts';
import { handleRemoveArchives } from './remove.handlers.ts';

// An account takes in ZIP files of its own computer.

const used = await useApp();
const { database, app } = used;
const { sql } = database;
const { paths } = database.deps;
const { announce, send, start, run, read } = useArchiveMoves(used);
let me: TestUser;

beforeEach(async () => {
  me = await seed(database).user(['all']);
});
afterEach(async () => {
  await sql`delete from operation`;
  await sql`delete from job`;
});

const ROOT = 'Takeout/Google Photos';
/** An export whose album is in another part than its photo. */
const TAKEOUT = [
  {
    name: 'takeout-20250203T101010Z-001.zip',
    bytes: makeZip(
      [
        { name: `${ROOT}/Photos from 2020/a.jpg`, content: randomFileBytes(1000), isStored: true },
        { name: `${ROOT}/Rome/b.jpg`, content: randomFileBytes(500) },
        { name: 'Takeout/archive_browser.html', content: '<html>' },
      ],
      { isZip64: true },
    ),
  },
  {
    name: 'takeout-20250203T101010Z-002.zip',
    bytes: makeZip(
      [
        {
          name: `${ROOT}/Photos from 2020/a.jpg.supplemental-metadata.json`,
          content: { title: 'a.jpg', photoTakenTime: { timestamp: '1583020800' }, favorited: true },
        },
        { name: `${ROOT}/Rome/metadata.json`, content: { title: 'Roma' } },
      ],
      { isZip64: true },
    ),
  },
];
const listAssets = async ({ id }: TestUser) => [
  ...(await sql`select file_name, is_favorite, (select array_agg(name) from album_asset
      join album on album.id = album_id where asset_id = asset.id) as albums
    from asset where owner_id = ${id} order by file_name`),
];

test('parts are uploaded, unpacked together, checked, taken in and removed', async () => {
  const { status, body } = await announce(me, TAKEOUT);
  const sizes = TAKEOUT.map(({ name, bytes }) => ({ name, size: bytes.length }));
  expect([status, body]).toMatchObject([
    201,
    {
      status: 'waiting',
      url: null,
      path: null,
      archives: { phase: 'upload', parts: sizes.map((part) => ({ ...part, received: 0 })) },
    },
  ]);
  const { id } = body;
  expect((await start(me, id)).body.code).toBe('archives_incomplete');
  for (const [at, { bytes }] of TAKEOUT.entries()) {
    const sent = await send(me, `${id}/archives/${at}`, bytes);
    expect([sent.status, sent.headers.get('upload-offset')]).toEqual([204, `${bytes.length}`]);
  }
  expect((await start(me, id)).body).toMatchObject({ status: 'queued' });
  await run(id);
  expect(await read(me, id)).toMatchObject({
    status: 'waiting',
    program: 'takeout',
    archives: { phase: 'import', unpacked: 1 },
    found: { photos: 2, videos: 0, albums: 1, bytes: 1500 },
    fitsQuota: true,
    fitsDisk: true,
    failures: 0,
  });
  expect(await listAssets(me)).toEqual([]);
  expect(existsSync(getPartPath(paths, id, 0))).toBe(false);
  expect((await start(me, id)).body).toMatchObject({ status: 'queued' });
  await run(id);
  expect(await read(me, id)).toMatchObject({ status: 'completed', taken: 2, failures: 0 });
  expect(await listAssets(me)).toEqual([
    { file_name: 'a.jpg', is_favorite: true, albums: null },
    { file_name: 'b.jpg', is_favorite: false, albums: ['Roma'] },
  ]);
  expect(existsSync(getMoveFolder(paths, id))).toBe(false);
});

test('a wrong offset is told the right one, and a lost connection loses nothing that was counted', async () => {
  const [zip] = TAKEOUT;
  const { id } = (await announce(me, TAKEOUT)).body;
  const { bytes } = zip!;
  const path = `${id}/archives/0`;
  expect((await send(me, path, bytes.subarray(0, 100))).headers.get('upload-offset')).toBe('100');
  for (const offset of [0, 99, 101]) {
    const { status, headers, body } = await send(me, path, bytes.subarray(0, 10), offset);
    expect([status, headers.get('upload-offset'), body.code]).toEqual([
      409,
      '100',
      'upload_offset_mismatch',
    ]);
  }
  // Bytes behind those that were counted came from a process that died.
  await appendFile(getPartPath(paths, id, 0), 'left by a crash');
  const rest = await send(me, path, bytes.subarray(100), 100);
  expect([rest.status, rest.headers.get('upload-offset')]).toEqual([204, String(bytes.length)]);
  expect(Buffer.compare(await readFile(getPartPath(paths, id, 0)), bytes)).toBe(0);
  expect((await send(me, path, Buffer.from('x'), bytes.length)).status).toBe(400);
  // The disk has lost them: they come again.
  await rm(getPartPath(paths, id, 0));
  const lost = await send(me, path, Buffer.from('x'), bytes.length);
  expect([lost.status, lost.headers.get('upload-offset')]).toEqual([409, '0']);
  expect((await read(me, id)).archives.parts[0].received).toBe(0);
  for (const offset of ['', '-1', 'x'])
    expect((await send(me, path, bytes, offset)).status).toBe(400);
  expect((await send(me, `${id}/archives/2`, bytes)).status).toBe(404);
});

test('needs room when it is announced, and says how much is missing', async () => {
  const [{ bytes }] = TAKEOUT as [(typeof TAKEOUT)[0]];
  const poor = await seed(database).user(['all'], { quotaBytes: bytes.length - 7 });
  const over = await announce(poor, [{ name: 'a.zip', bytes }]);
  expect([over.status, over.body]).toMatchObject([
    413,
    { code: 'quota_exceeded', message: 'The storage quota lacks 7 bytes for these files' },
  ]);
  const archives = [{ name: 'a.zip', size: 2 ** 42 }];
  const full = await call(app, 'POST /move-ins/archives', { as: me, body: { archives } });
  expect([full.status, full.body.code]).toEqual([507, 'storage_full']);
  expect(full.body.message).toMatch(/^The disk of this server lacks \d+ bytes for these files$/);
});

test('belongs to its account, whose key may upload', async () => {
  const { id } = (await announce(me, TAKEOUT)).body;
  const path = `${id}/archives/0`;
  const other = await seed(database).user(['all'], { isAdmin: true });
  const weak = await seed(database).user(['asset.read']);
  const half = await seed(database).user(['asset.upload']);
  const statuses = [
    (await send(other, path, Buffer.from('x'))).status,
    (await start(other, id)).status,
    (await call(app, `DELETE /move-ins/${id}`, { as: other })).status,
    (await send(weak, path, Buffer.from('x'))).status,
    (await announce(weak, TAKEOUT)).status,
    (await announce(half, TAKEOUT)).status,
    (await call(app, `PATCH /move-ins/${path}`, {})).status,
  ];
  expect(statuses).toEqual([404, 404, 404, 403, 403, 403, 401]);
  expect((await read(me, id)).archives.parts[0].received).toBe(0);
  expect((await announce(me, TAKEOUT)).body.code).toBe('archives_open');
  expect((await announce(other, TAKEOUT)).status).toBe(201);
});

test('what is canceled, or left alone for a week, is removed', async () => {
  const first = (await announce(me, TAKEOUT)).body.id;
  await send(me, `${first}/archives/0`, TAKEOUT[0]!.bytes);
  expect((await call(app, `DELETE /move-ins/${first}`, { as: me })).status).toBe(204);
  expect(existsSync(getMoveFolder(paths, first))).toBe(false);
  const { id } = (await announce(me, TAKEOUT)).body;
  await send(me, `${id}/archives/0`, TAKEOUT[0]!.bytes);
  const clean = (days: number) =>
    handleRemoveArchives(
      jobCtx(database, { now: () => new Date(NOW.getTime() + days * 86_400_000) }),
      {},
    );
  await clean(6.9);
  expect(existsSync(getPartPath(paths, id, 0))).toBe(true);
  await clean(7.1);
  expect(existsSync(getMoveFolder(paths, id))).toBe(false);
  expect(await read(me, id)).toMatchObject({ status: 'expired' });
  expect((await start(me, id)).status).toBe(409);
});

test('waits while the disk has no room to unpack, and blames no file', async () => {
  const { id } = (await announce(me, TAKEOUT)).body;
  for (const [at, { bytes }] of TAKEOUT.entries()) await send(me, `${id}/archives/${at}`, bytes);
  await start(me, id);
  const settings = { ...database.deps.settings, reserveBytes: 2 ** 50 };
  const fault = await run(id, jobCtx(database, { settings })).catch((error: unknown) => error);
  expect(isMachineFault(fault)).toBe(true);
  expect(await read(me, id)).toMatchObject({ status: 'running', reason: null, failures: 0 });
  await run(id);
  expect(await read(me, id)).toMatchObject({
    status: 'waiting',
    failures: 0,
    found: { photos: 2 },
  });
});

test('a pause ends the unpacking, which goes on; files that are gone are told', async () => {
  const { id } = (await announce(me, TAKEOUT)).body;
  for (const [at, { bytes }] of TAKEOUT.entries()) await send(me, `${id}/archives/${at}`, bytes);
  await start(me, id);
  expect((await call(app, `POST /move-ins/${id}/pause`, { as: me })).body.status).toBe('paused');
  await run(id);
  expect(await read(me, id)).toMatchObject({ status: 'paused', archives: { phase: 'unpack' } });
  await start(me, id);
  await rm(getPartPath(paths, id, 1));
  await run(id);
  expect(await read(me, id)).toMatchObject({ status: 'paused', reason: 'archives_missing' });
});

test('is received and unpacked where its files are', async () => {
  const { id } = (await announce(me, TAKEOUT)).body;
  const elsewhere = randomUUID();
  await openStaging(paths);
  await sql`update operation set payload = payload || ${`{"stagingId": "${elsewhere}"}`}::text::jsonb`;
  const path = `${id}/archives/0`;
  expect((await send(me, path, Buffer.from('x'))).status).toBe(503);
  expect((await start(me, id)).status).toBe(503);
  expect(existsSync(getMoveFolder(paths, id))).toBe(false);
  await sql`update operation set state = 'queued'`;
  const settings = { ...database.deps.settings, databaseUrl: 'postgres://shared' };
  const run = handleRunMoveIn(jobCtx(database, { settings }), { operationId: id });
  await expect(run).rejects.toBeInstanceOf(JobPostponed);
  expect((await call(app, `DELETE /move-ins/${id}`, { as: me })).status).toBe(204);
});
