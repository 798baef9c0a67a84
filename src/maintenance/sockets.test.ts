import { afterAll, afterEach, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { signUp } from '../../test/e2e/server.ts';
import { addDatabase } from '../../test/fixtures/data-folder.ts';
import { type ConnectOptions, openClient } from '../../test/support/live-clients.ts';
import { createMemoryFolder } from '../../test/support/memory-folder.ts';
import { serveFrom } from '../../test/support/served.ts';
import { dataPaths } from '../core/paths.ts';
import { readState } from './state.ts';
import { createLoginUrl, signToken } from './token.ts';

setDefaultTimeout(300_000);

const folder = createMemoryFolder('maintenance-sockets-test-');
const served = serveFrom(folder);
const clients: ReturnType<typeof openClient>[] = [];
afterEach(async () => {
  for (const { socket } of clients.splice(0)) socket.disconnect();
  await served.stopAll();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const RESTART = (isMaintenanceMode: boolean) => ['AppRestartV1', { isMaintenanceMode }];

test('clients that stay connected are led into maintenance mode, told how it goes, and out of it', async () => {
  const dataDir = mkdtempSync(join(folder, 'data-'));
  await addDatabase(dataDir);
  const { url } = await served.serve('--data', dataDir);
  const { accessToken } = await signUp(url);
  const paths = dataPaths(dataDir);
  mkdirSync(paths.backups, { recursive: true });
  writeFileSync(join(paths.backups, 'broken.dump'), 'PGDMP and nothing else');
  const connect = (way: ConnectOptions) => {
    const client = openClient(url, { ...way, reconnects: true });
    clients.push(client);
    return client;
  };
  const api = (path: string, body: object, headers: Record<string, string>) =>
    fetch(`${url}/api${path}`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  const poll = async () => {
    const response = await fetch(`${url}/api/socket.io/?EIO=4&transport=polling`);
    return [response.status, await response.json()];
  };
  const noPolling = [400, { code: 0, message: 'Transport unknown' }];
  const authorization = `Bearer ${accessToken}`;

  const page = connect({ headers: { authorization } });
  await page.until('on_server_version');
  expect(await poll()).toEqual(noPolling as never);
  const restore = { action: 'restore_database', restoreBackupFilename: 'broken.dump' };
  const entered = await api('/admin/maintenance', restore, { authorization });
  expect(entered.status).toBe(201);
  const cookie = entered.headers.get('set-cookie')!.split(';', 1)[0]!;
  expect(await page.until('AppRestartV1')).toEqual([RESTART(true)] as never);

  const readUntilError = async (client: typeof page) => {
    for (;;) {
      const [name, status] = (await client.until('MaintenanceStatusV1')).at(-1)!;
      expect([name, status.active]).toEqual(['MaintenanceStatusV1', true]);
      if (status.error !== undefined) return status;
    }
  };
  const failed = { active: true, action: 'restore_database', task: 'error' };
  const blurred = { ...failed, error: 'Something went wrong, see logs!' };
  // It has connected again by itself, without a token of maintenance mode.
  expect(await readUntilError(page)).toEqual(blurred);
  const { secret } = readState(paths)!;
  const loginToken = new URL(createLoginUrl(url, secret, new Date())).searchParams.get('token')!;
  const expired = signToken(secret, { username: 'Ada' }, new Date(Date.now() - 5 * 3_600_000));
  const withToken = (token: string) => ({ cookie: `immich_maintenance_token=${token}` });
  const strangers: ConnectOptions[] = [
    {},
    { headers: withToken(loginToken) },
    { headers: withToken(expired) },
    { headers: withToken('x.y.z') },
    { headers: { cookie, origin: 'http://evil.example' } },
  ];
  for (const way of strangers) expect(await readUntilError(connect(way))).toEqual(blurred);
  const administrator = connect({ headers: { cookie } });
  const told = await readUntilError(administrator);
  expect(told).toEqual({ ...failed, error: expect.stringContaining('The dump cannot be read') });
  expect(await poll()).toEqual(noPolling as never);

  expect((await api('/admin/maintenance', { action: 'end' }, { cookie })).status).toBe(201);
  expect((await administrator.until('AppRestartV1')).at(-1)).toEqual(RESTART(false) as never);
  expect((await page.until('AppRestartV1')).at(-1)).toEqual(RESTART(false) as never);
  await page.until('on_server_version');
  // The token of maintenance mode is no credential of the application.
  expect(await administrator.until('error')).toEqual([['error', 'unauthorized']]);
});
