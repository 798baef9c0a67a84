import { afterAll, afterEach, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCommand } from '../../test/support/command-line.ts';
import { configWith } from '../../test/support/config.ts';
import {
  call,
  seed,
  type TestDatabase,
  testApp,
  testDatabase,
  type TestUser,
} from '../../test/support/harness.ts';
import { sample } from '../../test/support/sample.ts';
import { until } from '../../test/support/until.ts';
import type { App } from '../app.ts';
import { DEFAULTS, readConfig } from '../areas/system-config/index.ts';

// Beside a running server: the app works on the same database.
setDefaultTimeout(300_000);

const folder = mkdtempSync(join(tmpdir(), 'config-test-'));
let database: TestDatabase;
let app: App;
let admin: TestUser;
beforeAll(async () => {
  database = await testDatabase();
  app = testApp(database);
  admin = await seed(database).user(['all'], { isAdmin: true });
});
afterEach(async () => {
  await database.sql`truncate system_config`;
  await database.sql`delete from job`;
});
afterAll(async () => {
  await database.close();
  rmSync(folder, { recursive: true, force: true });
});

const config = (
  words: string[],
  { input, flags = [] }: { input?: string; flags?: string[] } = {},
) =>
  runCommand(
    folder,
    ['config', ...words, '--database-url', database.deps.settings.databaseUrl!, ...flags],
    input === undefined ? {} : { input: new Blob([input]) },
  );
const put = (body: object) => call(app, 'PUT /system-config', { session: admin, body });
const readServerConfig = async (): Promise<{ trashDays: number }> =>
  (await call(app, 'GET /server/config')).body;
const countSections = async () => (await database.sql`select from system_config`).length;

test('set is in force in a running server, which tells its clients', async () => {
  const told: string[] = [];
  const listener = await database.sql.listen('live', (text) => void told.push(text));
  const set = await config(['set', 'trash.days', '5']);
  expect(set).toEqual({ code: 0, out: 'trash.days is 5', err: '' });
  expect((await readServerConfig()).trashDays).toBe(5);
  await until(() => told.includes('{"event":"config"}'));
  await listener.unlisten();
  expect((await config(['get', 'trash.days'])).out).toBe('5');
  expect(JSON.parse((await config(['get', 'trash'])).out)).toEqual({ enabled: true, days: 5 });
  expect(JSON.parse((await config(['get'])).out)).toEqual(configWith({ trash: { days: 5 } }));
});

test('set takes texts as they are, JSON, and some members of a section', async () => {
  await config(['set', 'server.loginPageMessage', 'Only 5 of us']);
  await config(['set', 'ffmpeg.targetResolution', '1080']);
  await config(['set', 'ffmpeg.bframes', '-1']);
  await config(['set', 'ffmpeg', '{"crf": 30, "acceptedVideoCodecs": ["h264", "hevc"]}']);
  const stored = await readConfig(database.db, 'server', 'ffmpeg');
  expect(stored.server.loginPageMessage).toBe('Only 5 of us');
  expect(stored.ffmpeg).toEqual({
    ...DEFAULTS.ffmpeg,
    targetResolution: '1080',
    crf: 30,
    acceptedVideoCodecs: ['h264', 'hevc'],
  });
});

const REFUSED: readonly (readonly [words: string[], reason: string])[] = [
  [['get', 'trash.dayz'], "There is no setting 'trash.dayz'. Did you mean trash.days?"],
  [['set', 'days', '3'], "There is no setting 'days'. Did you mean trash.days?"],
  [['set', 'trash', '{"days": 3, "day": 4}'], "'trash.day'. Did you mean trash.days?"],
  [['set', '__proto__.x', '1'], "There is no setting '__proto__.x'"],
  [['set', 'trash.days'], 'set needs a path and a value'],
  [['get', 'trash', 'days'], "Unexpected argument 'days'"],
  [['unset', 'trash'], 'Say what to do: get, set, export or import'],
  [['set', 'trash.days', 'soon'], 'trash.days: Invalid input: expected number, received string'],
  [['set', 'trash.days', '-1'], 'trash.days: Too small'],
  [['set', 'trash', '7'], 'trash: Invalid input: expected object'],
  [['set', 'library.scan.cronExpression', 'daily'], 'library.scan.cronExpression: Invalid cron'],
  [['set', 'server.loginPageMessage', '"\\u0000"'], 'server.loginPageMessage: Invalid string'],
  [['set', 'oauth.clientSecret', 'hush'], 'Other users of the machine can read the command line'],
  [['set', 'oauth', '{"clientSecret": "hush"}'], "'set oauth -' reads standard input"],
  [['get', 'oauth.clientSecret'], 'oauth.clientSecret can be set, but not read'],
];
test.each(sample('refused', REFUSED, 8))(
  'refuses %p and changes nothing',
  async (words, reason) => {
    const { code, out, err } = await config(words);
    expect(err).toContain(reason);
    expect([code, out]).toEqual([2, '']);
    expect(await countSections()).toBe(0);
  },
);

