import { afterAll, beforeAll, beforeEach, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { signUp } from '../../test/e2e/server.ts';
import { addDatabase } from '../../test/fixtures/data-folder.ts';
import { runCommand } from '../../test/support/command-line.ts';
import type { Json } from '../../test/support/json.ts';
import { createMemoryFolder } from '../../test/support/memory-folder.ts';
import { serveFrom } from '../../test/support/served.ts';
import { until } from '../../test/support/until.ts';
import { connect } from '../db/address.ts';
import { runningCluster } from '../db/cluster.ts';

// The commands by the names of Immich, and those of ours that they stand for, beside a server that runs.
setDefaultTimeout(300_000);

const EVE = 'eve@example.com';
const ADMIN = 'admin@example.com';

const folder = createMemoryFolder('immich-admin-test-');
const served = serveFrom(folder);
let dataDir: string;
let url: string;
let admin: Awaited<ReturnType<typeof signUp>>;
let eve: { id: string; token: string; key: string };
beforeAll(async () => {
  dataDir = mkdtempSync(join(folder, 'data-'));
  await addDatabase(dataDir);
  ({ url } = await served.serve('--data', dataDir));
  admin = await signUp(url);
  const body = { email: EVE, name: 'Eve', password: 'password-of-eve' };
  const { id } = await send('POST', '/admin/users', { token: admin.accessToken, body });
  const { accessToken: token } = (await login(EVE, body.password)).body;
  const key = { name: 'all', permissions: ['all'] };
  const { secret } = await send('POST', '/api-keys', { token, body: key });
  eve = { id, token, key: secret };
});
beforeEach(async () => {
  const sql = connect(runningCluster(dataDir)!, { max: 1 });
  await sql`update app_user set is_admin = email = ${ADMIN}`;
  await sql.end();
});
afterAll(async () => {
  await served.stopAll();
  rmSync(folder, { recursive: true, force: true });
});

const safelight = (...args: string[]) => runCommand(folder, [...args, '--data', dataDir]);
const immichAdmin = (args: string[], input?: string) =>
  runCommand(
    folder,
    ['immich-admin', ...args, '--data', dataDir],
    input === undefined ? {} : { input: new Blob([input]) },
  );

type Sent = { token?: string; key?: string; body?: object };
const request = (method: string, path: string, { token, key, body }: Sent = {}) =>
  fetch(`${url}/api${path}`, {
    method,
    headers: {
      ...(token && { authorization: `Bearer ${token}` }),
      ...(key && { 'x-api-key': key }),
      ...(body && { 'content-type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
const send = async (method: string, path: string, sent: Sent): Promise<Json> =>
  (await request(method, path, sent)).json();
const login = async (email: string, password: string): Promise<{ status: number; body: Json }> => {
  const response = await request('POST', '/auth/login', { body: { email, password } });
  return { status: response.status, body: await response.json() };
};
/** The status of an operation for administrators, by the session and by the key of Eve. */
const listRights = () =>
  Promise.all(
    [{ token: eve.token }, { key: eve.key }].map(
      async (as) => (await request('GET', '/admin/users', as)).status,
    ),
  );

test('an account is granted the rights and loses them at once, by its session and its key', async () => {
  expect(await listRights()).toEqual([403, 403]);
  expect(await safelight('admin', 'grant', 'Eve@example.com')).toEqual({
    code: 0,
    out: `${EVE} is an administrator now`,
    err: '',
  });
  expect(await listRights()).toEqual([200, 200]);
  expect((await safelight('admin', 'grant', EVE)).out).toBe(`${EVE} is an administrator already`);
  expect((await safelight('admin', 'revoke', EVE)).out).toBe(`${EVE} is no administrator any more`);
  expect(await listRights()).toEqual([403, 403]);
  expect((await safelight('admin', 'revoke', EVE)).out).toBe(`${EVE} is no administrator`);
  // It stays logged in: what it loses is the rights.
  expect((await request('GET', '/users/me', { token: eve.token })).status).toBe(200);

  expect((await immichAdmin(['grant-admin', EVE])).out).toBe(
    `Admin access has been granted to ${EVE}`,
  );
  expect(await listRights()).toEqual([200, 200]);
  const asked = await immichAdmin(['revoke-admin'], `${EVE}\n`);
  expect(asked).toMatchObject({ code: 0, err: '' });
  expect(asked.out).toContain('Please enter the user email:');
  expect(asked.out).toContain(`Admin access has been revoked from ${EVE}`);
  expect(asked.out).not.toContain('No administrator is left');
  expect(await listRights()).toEqual([403, 403]);
});

test('the last administrator loses the rights only when that is said, and the shell grants them again', async () => {
  expect(await safelight('admin', 'revoke', ADMIN)).toMatchObject({
    code: 1,
    err: `${ADMIN} is the last administrator: grant another account the rights first, or add --last`,
  });
  const asAdmin = { token: admin.accessToken };
  expect((await request('GET', '/admin/users', asAdmin)).status).toBe(200);
  const revoked = await immichAdmin(['revoke-admin'], `${ADMIN}\n`);
  expect(revoked.code).toBe(0);
  expect(revoked.out).toContain('No administrator is left');
  expect((await request('GET', '/admin/users', asAdmin)).status).toBe(403);

  // The next visitor does not become one meanwhile.
  const stranger = { email: 'stranger@example.com', name: 'Stranger', password: 'stranger-123' };
  expect((await request('POST', '/auth/admin-sign-up', { body: stranger })).status).toBe(400);
  expect((await request('POST', '/admin/database-backups/start-restore')).status).toBe(400);
  expect((await send('GET', '/server/config', {})).isInitialized).toBe(true);
  const without = await immichAdmin(['reset-admin-password'], '\n\n');
  expect(without).toMatchObject({ code: 1, err: expect.stringContaining('no administrator') });

  expect((await safelight('admin', 'grant', ADMIN)).code).toBe(0);
  expect((await safelight('admin', 'revoke', ADMIN, '--last')).code).toBe(0);
  expect((await safelight('admin', 'grant', ADMIN)).code).toBe(0);
  expect((await request('GET', '/admin/users', asAdmin)).status).toBe(200);
});

test('reset-admin-password asks for the password and for the sessions', async () => {
  const kept = await immichAdmin(['reset-admin-password'], 'correct horse\nn\n');
  expect(kept).toMatchObject({ code: 0, err: '' });
  expect(kept.out).toContain(`- Email=${ADMIN}`);
  expect(kept.out).toContain('The admin password has been updated.');
  expect(kept.out).not.toContain('correct horse');
  expect((await request('GET', '/users/me', { token: admin.accessToken })).status).toBe(200);
  const { status, body } = await login(ADMIN, 'correct horse');
  expect(status).toBe(201);

  const made = await immichAdmin(['reset-admin-password'], '\n\n');
  const password = /The admin password has been updated to:\n(\S+)$/.exec(made.out)![1]!;
  for (const token of [admin.accessToken, body.accessToken]) {
    expect((await request('GET', '/users/me', { token })).status).toBe(401);
  }
  expect((await login(ADMIN, 'correct horse')).status).toBe(401);
  const again = await login(ADMIN, password);
  expect(again.status).toBe(201);
  admin = { ...admin, accessToken: again.body.accessToken };
  // A key is no password: it goes on.
  expect((await request('GET', '/users/me', { key: admin.apiKey })).status).toBe(200);

  expect(await immichAdmin(['reset-admin-password', EVE], '\n\n')).toMatchObject({
    code: 1,
    err: `There is no administrator ${EVE}`,
  });
  expect((await immichAdmin(['reset-admin-password'], 'short\n\n')).code).toBe(2);
  expect((await login(ADMIN, password)).status).toBe(201);
});

test('list-users prints all accounts, also deleted ones, without their secrets', async () => {
  const body = { email: 'gone@example.com', name: 'Gone', password: 'password-of-gone' };
  const { id } = await send('POST', '/admin/users', { token: admin.accessToken, body });
  await request('DELETE', `/admin/users/${id}`, { token: admin.accessToken, body: {} });
  const { code, out, err } = await immichAdmin(['list-users']);
  expect([code, err]).toEqual([0, '']);
  for (const email of [ADMIN, EVE, 'gone@example.com']) expect(out).toContain(`email: '${email}'`);
  expect(out).toContain(`name: 'Eve'`);
  expect(out).not.toMatch(/hash|\$argon|\$2[aby]\$/i);
  const gone = await safelight('admin', 'grant', 'gone@example.com');
  expect(gone).toMatchObject({ code: 1, err: 'There is no account for gone@example.com' });
});

test('an unknown account, an unknown command and a missing address are refused', async () => {
  for (const name of ['grant-admin', 'revoke-admin']) {
    expect(await immichAdmin([name, 'nobody@example.com'])).toMatchObject({
      code: 1,
      err: 'There is no account for nobody@example.com',
    });
    expect((await immichAdmin([name])).code).toBe(2);
  }
  expect((await immichAdmin(['make-admin'])).err).toContain('Say what to do: list-users');
  expect((await immichAdmin(['list-users', EVE])).err).toContain('Unexpected argument');
});

test('logging in by password or OAuth is switched, and maintenance mode', async () => {
  const isPasswordLogin = async () => (await send('GET', '/server/features', {})).passwordLogin;
  expect((await immichAdmin(['disable-password-login'])).out).toContain(
    'Password login has been disabled.',
  );
  await until(async () => !(await isPasswordLogin()));
  expect((await login(EVE, 'password-of-eve')).status).toBe(401);
  expect((await immichAdmin(['enable-password-login'])).out).toContain(
    'Password login has been enabled.',
  );
  await until(isPasswordLogin);
  expect((await login(EVE, 'password-of-eve')).status).toBe(201);
  expect((await immichAdmin(['disable-oauth-login'])).out).toContain(
    'OAuth login has been disabled.',
  );

  const isInMaintenance = async () => (await send('GET', '/server/config', {})).maintenanceMode;
  const on = await immichAdmin(['enable-maintenance-mode']);
  expect(on.out).toMatch(/^http\S+\/maintenance\?token=\S+\nMaintenance mode has been enabled\.$/);
  await until(isInMaintenance, 120_000);
  expect((await immichAdmin(['disable-maintenance-mode'])).out).toBe(
    'Maintenance mode has been disabled.',
  );
  await until(async () => (await isInMaintenance()) === false, 120_000);
});

test('schema-check compares the database with the migrations, and version is that of Immich', async () => {
  expect(await immichAdmin(['schema-check'])).toEqual({
    code: 0,
    out: 'Migrations are up to date\n\nNo schema drift detected',
    err: '',
  });
  const sql = connect(runningCluster(dataDir)!, { max: 1 });
  try {
    await sql`create table stray (id int)`;
    const drifted = await immichAdmin(['schema-check']);
    expect(drifted.code).toBe(1);
    expect(drifted.out).toEndWith(
      'Schema drift detected:\n  - unexpected: CREATE TABLE public.stray (',
    );
    await sql`drop table stray`;
    const names = await sql`select datname from pg_database where datname like '%_check'`;
    expect([...names]).toEqual([]);
  } finally {
    await sql.end();
  }
  const { major, minor, patch } = await send('GET', '/server/version', {});
  expect((await immichAdmin(['version'])).out).toBe(`v${major}.${minor}.${patch}`);
});
