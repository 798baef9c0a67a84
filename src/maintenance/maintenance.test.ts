import { afterAll, afterEach, beforeEach, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { addDatabase } from '../../test/fixtures/data-folder.ts';
import type { Json } from '../../test/support/json.ts';
import { createMemoryFolder } from '../../test/support/memory-folder.ts';
import { runCommand } from '../../test/support/command-line.ts';
import { serveFrom } from '../../test/support/served.ts';
import { until } from '../../test/support/until.ts';
import { type DataPaths, dataPaths } from '../core/paths.ts';
import { readState, writeState } from './state.ts';
import { signToken } from './token.ts';

setDefaultTimeout(300_000);

const folder = createMemoryFolder('maintenance-test-');
let dataDir: string;
let paths: DataPaths;
const served = serveFrom(folder);
beforeEach(() => {
  dataDir = mkdtempSync(join(folder, 'data-'));
  paths = dataPaths(dataDir);
});
afterEach(() => served.stopAll());
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const serve = () => served.serve('--data', dataDir);
const safelight = (action: string) =>
  runCommand(folder, ['maintenance', action, '--data', dataDir]);

type Sent = { cookie?: string; body?: object; headers?: Record<string, string> };
const send = (url: string, method: string, path: string, { cookie, body, headers }: Sent = {}) =>
  fetch(`${url}/api${path}`, {
    method,
    redirect: 'manual',
    headers: {
      ...headers,
      ...(body && { 'content-type': 'application/json' }),
      ...(cookie && { cookie: `immich_maintenance_token=${cookie}` }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
const getStatus = async (url: string, cookie?: string): Promise<Json> =>
  (await send(url, 'GET', '/admin/maintenance/status', cookie ? { cookie } : {})).json();
const login = (url: string, sent: Sent) =>
  send(url, 'POST', '/admin/maintenance/login', { body: {}, ...sent });
const untilActive = (url: string, active: boolean) =>
  until(async () => (await getStatus(url)).active === active, 120_000);

test('the same process and port change to maintenance mode and back', async () => {
  await addDatabase(dataDir);
  const server = await serve();
  const { url, child } = server;
  expect(await getStatus(url)).toEqual({ active: false, action: 'end' });
  expect((await safelight('url')).err).toContain('Maintenance mode is off');

  const { out, code } = await safelight('start');
  expect([code, out]).toEqual([0, expect.stringMatching(/^http:\/\/localhost:2283\/maintenance/)]);
  await untilActive(url, true);
  const token = out.split('token=')[1]!;

  const refused = await send(url, 'GET', '/albums');
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '10']);
  expect(await refused.json()).toEqual({ message: 'The server is in maintenance mode' });
  const own = await send(url, 'GET', '/trash/items');
  expect(await own.json()).toMatchObject({ statusCode: 503, code: 'maintenance_mode' });
  expect((await send(url, 'GET', '/server/ping')).status).toBe(200);
  expect(await (await send(url, 'GET', '/server/config')).json()).toMatchObject({
    maintenanceMode: true,
  });

  const logged = await login(url, { body: { token } });
  expect([logged.status, await logged.json()]).toEqual([201, { username: 'administrator' }]);
  const cookie = /immich_maintenance_token=([^;]+)/.exec(logged.headers.get('set-cookie')!)![1]!;
  // The address logs in once: it stays in histories and logs.
  const ways: [Sent, number][] = [
    [{ body: { token } }, 401],
    [{ cookie: token }, 401],
    [{ cookie }, 201],
    [{ cookie, body: { token } }, 201],
    [{ body: { token: cookie } }, 201],
    [{}, 401],
    [{ body: { token: `${token}x` } }, 401],
    [{ body: { token: expiredToken() } }, 401],
    [{ cookie: expiredToken() }, 401],
  ];
  for (const [sent, status] of ways) expect((await login(url, sent)).status).toBe(status);
  const refusals: [Sent, string][] = [
    [{}, 'Missing JWT Token'],
    [{ cookie: expiredToken() }, 'Invalid JWT Token'],
    [{ body: { token: 'x' } }, 'Invalid JWT Token'],
  ];
  for (const [sent, message] of refusals) {
    expect(await (await login(url, sent)).json()).toEqual({ message });
  }
  const backup = (name: string) => send(url, 'GET', `/admin/database-backups/${name}`, { cookie });
  expect([(await backup('%E0%A4%A')).status, (await backup('none.dump')).status]).toEqual([
    400, 404,
  ]);

  expect([(await backup('state')).status, (await backup('none')).status]).toEqual([503, 400]);

  const logs = await send(url, 'GET', '/admin/maintenance/logs', { cookie });
  const text = await logs.text();
  expect(text).toContain('Safelight is in maintenance mode');
  expect(text).not.toMatch(/token|Log in/);
  // The console of the machine has an address that logs in, the log that is downloaded and that of the process have none.
  const printed = /^Log in to maintenance mode.*token=(\S+)$/m.exec(server.getOutput())![1]!;
  expect((await login(url, { body: { token: printed } })).status).toBe(201);
  expect(JSON.stringify(server.lines)).not.toContain('token=');
  expect((await send(url, 'GET', '/admin/maintenance/logs')).status).toBe(401);

  const end = { body: { action: 'end' } };
  const elsewhere = { origin: 'https://evil.example' };
  const set = (sent: Sent) => send(url, 'POST', '/admin/maintenance', sent);
  expect((await set(end)).status).toBe(401);
  expect((await set({ ...end, cookie: expiredToken() })).status).toBe(401);
  expect((await set({ ...end, cookie: token })).status).toBe(401);
  expect((await set({ ...end, cookie, headers: elsewhere })).status).toBe(403);
  expect((await getStatus(url)).active).toBe(true);
  expect((await set({ ...end, cookie })).status).toBe(201);
  await untilActive(url, false);
  expect((await send(url, 'GET', '/albums')).status).toBe(401);
  expect(child.exitCode).toBe(null);
});

const expiredToken = () =>
  signToken(readState(paths)!.secret, { username: 'Ada' }, new Date(Date.now() - 5 * 3_600_000));

test('pages lead to one page that needs nothing else, and back', async () => {
  await addDatabase(dataDir);
  writeState(paths, { action: 'start' });
  const { url } = await serve();
  const html = { headers: { accept: 'text/html' }, redirect: 'manual' } as const;
  const search = await fetch(`${url}/search?q=a&b`, html);
  expect([search.status, search.headers.get('location')]).toEqual([
    302,
    '/maintenance?continue=%2Fsearch%3Fq%3Da%26b',
  ]);
  const page = await fetch(`${url}/maintenance`, html);
  expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
  expect(await page.text()).not.toMatch(/src=|href=/);
  expect((await fetch(`${url}/assets/main.js`, html)).status).toBe(503);
  await safelight('end');
});

test('maintenance mode works when the database does not start, and tells only administrators why', async () => {
  mkdirSync(paths.postgres, { recursive: true });
  writeFileSync(join(paths.postgres, 'PG_VERSION'), '99\n');
  const { secret } = writeState(paths, { action: 'start', error: 'disk on fire' });
  const { url, lines } = await serve();
  expect(lines.map(({ message }) => message)).toContain('the database does not start');
  const cookie = signToken(secret, { username: 'Ada' }, new Date());
  expect(await getStatus(url)).toEqual({
    active: true,
    action: 'start',
    error: 'Something went wrong, see logs!',
  });
  expect((await getStatus(url, cookie)).error).toBe('disk on fire');
  await safelight('end');
  await until(() => readState(paths)?.error !== undefined, 120_000);
  expect(readState(paths)!.error).toContain('The database does not run');
});