test('refuses what the command line or the environment of the server sets, naming the flag', async () => {
  const flags = ['--trash-days', '3'];
  expect((await config(['get', 'trash.days'], { flags })).out).toBe('3');
  const locked = await config(['set', 'trash.days', '5'], { flags });
  expect(locked).toMatchObject({ code: 2, err: expect.stringContaining('Set by --trash-days') });
  expect(await countSections()).toBe(0);
});

test('a mail server that cannot be reached is refused', async () => {
  const smtp = { enabled: true, from: 'a@b', transport: { host: '127.0.0.1', port: 1 } };
  const { code, err } = await config(['set', 'notifications.smtp', JSON.stringify(smtp)]);
  expect([code, err]).toEqual([1, expect.stringContaining('Invalid SMTP configuration')]);
  expect(await countSections()).toBe(0);
});

test('a secret is read from standard input and never printed', async () => {
  const set = await config(['set', 'oauth.clientSecret', '-'], { input: 'hush\n' });
  expect(set).toEqual({ code: 0, out: 'oauth.clientSecret is set', err: '' });
  const readSecret = async () => (await readConfig(database.db, 'oauth')).oauth.clientSecret;
  expect(await readSecret()).toBe('hush');
  await config(['set', 'oauth.buttonText', 'Enter']);
  expect(await readSecret()).toBe('hush');
  for (const words of [['get'], ['get', 'oauth'], ['export']]) {
    const { code, out } = await config(words);
    expect([code, out.includes('hush')]).toEqual([0, false]);
  }
});

test('export prints the differences from the defaults, and import brings them back', async () => {
  expect((await config(['export'])).out).toBe('{}');
  await put(configWith({ trash: { days: 9 }, theme: { customCss: 'body {}' } }));
  const exported = (await config(['export'])).out;
  expect(JSON.parse(exported)).toEqual({ theme: { customCss: 'body {}' }, trash: { days: 9 } });
  const file = join(folder, 'exported.json');
  writeFileSync(file, exported);
  await put(configWith({ trash: { days: 1 }, user: { deleteDelay: 3 } }));
  const imported = await config(['import', file]);
  expect(imported).toMatchObject({ code: 0, err: '' });
  expect((await config(['export'])).out).toBe(exported);

  const refused = [
    ['{"trash": {"dayz": 1}}', "There is no setting 'trash.dayz'"],
    ['{"trash": {"days": -1}}', 'trash.days: Too small'],
    ['[]', 'import needs a JSON object'],
    ['{', 'import needs a JSON object'],
  ] as const;
  for (const [input, reason] of refused) {
    const { code, err } = await config(['import', '-'], { input });
    expect([code, err]).toEqual([2, expect.stringContaining(reason)]);
  }
  expect(await config(['import', join(folder, 'none')])).toMatchObject({ code: 1 });
  expect((await config(['export'])).out).toBe(exported);
});

test('switches password login on again, when no administrator can log in', async () => {
  await put(configWith({ passwordLogin: { enabled: false } }));
  const set = await config(['set', 'passwordLogin.enabled', 'true']);
  expect(set).toEqual({ code: 0, out: 'passwordLogin.enabled is true', err: '' });
  expect((await call(app, 'GET /server/features')).body.passwordLogin).toBe(true);
});
