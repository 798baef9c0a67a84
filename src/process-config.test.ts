import { afterEach, beforeAll, expect, test } from 'bun:test';
import { useApp } from '../test/support/database.ts';
import { configWith } from '../test/support/config.ts';
import { call, seed, testApp, type TestUser } from '../test/support/harness.ts';
import { until } from '../test/support/until.ts';
import { createLog, setConfiguredThreshold } from './core/log.ts';
import { startThreads } from './jobs/threads.ts';
import { DEFAULTS } from './areas/system-config/index.ts';
import { readProcessConfig } from './process-config.ts';

const { database, app } = await useApp();
let admin: TestUser;
beforeAll(async () => {
  admin = await seed(database).user(['all'], { isAdmin: true });
});
afterEach(async () => {
  setConfiguredThreshold('info');
  await database.sql`truncate system_config`;
});

const put = (changes: Parameters<typeof configWith>[0], over = app) =>
  call(over, 'PUT /system-config', { session: admin, body: configWith(changes) });

test('the log of a running process follows the configuration', async () => {
  const { deps } = database;
  const lines: string[] = [];
  const write = (line: string) => void lines.push(line);
  const log = createLog({ level: undefined, format: 'json', write });
  const threads = startThreads({
    deps,
    databaseUrl: deps.settings.databaseUrl!,
    jobs: [],
    lanes: [],
    readConfig: (db) => readProcessConfig(db, deps.settings),
    pollMs: 600_000,
  });
  const isLogged = (level: 'debug' | 'info' | 'error') => {
    lines.length = 0;
    log[level]('x');
    return lines.length > 0;
  };
  expect([isLogged('debug'), isLogged('info')]).toEqual([false, true]);
  await put({ logging: { level: 'verbose' } });
  await until(() => isLogged('debug'));
  await put({ logging: { level: 'fatal' } });
  await until(() => !isLogged('info'));
  expect(isLogged('error')).toBe(true);
  await put({ logging: { enabled: false } });
  await until(() => !isLogged('error'));
  await put({});
  await until(() => isLogged('info'));
  await threads.stop(0);
});

test('--log-level wins and is shown as locked', async () => {
  const settings = { ...database.deps.settings, logLevel: 'info' as const };
  const locked = testApp({ ...database, deps: { ...database.deps, settings } });
  await put({ logging: { level: 'error', enabled: false } });
  const { body } = await call(locked, 'GET /system-config', { as: admin });
  expect(body.logging).toEqual({ enabled: true, level: 'log' });
  const refused = await put({ logging: { level: 'debug' } }, locked);
  expect([refused.status, refused.body.errors[0].path.join('.')]).toEqual([400, 'logging.level']);
});

test('without password login nobody logs in, until the command line switches it on again', async () => {
  const credentials = { email: 'anna@example.com', password: 'correct horse' };
  const login = () => call(app, 'POST /auth/login', { body: credentials });
  const passwordHash = await Bun.password.hash(credentials.password);
  await seed(database).user(['all'], { email: credentials.email, passwordHash });
  expect((await login()).status).toBe(201);
  await put({ passwordLogin: { enabled: false } });
  const { status, body } = await login();
  expect([status, body.message]).toEqual([401, 'Password login has been disabled']);
  const wrong = { ...credentials, password: 'wrong' };
  expect((await call(app, 'POST /auth/login', { body: wrong })).body.message).toBe(body.message);
  // Sessions and API keys go on.
  expect((await call(app, 'GET /users/me', { as: admin })).status).toBe(200);
  expect((await call(app, 'GET /server/features')).body.passwordLogin).toBe(false);
  expect((await call(app, 'GET /public/config')).body.passwordLogin).toEqual({ enabled: false });
  await put({ passwordLogin: { enabled: true } });
  expect((await login()).status).toBe(201);
});

test('clients are told whether there is a trash; what is in it keeps its time', async () => {
  const read = async () => ({
    features: (await call(app, 'GET /server/features')).body.trash,
    config: (await call(app, 'GET /config', { as: admin })).body.trash,
  });
  expect(await read()).toEqual({ features: true, config: DEFAULTS.trash });
  await put({ trash: { enabled: false } });
  expect(await read()).toEqual({ features: false, config: { enabled: false, days: 30 } });
});
