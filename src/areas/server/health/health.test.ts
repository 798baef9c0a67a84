import { beforeAll, describe, expect, test } from 'bun:test';
import { resolve } from 'node:path';
import { useDatabase } from '../../../../test/support/database.ts';
import { call, NOW, seed, testApp, type TestUser } from '../../../../test/support/harness.ts';
import { listProcessTree } from '../../../core/process-memory.ts';
import { checkHealth } from './health.domain.ts';
import { readCommandLine } from '../../../../test/support/processes.ts';

const database = await useDatabase();
let admin: TestUser;
beforeAll(async () => {
  admin = await seed(database).user(['all'], { isAdmin: true });
});

const settings = () => ({ ...database.deps.settings });
const now = () => NOW;
const bun = (script: string) => ({ command: [process.execPath, '-e', script] });

test('the checks are those of the command, of this data folder, and leave the process as it is', async () => {
  const before = [process.getuid!(), process.umask()];
  const { status, body } = await call(testApp(database), 'POST /admin/health-checks', {
    as: admin,
  });
  expect(status).toBe(200);
  expect(body.checkedAt).toBe(NOW.toISOString());
  const names = body.checks.map(({ name }: { name: string }) => name);
  for (const name of ['safelight', 'ffmpeg', 'user', 'data folder', 'database', 'models']) {
    expect(names).toContain(name);
  }
  const folder = body.checks.find(({ name }: { name: string }) => name === 'data folder');
  expect(folder.detail).toContain(resolve(database.deps.settings.dataDir));
  expect([process.getuid!(), process.umask()]).toEqual(before);
}, 60_000);

test('only administrators run them, and keys with the permission', async () => {
  const app = testApp(database);
  const user = await seed(database).user();
  const keyOnly = await seed(database).user(['album.read'], { isAdmin: true });
  expect((await call(app, 'POST /admin/health-checks', { as: user })).status).toBe(403);
  expect((await call(app, 'POST /admin/health-checks', { as: keyOnly })).status).toBe(403);
  expect((await call(app, 'POST /admin/health-checks')).status).toBe(401);
});

describe('the process of the checks', () => {
  const RESULT = `[{"name":"a","state":"missing","detail":"postgres://me:secret@db","remedy":"r"}]`;

  test('is one at a time: all who ask meanwhile get its result', async () => {
    const mine = settings();
    const limits = bun(`console.log(${JSON.stringify(RESULT)})`);
    const first = checkHealth({ settings: mine, now }, limits);
    expect(checkHealth({ settings: mine, now }, bun('process.exit(3)'))).toBe(first);
    expect((await first).checks).toHaveLength(1);
    // Afterwards it is asked again.
    await expect(checkHealth({ settings: mine, now }, bun('process.exit(3)'))).rejects.toThrow();
  });

  test('keeps passwords of the database to itself, and gets the address by its environment', async () => {
    const mine = { ...settings(), databaseUrl: 'postgres://me:secret@db/photos' };
    const script = `console.log(JSON.stringify([{ name: process.argv.join(' '), state: 'ok', detail: process.env.DATABASE_URL }]))`;
    const { checks } = await checkHealth({ settings: mine, now }, bun(script));
    expect(checks[0]!.detail).toBe('postgres://me:…@db/photos');
    expect(checks[0]!.name).not.toContain('secret');
  });

  test('is ended when it takes too long', async () => {
    const endless = 'setInterval(() => {}, 1000)';
    const limits = { ...bun(endless), limitMs: 500 };
    await expect(checkHealth({ settings: settings(), now }, limits)).rejects.toMatchObject({
      status: 503,
    });
    const commands = listProcessTree(process.pid).map(readCommandLine);
    expect(commands.filter((command) => command.includes(endless))).toEqual([]);
  });

  test('that prints something else is an error without detail', async () => {
    for (const script of ['console.log("{}")', 'console.log("no JSON")', 'process.exit(2)']) {
      await expect(checkHealth({ settings: settings(), now }, bun(script))).rejects.toMatchObject({
        status: 500,
        message: 'The checks could not be run',
      });
    }
  });
});
