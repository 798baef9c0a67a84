import { beforeAll, beforeEach, expect, test } from 'bun:test';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { useApp } from '../../../test/support/database.ts';
import { call, seed, send, type TestUser } from '../../../test/support/harness.ts';
import { acceptRestoreCode, printRestoreCode } from '../../maintenance/restore-code.ts';
import { readState } from '../../maintenance/state.ts';

const { database, app } = await useApp();
let admin: TestUser;
let folder: string;
beforeAll(() => {
  folder = database.deps.paths.backups;
});
beforeEach(async () => {
  await database.sql`delete from app_user`;
  admin = await seed(database).user(['all'], { isAdmin: true });
  rmSync(folder, { recursive: true, force: true });
  rmSync(database.deps.paths.maintenance, { recursive: true, force: true });
  await database.sql`truncate maintenance_mode`;
  mkdirSync(folder, { recursive: true });
});

function write(name: string, hour = 0, content = 'PGDMP and more'): void {
  writeFileSync(join(folder, name), content);
  const time = new Date(Date.UTC(2026, 0, 1, hour));
  utimesSync(join(folder, name), time, time);
}
const list = (as: TestUser = admin) => call(app, 'GET /admin/database-backups', { as });
const remove = (backups: unknown, as: TestUser = admin) =>
  call(app, 'DELETE /admin/database-backups', { as, body: { backups } });
const download = (name: string, as: TestUser = admin) =>
  send(app, `GET /admin/database-backups/${name}`, { as });

function upload(name: string, content: string | Uint8Array, as: TestUser | undefined = admin) {
  const body = new FormData();
  body.set('file', new Blob([content as string]), name);
  return send(app, 'POST /admin/database-backups/upload', { as, body });
}

test('lists the backups, newest first, and nothing else in the folder', async () => {
  write('safelight-20260101T010000Z.dump', 1);
  write('uploaded-a.dump', 3, 'PGDMP');
  write('safelight-scheduled-20260101T020000Z.dump', 2);
  for (const name of ['notes.txt', 'half.dump.partial', '.hidden.dump']) write(name);
  mkdirSync(join(folder, 'folder.dump'));
  expect((await list()).body).toEqual({
    backups: [
      { filename: 'uploaded-a.dump', filesize: 5, timezone: 'UTC' },
      { filename: 'safelight-scheduled-20260101T020000Z.dump', filesize: 14, timezone: 'UTC' },
      { filename: 'safelight-20260101T010000Z.dump', filesize: 14, timezone: 'UTC' },
    ],
  });
  rmSync(folder, { recursive: true });
  expect((await list()).body).toEqual({ backups: [] });
});

test('downloads a backup, also a part of it', async () => {
  write('a.dump');
  const whole = await download('a.dump');
  expect(whole.headers.get('content-disposition')).toContain('attachment; filename="a.dump"');
  expect([whole.status, await whole.text()]).toEqual([200, 'PGDMP and more']);
  const headers = { range: 'bytes=0-4' };
  const part = await send(app, 'GET /admin/database-backups/a.dump', { as: admin, headers });
  expect([part.status, await part.text()]).toEqual([206, 'PGDMP']);
  expect((await download('b.dump')).status).toBe(404);
});

const NAMES = ['..%2Fstate.json', '%2Fetc%2Fpasswd', '..', 'a.sql.gz', '.a.dump', 'a%00.dump'];
test.each(NAMES)('a file named %p is not read', async (name) => {
  expect([400, 404]).toContain((await download(name)).status);
});

test('deletes all of the given backups, or none', async () => {
  for (const name of ['a.dump', 'b.dump', 'c.dump', 'notes.txt']) write(name);
  expect((await remove(['a.dump', 'none.dump'])).status).toBe(404);
  expect((await remove(['a.dump', 'notes.txt'])).status).toBe(400);
  expect((await remove(['a.dump', '../backups/b.dump'])).status).toBe(400);
  expect(readdirSync(folder)).toHaveLength(4);
  const { status, body } = await remove(['a.dump', 'b.dump']);
  expect([status, body]).toEqual([200, undefined]);
  expect(readdirSync(folder).sort()).toEqual(['c.dump', 'notes.txt']);
});

test('an uploaded backup appears under a name of its own when it is complete', async () => {
  write('a.dump');
  const { status } = await upload('a.dump', 'PGDMP uploaded');
  expect(status).toBe(201);
  expect(readdirSync(folder).sort()).toEqual(['a.dump', 'uploaded-a.dump']);
  expect(readFileSync(join(folder, 'uploaded-a.dump'), 'utf8')).toBe('PGDMP uploaded');
  expect(readFileSync(join(folder, 'a.dump'), 'utf8')).toBe('PGDMP and more');
});

const OWN = `-- PostgreSQL database dump
-- Name: schema_migration; Type: TABLE; Schema: public; Owner: ada
CREATE TABLE public.schema_migration (
COPY public.album (id) FROM stdin;
`;
const NAME = 'immich-db-backup-20260114T184016-v3.2.2-pg17.sql.gz';

