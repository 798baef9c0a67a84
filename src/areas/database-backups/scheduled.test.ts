import { beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import {
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { useApp } from '../../../test/support/database.ts';
import { configWith } from '../../../test/support/config.ts';
import {
  call,
  createDatabase,
  dropDatabase,
  seed,
  type TestUser,
  toDatabaseUrl,
} from '../../../test/support/harness.ts';
import { listNotifications } from '../../../test/support/notifications.ts';
import { passTimeUntil } from '../../../test/support/passed-time.ts';
import { drainLane, jobCtx } from '../../../test/support/processing.ts';
import { until } from '../../../test/support/until.ts';
import { connect } from '../../db/address.ts';
import { pruneUpdateBackups } from '../../maintenance/backup-files.ts';
import { restoreOwnDump } from '../../db/dump.ts';
import { startDispatcher } from '../../jobs/dispatch.ts';
import { type HandlersByLane, jobs } from '../../job-registry.ts';
import { handleReportFailures } from '../jobs/handlers.ts';
import type { JobRun } from '../jobs/runs/runs.schemas.ts';
import { DEFAULTS } from '../system-config/index.ts';
import { handleBackUpDatabase, handleDropReplacedDatabases } from './handlers.ts';
import { readProcessConfig } from '../../process-config.ts';

const { database, app } = await useApp();
let admin: TestUser;
let folder: string;
beforeAll(() => {
  folder = database.deps.paths.backups;
});
beforeEach(async () => {
  await database.sql`truncate job, job_run, schedule, system_config, clock_span cascade`;
  await database.sql`update instance set backup_warned_at = null`;
  rmSync(folder, { recursive: true, force: true });
  admin = await seed(database).user(['all'], { isAdmin: true });
});

const configure = (backup: Partial<typeof DEFAULTS.backup.database>) =>
  call(app, 'PUT /system-config', {
    as: admin,
    body: configWith({ backup: { database: { ...DEFAULTS.backup.database, ...backup } } }),
  });
const start = () => call(app, 'POST /jobs', { as: admin, body: { name: 'backup-database' } });
const drain = () =>
  drainLane(database, 'background', {
    'databaseBackups.backUpDatabase': handleBackUpDatabase,
  } as HandlersByLane<'background'>);
const listRuns = async (): Promise<JobRun[]> =>
  (await call(app, 'GET /jobs/runs', { as: admin })).body.items;

/** Runs the job at a time; returns the files that are there afterwards. */
async function backUpAt(time: string): Promise<string[]> {
  const ctx = jobCtx(database, { now: () => new Date(time) });
  const effect = await handleBackUpDatabase(ctx, {});
  await database.db.transaction(async (tx) => void (await effect!(tx)));
  return readdirSync(folder).sort();
}

test('a backup that is started by hand is a run, and can be restored', async () => {
  expect((await start()).status).toBe(204);
  await drain();
  expect(await listRuns()).toMatchObject([
    { name: 'backup-database', queue: 'backupDatabase', status: 'completed', succeeded: 1 },
  ]);
  const [dump, ...others] = readdirSync(folder);
  expect(others).toEqual([]);
  // The schedule deletes its own alone.
  expect(dump).toStartWith('safelight-manual-');
  const name = await createDatabase('restored');
  const sql = connect(toDatabaseUrl(name), { max: 1, onnotice: () => {} });
  try {
    await sql`drop schema public cascade`;
    await sql`create schema public`;
    await restoreOwnDump(toDatabaseUrl(name), openSync(join(folder, dump!), 'r'));
    expect((await sql`select id from app_user`).map((row) => row['id'])).toContain(admin.id);
  } finally {
    await sql.end();
    await dropDatabase(name);
  }
});

test('the newest backups are kept, and those that somebody has made', async () => {
  mkdirSync(folder, { recursive: true });
  const own = [
    'safelight-20200101T000000Z.dump',
    'safelight-manual-20200101T000000Z.dump',
    'notes.txt',
  ];
  const unfinished = ['scheduled', 'manual'].map(
    (kind) => `safelight-${kind}-20200101T000000Z.dump.partial`,
  );
  for (const name of [...own, ...unfinished]) writeFileSync(join(folder, name), 'mine');
  await configure({ keepLastAmount: 2 });
  await backUpAt('2026-01-01T02:00:00Z');
  await backUpAt('2026-01-02T02:00:00Z');
  expect(await backUpAt('2026-01-03T02:00:00Z')).toEqual(
    [
      ...own,
      'safelight-scheduled-20260102T020000Z.dump',
      'safelight-scheduled-20260103T020000Z.dump',
    ].sort(),
  );
});

test('administrators are told once of a backup that fails, and the old ones stay', async () => {
  const user = await seed(database).user();
  const [old] = await backUpAt('2026-01-01T02:00:00Z');
  const { settings } = database.deps;
  const unreachable = { ...settings, databaseUrl: toDatabaseUrl('nowhere_at_all') };
  const broken = { ...database, deps: { ...database.deps, settings: unreachable } };
  for (let n = 0; n < 2; n++) {
    await start();
    await database.sql`update job set failures = 2`;
    await drainLane(broken, 'background', {
      'databaseBackups.backUpDatabase': handleBackUpDatabase,
    } as HandlersByLane<'background'>);
  }
  const told = await handleReportFailures(jobCtx(database), {});
  await database.db.transaction(async (tx) => void (await told!(tx)));
  expect(await listRuns()).toMatchObject([
    { status: 'failed', failed: 1 },
    { status: 'failed', failed: 1 },
  ]);
  const [event, ...more] = await listNotifications(app, admin);
  expect([event?.type, more]).toEqual(['BackupFailed', []]);
  expect(event?.description).toContain('nowhere_at_all');
  expect(await listNotifications(app, user)).toEqual([]);
  expect(readdirSync(folder)).toEqual([old!]);
});

test('a backup stops before the disk is full', async () => {
  const settings = { ...database.deps.settings, reserveBytes: 1024 ** 6 };
  await expect(handleBackUpDatabase(jobCtx(database, { settings }), {})).rejects.toThrow(
    'not enough free disk space',
  );
  expect(existsSync(folder)).toBe(false);
});

test('a database that was replaced is dumped once, and dropped after a week or when space is short', async () => {
  const [{ name }] = (await database.sql`select current_database() as name`) as [{ name: string }];
  const kept = `${name}_before_20260101t020000z`;
  const create = () => database.sql`create database ${database.sql(kept)}`;
  const exists = async () =>
    (await database.sql`select from pg_database where datname = ${kept}`).length === 1;
  const run = async (time: string, reserveBytes = 0) => {
    await passTimeUntil(database, new Date(time));
    const settings = { ...database.deps.settings, reserveBytes };
    return handleDropReplacedDatabases(
      jobCtx(database, { now: () => new Date(time), settings }),
      {},
    );
  };
  await create();
  await run('2026-01-01T03:00:00Z');
  const dump = join(folder, 'safelight-before-20260101t020000z.dump');
  expect(await Bun.file(dump).slice(0, 5).text()).toBe('PGDMP');
  const { mtimeMs } = statSync(dump);
  await run('2026-01-08T01:59:59Z');
  expect([await exists(), statSync(dump).mtimeMs]).toEqual([true, mtimeMs]);
  await run('2026-01-08T02:00:01Z');
  expect([await exists(), existsSync(dump)]).toEqual([false, true]);
  rmSync(dump);
  await create();
  await run('2026-01-02T00:00:00Z', 1024 ** 6);
  expect([await exists(), existsSync(dump)]).toEqual([false, false]);
});

test('the newest three dumps of replaced databases stay', async () => {
  mkdirSync(folder, { recursive: true });
  const dumps = [1, 2, 3, 4].map((day) => `safelight-before-2026010${day}t020000z.dump`);
  for (const dump of dumps) writeFileSync(join(folder, dump), 'dump');
  await handleDropReplacedDatabases(jobCtx(database), {});
  expect(readdirSync(folder).sort()).toEqual(dumps.slice(1));
});

test('the newest three backups before updates stay, and the one that shows the version before', async () => {
  mkdirSync(folder, { recursive: true });
  const toName = (version: string, day: number) =>
    `safelight-before-${version}-2026010${day}T020000Z.dump`;
  const former = [toName('0.9.0', 1), toName('0.10.0-rc.1', 2)];
  const last = [3, 4, 5, 6, 7].map((day) => toName('0.10.0', day));
  const others = ['safelight-before-20260101t020000z.dump', 'safelight-20260101T020000Z.dump'];
  for (const name of [...former, ...last, ...others]) writeFileSync(join(folder, name), 'dump');
  await pruneUpdateBackups(folder);
  expect(readdirSync(folder).sort()).toEqual([...others, last[0]!, ...last.slice(-3)].sort());
});

test('a backup that is cancelled leaves nothing', async () => {
  const stopped = new AbortController();
  const work = handleBackUpDatabase(jobCtx(database, { signal: stopped.signal }), {});
  stopped.abort(new Error('The job was cancelled'));
  await expect(work).rejects.toThrow('cancelled');
  expect(existsSync(folder) ? readdirSync(folder) : []).toEqual([]);
});

describe('the schedule', () => {
  const startSchedule = () =>
    startDispatcher({
      deps: database.deps,
      lanes: ['background'],
      jobs: jobs.filter(({ name }) => name === 'databaseBackups.backUpDatabase'),
      wake: () => {},
      readConfig: () => readProcessConfig(database.db, database.deps.settings),
      pollMs: 600_000,
    });
  const findNext = async (): Promise<Date | undefined> => {
    const [row] = await database.sql`
      select next_at from schedule where name = 'databaseBackups.backUpDatabase'`;
    return row && new Date(row['next_at'] as string);
  };

  test('follows the cron expression from the moment that it changes', async () => {
    const dispatcher = startSchedule();
    await until(async () => (await findNext()) !== undefined);
    const before = await findNext();
    expect([before!.getHours(), before!.getMinutes(), before! > new Date()]).toEqual([2, 0, true]);
    await configure({ cronExpression: '30 4 * * *' });
    await until(async () => (await findNext())?.getMinutes() === 30);
    expect((await findNext())?.getHours()).toBe(4);
    await configure({ enabled: false });
    await until(async () => (await findNext()) === undefined);
    await configure({});
    await until(async () => (await findNext())?.getHours() === 2);
    await dispatcher.stop();
  });

  test('starts one run, however many machines there are, also after the time has passed', async () => {
    const dispatchers = [startSchedule(), startSchedule()];
    await until(async () => (await findNext()) !== undefined);
    await database.sql`update schedule set next_at = now() - interval '3 hours'`;
    await configure({ keepLastAmount: 3 });
    await until(async () => (await listRuns()).length > 0);
    await until(async () => (await findNext())! > new Date());
    await Promise.all(dispatchers.map((dispatcher) => dispatcher.stop()));
    expect(await listRuns()).toMatchObject([
      { name: 'databaseBackups.backUpDatabase', trigger: 'schedule', total: 1 },
    ]);
    expect((await database.sql`select from job`).length).toBe(1);
  });

  test('of the night has the start time and the cleanup of the configuration', async () => {
    const { settings } = database.deps;
    const nightlyTasks = { startTime: '03:15', databaseCleanup: false };
    expect((await readProcessConfig(database.db, settings)).timetable).toMatchObject({
      'memories.clean': '0 0 * * *',
      'trash.expire': '0 0 * * *',
      'trash.sweepFiles': '0 0 * * *',
    });
    await call(app, 'PUT /system-config', { as: admin, body: configWith({ nightlyTasks }) });
    expect((await readProcessConfig(database.db, settings)).timetable).toMatchObject({
      'memories.clean': undefined,
      'notifications.clean': undefined,
      'trash.expire': undefined,
      'trash.sweepFiles': '15 3 * * *',
    });
  });
});

test.each([0, 1.5])('keeping %p backups is refused', async (keepLastAmount) => {
  const { status, body } = await configure({ keepLastAmount });
  const path = 'backup.database.keepLastAmount';
  expect([status, body.errors[0].path.join('.')]).toEqual([400, path]);
});

test.each(['', ' ', 'daily', '0 0 31 4 *'])(
  'the cron expression %p is refused',
  async (expression) => {
    const { status, body } = await configure({ cronExpression: expression });
    const path = 'backup.database.cronExpression';
    expect([status, body.errors[0].path.join('.')]).toEqual([400, path]);
  },
);
