import { afterAll, beforeAll, expect, test } from 'bun:test';
import { randomBytes } from 'node:crypto';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { plainEnvironment, type RunningServer, startServer } from '../e2e/server.ts';

const ACCOUNT = { email: 'admin@example.com', password: 'correct horse', pin: '123456' };

let server: RunningServer;
let folder: string;
let token: string;
beforeAll(async () => {
  // Jobs that follow an upload are no part of it.
  server = await startServer('--lanes=video');
  folder = await mkdtemp(join(tmpdir(), 'safelight-reconcile-'));
  const { pin, ...login } = ACCOUNT;
  await api('POST /auth/admin-sign-up', { ...login, name: 'Admin' });
  token = (await api('POST /auth/login', login)).accessToken;
  await api('POST /auth/pin-code', { pinCode: pin });
}, 300_000);
afterAll(async () => {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
});

async function api(route: string, body?: object) {
  const [method, path] = route.split(' ') as [string, string];
  const response = await fetch(`${server.url}/api${path}`, {
    method,
    headers: {
      'content-type': 'application/json',
      ...(token && { authorization: `Bearer ${token}` }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  expect([route, response.status < 300, text]).toEqual([route, true, text]);
  return text ? JSON.parse(text) : undefined;
}

/** The rounds that the client ran. */
async function runClient(...more: string[]) {
  const flags = Object.entries({ url: server.url, ...ACCOUNT }).flatMap(([name, value]) => [
    `--${name}`,
    value,
  ]);
  const client = Bun.spawn(
    [process.execPath, join(import.meta.dir, 'client.ts'), ...flags, ...more, folder],
    { env: plainEnvironment(), stdout: 'pipe', stderr: 'pipe' },
  );
  const output = await new Response(client.stdout).text();
  expect([await client.exited, await new Response(client.stderr).text()]).toEqual([0, '']);
  return output
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

const addFiles = async (from: number, to: number) => {
  await mkdir(join(folder, 'below'), { recursive: true });
  for (let n = from; n < to; n++) {
    const path = join(folder, n % 2 ? `${n}.jpg` : `below/${n}.jpg`);
    await writeFile(path, randomBytes(500 + n));
  }
};

test('a folder is backed up, and the client knows', async () => {
  expect(await runClient()).toEqual([{ round: 1, files: 0, missing: 0 }]);

  await addFiles(0, 40);
  // A copy is no other file.
  await cp(join(folder, '1.jpg'), join(folder, 'copy.jpg'));
  expect(await runClient()).toEqual([
    { round: 1, files: 40, missing: 40 },
    { round: 2, files: 40, missing: 0 },
  ]);
  expect(await runClient()).toEqual([{ round: 1, files: 40, missing: 0 }]);

  await addFiles(40, 45);
  await writeFile(join(folder, '1.jpg'), randomBytes(100));
  expect(await runClient('--dry-run')).toEqual([{ round: 1, files: 46, missing: 6 }]);
  expect(await runClient()).toEqual([
    { round: 1, files: 46, missing: 6 },
    { round: 2, files: 46, missing: 0 },
  ]);

  const [device] = (await api('GET /users/me/backup-devices')).items;
  expect(device).toMatchObject({
    deviceKey: 'folder',
    platform: 'desktop',
    lastReconciliation: { status: 'completed', missingCount: 0 },
  });
  await api('POST /auth/session/unlock', { pinCode: ACCOUNT.pin });
  const { items } = await api(`GET /users/me/backup-devices/${device.id}/reconciliations`);
  expect(
    items.map((run: { status: string; deviceCount: number; missingCount: number }) => [
      run.status,
      run.deviceCount,
      run.missingCount,
    ]),
  ).toEqual([
    ['completed', 46, 0],
    ['completed', 46, 6],
    ['completed', 46, 6],
    ['completed', 40, 0],
    ['completed', 40, 0],
    ['completed', 40, 40],
    ['completed', 0, 0],
  ]);
  expect((await api('GET /assets/statistics')).total).toBe(46);
}, 300_000);
