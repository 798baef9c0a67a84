import { afterEach, beforeAll, expect, test } from 'bun:test';
import { mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { useApp } from '../../../test/support/database.ts';
import { call, NOW, seed, testApp, type TestUser } from '../../../test/support/harness.ts';
import type { DataPaths } from '../../core/paths.ts';
import { readState } from '../../maintenance/state.ts';
import { verifyToken } from '../../maintenance/token.ts';

const { database, app } = await useApp();
let admin: TestUser;
let user: TestUser;
let paths: DataPaths;
beforeAll(async () => {
  ({ paths } = database.deps);
  admin = await seed(database).user(['all'], { isAdmin: true, name: 'Ada' });
  user = await seed(database).user();
});
afterEach(async () => {
  rmSync(paths.maintenance, { recursive: true, force: true });
  await database.sql`truncate maintenance_mode`;
});

const set = (session: TestUser | undefined, body: object) =>
  call(app, 'POST /admin/maintenance', { session, body });

test('an administrator starts maintenance mode and gets a cookie that its secret has signed', async () => {
  const { status, body, headers } = await set(admin, { action: 'start' });
  expect([status, body]).toEqual([201, undefined]);
  const [, token, attributes] = /^immich_maintenance_token=([^;]+)(.*)$/.exec(
    headers.get('set-cookie')!,
  )!;
  expect(attributes).toBe('; HttpOnly; Path=/; Max-Age=86400; SameSite=Lax');
  const state = readState(paths)!;
  const [mode] = await database.sql`select revision, secret, host from maintenance_mode`;
  expect(mode).toEqual({ revision: state.revision, secret: state.secret, host: hostname() });
  const secret = expect.stringMatching(/^[\da-f]{128}$/);
  expect(state).toEqual({ action: 'start', secret, revision: expect.any(String) });
  expect(verifyToken(state.secret, token!, database.deps.now())).toEqual({ username: 'Ada' });
  expect(statSync(join(paths.maintenance, 'state.json')).mode & 0o777).toBe(0o600);
});

test('nobody else can start it, and nothing is written for them', async () => {
  const body = { action: 'start' };
  const limited = await seed(database).user(['album.read'], { isAdmin: true });
  expect((await set(undefined, body)).status).toBe(401);
  expect((await set(user, body)).status).toBe(403);
  const both = { as: limited, session: limited, body };
  expect((await call(app, 'POST /admin/maintenance', both)).status).toBe(403);
  expect(readState(paths)).toBeUndefined();
});

test('whoever could replace the accounts by those of a backup has logged in a moment ago', async () => {
  const later = testApp(database, { now: () => new Date(NOW.getTime() + 11 * 60_000) });
  for (const [operation, body] of [
    ['/admin/maintenance', { action: 'start' }],
    ['/admin/maintenance', { action: 'restore_database', restoreBackupFilename: 'x' }],
    ['/admin/maintenance/postgres-upgrade', undefined],
  ] as const) {
    expect((await call(app, `POST ${operation}`, { as: admin, body })).status).toBe(403);
    expect(await call(later, `POST ${operation}`, { session: admin, body })).toMatchObject({
      status: 403,
      body: { errors: [{ code: 'proof_required', path: [] }] },
    });
  }
  expect(readState(paths)).toBeUndefined();
});

test('end changes nothing while the application runs, and sets no cookie', async () => {
  const { status, headers } = await set(admin, { action: 'end' });
  expect([status, headers.get('set-cookie'), readState(paths)]).toEqual([201, null, undefined]);
});

test('while another server replaces the database, nobody enters the mode', async () => {
  await database.sql`insert into maintenance_mode (action, secret, node_id, host, is_running)
    values ('restore_database', 'x', gen_random_uuid(), 'attic', true)`;
  const { status, body, headers } = await set(admin, { action: 'start' });
  expect([status, headers.get('set-cookie')]).toEqual([409, null]);
  expect(body.message).toContain('The server on attic restores a backup');
  expect((await set(user, { action: 'start' })).status).toBe(403);
  expect(readState(paths)).toBeUndefined();
});

test('an unknown action and a restore without a file are refused', async () => {
  expect((await set(admin, { action: 'stop' })).status).toBe(400);
  const { status, body } = await set(admin, { action: 'restore_database' });
  expect([status, body.errors[0].path]).toEqual([400, ['restoreBackupFilename']]);
  expect(readState(paths)).toBeUndefined();
});

test('outside maintenance mode the status is public and a login is refused', async () => {
  const status = await call(app, 'GET /admin/maintenance/status');
  expect([status.status, status.body]).toEqual([200, { active: false, action: 'end' }]);
  for (const body of [{}, { token: 'x' }]) {
    const login = await call(app, 'POST /admin/maintenance/login', { body });
    expect([login.status, login.body]).toEqual([400, { message: 'Not in maintenance mode' }]);
  }
});

test('an upgrade of PostgreSQL needs an administrator and a newer version', async () => {
  const operation = '/admin/maintenance/postgres-upgrade';
  const { body } = await call(app, `GET ${operation}`, { as: admin });
  expect(body).toEqual({ upgrade: null, failure: null });
  expect((await call(app, `POST ${operation}`, { session: admin })).status).toBe(404);
  expect((await call(app, `POST ${operation}`, { as: user })).status).toBe(403);
  expect((await call(app, `GET ${operation}`, { as: user })).status).toBe(403);
  expect(readState(paths)).toBeUndefined();
});

test('detect-install tells administrators what the folders hold', async () => {
  mkdirSync(paths.backups, { recursive: true });
  writeFileSync(join(paths.backups, 'a.dump'), '');
  rmSync(paths.profiles, { recursive: true, force: true });
  const { body } = await call(app, 'GET /admin/maintenance/detect-install', { as: admin });
  const find = (folder: string) =>
    body.storage.find((entry: { folder: string }) => entry.folder === folder);
  expect(body.storage).toHaveLength(6);
  expect(find('backups')).toEqual({ folder: 'backups', files: 1, readable: true, writable: true });
  expect(find('profile')).toEqual({
    folder: 'profile',
    files: 0,
    readable: false,
    writable: false,
  });
  expect((await call(app, 'GET /admin/maintenance/detect-install', { as: user })).status).toBe(403);
});
