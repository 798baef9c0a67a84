import { afterAll, afterEach, beforeEach, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { basename, join } from 'node:path';
import { signUp } from '../../test/e2e/server.ts';
import { runCommand } from '../../test/support/command-line.ts';
import { createDatabase, toDatabaseUrl } from '../../test/support/harness.ts';
import { createMemoryFolder } from '../../test/support/memory-folder.ts';
import { isReady, serveFrom } from '../../test/support/served.ts';
import { until } from '../../test/support/until.ts';
import { dataPaths } from '../core/paths.ts';
import {
  dropDatabase,
  listDatabases,
  whileClosed,
  withAdmin,
  withConnection,
} from '../db/databases.ts';
import { readState } from './state.ts';

// Servers with folders of their own, but for what a library shares, on one database.

setDefaultTimeout(300_000);

const folder = createMemoryFolder('cluster-restore-');
const served = serveFrom(folder);
let name: string;
let databaseUrl: string;
let shared: string;
beforeEach(async () => {
  name = await createDatabase('cluster_restore');
  databaseUrl = toDatabaseUrl(name);
  shared = mkdtempSync(join(folder, 'shared-'));
});
afterEach(async () => {
  await served.stopAll();
  await withAdmin(databaseUrl, async (admin) => {
    for (const one of await listDatabases(admin, name)) await dropDatabase(admin, one);
  });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function addFolder(): string {
  const dataDir = mkdtempSync(join(folder, 'node-'));
  for (const store of ['originals', 'derived', 'backups'] as const) {
    mkdirSync(join(shared, store), { recursive: true });
    symlinkSync(join(shared, store), dataPaths(dataDir)[store]);
  }
  return dataDir;
}
const toFlags = (dataDir: string) => ['--data', dataDir, '--database-url', databaseUrl];

async function serve(dataDir = addFolder()) {
  const server = await served.serve(...toFlags(dataDir));
  return { ...server, dataDir, getState: () => readState(dataPaths(dataDir)) };
}
type Node = Awaited<ReturnType<typeof serve>>;

/** Sends what an administrator asks for, who carries the cookie from one server to the other. */
function createAdministrator(accessToken: string) {
  let cookie = '';
  return async ({ url }: Node, method: string, path: string, body?: object) => {
    const headers = { authorization: `Bearer ${accessToken}`, cookie };
    const response = await fetch(`${url}/api${path}`, {
      method,
      headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    cookie = response.headers.get('set-cookie')?.split(';', 1)[0] ?? cookie;
    const text = await response.text();
    return { status: response.status, body: text && JSON.parse(text) };
  };
}
const isActive = async ({ url }: Node): Promise<boolean> =>
  ((await (await fetch(`${url}/api/admin/maintenance/status`)).json()) as { active: boolean })
    .active;
const untilActive = (nodes: readonly Node[], active: boolean) =>
  until(async () => (await Promise.all(nodes.map(isActive))).every((is) => is === active), 120_000);

test('servers are in maintenance mode together, and one restores a backup for all', async () => {
  const first = await serve();
  const { accessToken } = await signUp(first.url);
  const second = await serve();
  const both = [first, second];
  served.spawn('worker', ...toFlags(addFolder()));
  await untilWorker();
  const ask = createAdministrator(accessToken);
  const createTag = (tag: string) => ask(second, 'POST', '/tags', { name: tag });
  await createTag('before');
  const backup = await runCommand(folder, ['maintenance', 'backup', ...toFlags(first.dataDir)]);
  await createTag('after');

  expect((await ask(first, 'POST', '/admin/maintenance', { action: 'start' })).status).toBe(201);
  await untilActive(both, true);
  const end = { action: 'end' };
  const stranger = createAdministrator('none');
  expect((await stranger(second, 'POST', '/admin/maintenance', end)).status).toBe(401);
  expect((await ask(second, 'GET', '/admin/database-backups')).status).toBe(200);

  // As if a third one restored a backup.
  await withConnection(databaseUrl, async (sql) => {
    await sql`insert into node (id, role, host, version, state, seen_at) values
      (gen_random_uuid(), 'server', 'attic', '1', 'starting', null)`;
    await sql`update maintenance_mode set revision = gen_random_uuid(), is_running = true, host = 'attic',
      action = 'restore_database', node_id = (select id from node where host = 'attic')`;
  });
  const restore = { action: 'restore_database', restoreBackupFilename: basename(backup.out) };
  for (const node of both) {
    for (const change of [end, restore, { action: 'start' }]) {
      const { status, body } = await ask(node, 'POST', '/admin/maintenance', change);
      expect([status, body.message]).toEqual([
        409,
        'The server on attic restores a backup: wait until it has ended',
      ]);
    }
    expect((await stranger(node, 'POST', '/admin/maintenance', end)).status).toBe(401);
  }
  const refused = await runCommand(folder, ['maintenance', 'end', ...toFlags(second.dataDir)]);
  expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('on attic')]);
  expect(await Promise.all(both.map(isActive))).toEqual([true, true]);
  await withConnection(databaseUrl, (sql) => sql`update maintenance_mode set is_running = false`);

  expect((await ask(second, 'POST', '/admin/maintenance', restore)).status).toBe(201);
  await untilActive(both, false);
  for (const node of both) {
    const { body } = await ask(node, 'GET', '/tags');
    expect(body.map((tag: { name: string }) => tag.name)).toEqual(['before']);
    expect(node.getState()).toBeUndefined();
  }
  const restored = both.map(({ lines }) =>
    lines.some(({ message }) => message === 'replaced the database'),
  );
  expect(restored).toEqual([false, true]);
  await untilWorker();
  expect(second.lines.filter(({ nodes }) => nodes !== undefined)).toEqual([]);
});

/** Waits for a worker that runs jobs. */
const untilWorker = () =>
  withConnection(databaseUrl, (sql) =>
    until(
      async () =>
        (await sql`select from node where role = 'worker' and state = 'ready'`).length > 0,
      60_000,
    ),
  );

test('a server that starts while another one replaces the database waits', async () => {
  const first = await serve();
  await signUp(first.url);
  let starting: Promise<Node> | undefined;
  await withAdmin(databaseUrl, (admin) =>
    whileClosed(admin, name, async () => {
      const dataDir = addFolder();
      const child = served.spawn(
        'serve',
        '--port',
        '0',
        '--host',
        '127.0.0.1',
        ...toFlags(dataDir),
      );
      const reader = child.stderr.getReader();
      let text = '';
      const decoder = new TextDecoder();
      await until(async () => {
        text += decoder.decode((await reader.read()).value);
        return text.includes('Another server replaces the database');
      });
      expect(child.exitCode).toBeNull();
      child.kill('SIGKILL');
      await child.exited;
      starting = serve();
      await Bun.sleep(1000);
    }),
  );
  await untilActive([await starting!], false);
});

test('the servers go on when the one that replaces the database is killed', async () => {
  const first = await serve();
  const { accessToken, apiKey } = await signUp(first.url);
  const second = await serve();
  const backup = await runCommand(folder, ['maintenance', 'backup', ...toFlags(first.dataDir)]);
  const ask = createAdministrator(accessToken);
  const restore = { action: 'restore_database', restoreBackupFilename: basename(backup.out) };
  expect((await ask(first, 'POST', '/admin/maintenance', restore)).status).toBe(201);
  await until(() => first.getState()?.interrupted !== undefined, 60_000);
  first.child.kill('SIGKILL');
  await first.child.exited;

  const again = await serve(first.dataDir);
  /** Whether a server that serves shows the notification. */
  const isTold = async ({ url }: Node): Promise<boolean> => {
    const response = await fetch(`${url}/api/notifications`, { headers: { 'x-api-key': apiKey } });
    const told = (await response.json()) as { title: string }[];
    return response.ok && told.some(({ title }) => title === 'Maintenance interrupted');
  };
  await until(() => isTold(second), 120_000);
  for (const node of [second, again]) {
    await until(async () => node.getState() === undefined && (await isReady(node.url)), 120_000);
  }
  await withConnection(databaseUrl, async (sql) =>
    expect(await sql`select from maintenance_mode`).toHaveLength(0),
  );
});
