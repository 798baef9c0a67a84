import { afterAll, afterEach, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { addPhotos } from '../../test/e2e/people.ts';
import { signUp } from '../../test/e2e/server.ts';
import { flat } from '../../test/fixtures/index.ts';
import { createMemoryFolder } from '../../test/support/memory-folder.ts';
import { addDatabase } from '../../test/fixtures/data-folder.ts';
import { runCommand } from '../../test/support/command-line.ts';
import { serveFrom } from '../../test/support/served.ts';
import { until } from '../../test/support/until.ts';
import { dataPaths } from '../core/paths.ts';
import { connect } from '../db/address.ts';
import { runningCluster } from '../db/cluster.ts';
import { HOP_HEADER } from '../nodes/hop.ts';

setDefaultTimeout(300_000);

const folder = createMemoryFolder('restore-test-');
const served = serveFrom(folder);
afterEach(() => served.stopAll());
afterAll(() => rmSync(folder, { recursive: true, force: true }));

type Status = {
  readonly active: boolean;
  readonly action: string;
  readonly error?: string;
};

/** A server on a new data folder, and its API in and outside maintenance mode. */
async function serve() {
  const dataDir = mkdtempSync(join(folder, 'data-'));
  await addDatabase(dataDir);
  const { url, lines, getOutput } = await served.serve('--data', dataDir);
  let cookie = '';
  const api = async (method: string, path: string, body?: object, headers = {}) => {
    const response = await fetch(`${url}/api${path}`, {
      method,
      headers: {
        ...headers,
        cookie,
        ...(body && !(body instanceof FormData) && { 'content-type': 'application/json' }),
      },
      ...(body && { body: body instanceof FormData ? body : JSON.stringify(body) }),
    });
    cookie = response.headers.get('set-cookie')?.split(';', 1)[0] ?? cookie;
    const text = await response.text();
    return { status: response.status, body: text && JSON.parse(text) };
  };
  const getStatus = async () => (await api('GET', '/admin/maintenance/status')).body;
  const untilStatus = (accept: (status: Status) => boolean) =>
    until(async () => accept(await getStatus()), 200_000);
  const { backups } = dataPaths(dataDir);
  return { dataDir, url, backups, lines, getOutput, api, getStatus, untilStatus };
}

test('a backup is restored with its accounts, and a broken file changes nothing', async () => {
  const { dataDir, url, backups, api, getStatus, untilStatus } = await serve();
  const { accessToken } = await signUp(url);
  const key = { authorization: `Bearer ${accessToken}` };
  const createTag = (name: string) => api('POST', '/tags', { name }, key);
  const listTags = async () => (await api('GET', '/tags', undefined, key)).body;
  await createTag('before');
  const findSecret = async () => {
    const sql = connect(runningCluster(dataDir)!, { max: 1 });
    const [row] = await sql`select node_secret from instance`;
    await sql.end();
    return row!['node_secret'];
  };
  // The server reads the header of another one, and makes the secret for it.
  await api('GET', '/server/ping', undefined, { [HOP_HEADER]: 'x' });
  expect(await findSecret()).toHaveLength(32);
  const backup = await runCommand(folder, ['maintenance', 'backup', '--data', dataDir]);
  const name = basename(backup.out);
  await createTag('after');
  const bytes = readFileSync(join(backups, name));
  writeFileSync(join(backups, 'broken.dump'), bytes.subarray(0, bytes.length / 2));

  const restore = (restoreBackupFilename: string) =>
    api('POST', '/admin/maintenance', { action: 'restore_database', restoreBackupFilename }, key);
  expect((await restore('broken.dump')).status).toBe(201);
  await untilStatus(({ error }) => error !== undefined);
  const failed = { active: true, action: 'restore_database', task: 'error' };
  expect(await getStatus()).toEqual({
    ...failed,
    error: expect.stringContaining('The dump cannot be read'),
  });
  const told = await fetch(`${url}/api/admin/maintenance/status`);
  expect(await told.json()).toEqual({ ...failed, error: 'Something went wrong, see logs!' });
  expect((await api('GET', '/tags', undefined, key)).status).toBe(503);
  expect((await api('POST', '/admin/maintenance', { action: 'end' })).status).toBe(201);
  await untilStatus(({ active }) => !active);
  expect((await listTags()).map((tag: { name: string }) => tag.name)).toEqual(['after', 'before']);

  expect((await restore(name)).status).toBe(201);
  await untilStatus(({ active }) => active);
  await untilStatus(({ active }) => !active);
  expect((await listTags()).map((tag: { name: string }) => tag.name)).toEqual(['before']);
  expect(await findSecret()).toBeNull();
});

test('a restored library makes the pictures that its folder lacks, before anybody asks for them', async () => {
  const { dataDir, url, backups, api, getStatus, untilStatus } = await serve();
  const { apiKey, accessToken } = await signUp(url);
  const buffer = await flat([9, 80, 90]).jpeg().toBuffer();
  await addPhotos(url, apiKey, [{ name: 'a.jpg', mimeType: 'image/jpeg', buffer }]);
  await runCommand(folder, ['maintenance', 'backup', '--data', dataDir]);
  const [backup] = readdirSync(backups).filter((name) => name.endsWith('.dump'));
  const { derived } = dataPaths(dataDir);
  const listPictures = () =>
    readdirSync(derived, { recursive: true, encoding: 'utf8' })
      .filter((name) => /-(?:preview|thumbnail)\.\w+$/.test(name))
      .toSorted();
  const before = listPictures();
  expect(before).toHaveLength(2);
  for (const name of before) rmSync(join(derived, name));
  const key = { authorization: `Bearer ${accessToken}` };
  const restore = { action: 'restore_database', restoreBackupFilename: backup };
  expect((await api('POST', '/admin/maintenance', restore, key)).status).toBe(201);
  await untilStatus(({ active }) => active);
  await untilStatus(({ active }) => !active);
  expect((await getStatus()).error).toBeUndefined();
  await until(() => listPictures().length === 2);
  expect(listPictures()).toEqual(before);
});

test('a backup without an administrator is refused, and the failure is told until maintenance mode ends', async () => {
  const { dataDir, backups, api, getStatus, untilStatus, url } = await serve();
  await runCommand(folder, ['maintenance', 'backup', '--data', dataDir]);
  const [name] = readdirSync(backups);
  const { accessToken } = await signUp(url);
  const key = { authorization: `Bearer ${accessToken}` };
  const restore = { action: 'restore_database', restoreBackupFilename: name };
  expect((await api('POST', '/admin/maintenance', restore, key)).status).toBe(201);
  await untilStatus(({ error }) => error !== undefined);
  expect(await getStatus()).toEqual({
    active: true,
    action: 'restore_database',
    task: 'error',
    error: 'Server health check failed, no admin exists.',
  });
  expect((await api('POST', '/admin/maintenance', { action: 'end' })).status).toBe(201);
  await untilStatus(({ active }) => !active);
  expect(await getStatus()).toEqual({ active: false, action: 'end' });
  expect((await api('GET', '/users/me', undefined, key)).status).toBe(200);
});

test('a new server is set up from an uploaded backup of another', async () => {
  const first = await serve();
  const { apiKey } = await signUp(first.url);
  await runCommand(folder, ['maintenance', 'backup', '--data', first.dataDir]);
  const [name] = readdirSync(first.backups);

  const second = await serve();
  const start = (headers = {}) =>
    second.api('POST', '/admin/database-backups/start-restore', undefined, headers);
  expect((await start()).status).toBe(403);
  const findCode = () => /enter this code within 15 minutes: (\S+)$/m.exec(second.getOutput())?.[1];
  await until(() => findCode() !== undefined);
  const code = findCode()!;
  expect(JSON.stringify(second.lines)).not.toContain(code);
  expect((await start({ 'x-safelight-restore-code': code })).status).toBe(201);
  await second.untilStatus(({ action }) => action === 'select_database_restore');
  const form = new FormData();
  form.set('file', new Blob([readFileSync(join(first.backups, name!))]), name);
  const uploaded = await second.api('POST', '/admin/database-backups/upload', form);
  expect(uploaded.status).toBe(201);
  const { body } = await second.api('GET', '/admin/database-backups');
  const restoreBackupFilename = body.backups[0].filename;
  expect(restoreBackupFilename).toBe(`uploaded-${name}`);
  const restore = { action: 'restore_database', restoreBackupFilename };
  expect((await second.api('POST', '/admin/maintenance', restore)).status).toBe(201);
  await second.untilStatus(({ active }) => !active);
  const me = await second.api('GET', '/users/me', undefined, { 'x-api-key': apiKey });
  expect([me.status, me.body.email]).toEqual([200, 'admin@example.com']);
});