test('plain SQL through gzip under the names of Immich is accepted if it is ours, by its content', async () => {
  const uploads: [string, string | Uint8Array][] = [
    [NAME, gzipSync(OWN)],
    ['own.sql', OWN],
    ['renamed.sql.gz', 'PGDMP and more'],
  ];
  for (const [name, bytes] of uploads) expect((await upload(name, bytes)).status).toBe(201);
  const { body } = await list();
  const names = body.backups.map((backup: { filename: string }) => backup.filename).sort();
  expect(names).toEqual(uploads.map(([name]) => `uploaded-${name}`).sort());
  expect((await download(`uploaded-${NAME}`)).status).toBe(200);
  expect((await remove(names)).status).toBe(200);
  expect(readdirSync(folder)).toEqual([]);

  const theirs = OWN.replaceAll('schema_migration', 'system_metadata');
  const refused = await upload(NAME, gzipSync(theirs));
  expect([refused.status, (await refused.json()).message]).toEqual([
    400,
    expect.stringMatching(/^immich-db\S+ is a backup of Immich, .*"safelight import"\.$/),
  ]);
  expect(readdirSync(folder)).toEqual([]);
});

test('an upload that is no dump, has another name or no file leaves nothing', async () => {
  const refused = [
    await upload('a.dump', 'something else'),
    await upload('a.dump', 'PGD'),
    await upload('a.zip', 'PGDMP'),
    await upload('a.sql', 'IM CORRUPTED;'),
    await upload('a.sql.gz', gzipSync('IM CORRUPTED;')),
    await upload('a.sql.gz', Buffer.from([0x1f, 0x8b, 1, 2, 3, 4])),
    await upload('a.sql.gz', gzipSync(OWN).subarray(0, 20)),
    await upload('../../a.dump', 'SQL'),
    await send(app, 'POST /admin/database-backups/upload', { as: admin, body: new FormData() }),
  ];
  expect(refused.map(({ status }) => status)).toEqual(refused.map(() => 400));
  expect(readdirSync(folder)).toEqual([]);
});

test('accounts that are no administrators and keys without the permission are refused', async () => {
  write('a.dump');
  const user = await seed(database).user();
  const key = await seed(database).user(['backup.list'], { isAdmin: true });
  for (const caller of [user, key]) {
    const replies = [
      await list(caller),
      await download('a.dump', caller),
      await remove(['a.dump'], caller),
      await upload('b.dump', 'PGDMP', caller),
    ];
    expect(replies.map(({ status }) => status)).toEqual([403, 403, 403, 403]);
  }
  expect(readdirSync(folder)).toEqual(['a.dump']);
});

test('a restore is started for an existing backup only', async () => {
  write('a.dump');
  const start = (restoreBackupFilename: string) =>
    call(app, 'POST /admin/maintenance', {
      session: admin,
      body: { action: 'restore_database', restoreBackupFilename },
    });
  expect((await start('none.dump')).status).toBe(404);
  expect((await start('../backups/a.dump')).status).toBe(400);
  expect(readState(database.deps.paths)).toBeUndefined();
  expect((await start('a.dump')).status).toBe(201);
  const state = { action: 'restore_database', backup: 'a.dump' };
  expect(readState(database.deps.paths)).toMatchObject(state);
});

const CODE = 'x-safelight-restore-code';
const startRestore = (headers: Record<string, string> = {}) =>
  call(app, 'POST /admin/database-backups/start-restore', { headers });
const readCode = (): string =>
  JSON.parse(readFileSync(join(database.deps.paths.maintenance, 'restore-code.json'), 'utf8')).code;

test('a restore without an account is for servers without an administrator', async () => {
  const refused = await startRestore({ [CODE]: 'abcd-efgh-jkmn' });
  expect([refused.status, refused.body]).toEqual([
    400,
    { message: 'The server already has an admin' },
  ]);
  expect(existsSync(database.deps.paths.maintenance)).toBe(false);
  await database.sql`delete from app_user`;
  expect((await startRestore({ 'sec-fetch-site': 'cross-site' })).status).toBe(403);
  expect(existsSync(database.deps.paths.maintenance)).toBe(false);
});

test('a restore without an account needs the code that the server prints, once', async () => {
  await database.sql`delete from app_user`;
  const asked = await startRestore();
  expect([asked.status, asked.headers.get('set-cookie')]).toEqual([403, null]);
  const code = readCode();
  expect(code).toMatch(/^(?:[2-9a-hjkmnp-z]{4}-){2}[2-9a-hjkmnp-z]{4}$/);
  expect(JSON.stringify(asked.body)).not.toContain(code);
  for (const wrong of ['', 'abcd-efgh-jkmn', code.slice(0, -1), `${code}2`]) {
    expect((await startRestore({ [CODE]: wrong })).status).toBe(403);
  }
  // It stays while it is valid, so that nobody can fill the journal with them.
  expect([readCode(), readState(database.deps.paths)]).toEqual([code, undefined]);

  const { status, headers } = await startRestore({ [CODE]: ` ${code.toUpperCase()} ` });
  expect([status, headers.get('set-cookie')]).toEqual([
    201,
    expect.stringMatching(/^immich_maintenance_token=/) as never,
  ]);
  expect(readState(database.deps.paths)?.action).toBe('select_database_restore');
  expect((await startRestore({ [CODE]: code })).status).toBe(403);
  expect(readCode()).not.toBe(code);
});

test('a code is valid for 15 minutes', async () => {
  const { paths } = database.deps;
  const at = (minutes: number) => new Date(Date.UTC(2026, 0, 1, 0, minutes));
  printRestoreCode(paths, at(0));
  const code = readCode();
  expect(acceptRestoreCode(paths, code, at(15))).toBe(false);
  // After the clock was set back.
  expect(acceptRestoreCode(paths, code, at(-60))).toBe(false);
  expect(acceptRestoreCode(paths, code, at(14))).toBe(true);
  expect(acceptRestoreCode(paths, code, at(14))).toBe(false);
});
