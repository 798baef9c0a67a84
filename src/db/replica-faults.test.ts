import { afterAll, beforeAll, beforeEach, expect, setDefaultTimeout, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { sql } from 'drizzle-orm';
import type { App } from '../app.ts';
import { keepEpochRecorded } from '../areas/sync/index.ts';
import { silentLog } from '../core/log.ts';
import {
  call,
  seed,
  type TestDatabase,
  testApp,
  type TestUser,
} from '../../test/support/harness.ts';
import { type DatabaseProxy, startDatabaseProxy } from '../../test/support/database-proxy.ts';
import { type PostgresPair, startPostgresPair } from '../../test/support/postgres-pair.ts';
import { stopClock } from '../../test/support/stopped-clock.ts';
import { until } from '../../test/support/until.ts';
import { openReplica, readFromReplica } from './replica.ts';

// A real standby by streaming, which lags, is away or hangs.

setDefaultTimeout(120_000);

let pair: PostgresPair;
/** Counts what is asked of the standby. */
let proxy: DatabaseProxy;
let database: TestDatabase;
let app: App;
/** On a pool that reads the primary alone, with an empty memory for each read. */
let plain: App;
let replica: { close(): Promise<void> };
beforeAll(async () => {
  pair = await startPostgresPair();
  proxy = await startDatabaseProxy('safelight', pair.standby.url);
  database = pair.open(pair.url);
  await keepEpochRecorded(database, silentLog);
  await pair.waitForReplay();
  const settings = { ...database.deps.settings, readCacheBytes: 1 };
  app = testApp(database, { settings });
  const other = pair.open(pair.url);
  plain = testApp(other, { settings });
});
beforeEach(async () => {
  await replica?.close();
  replica = openReplica(database.sql, proxy.url, silentLog);
});
afterAll(async () => {
  await replica?.close();
  await proxy.stop();
  await pair.stop();
});

const isOnReplica = () =>
  readFromReplica(database.deps, async ({ db }) => {
    const [row] = await db.execute(sql`select pg_is_in_recovery() as standby`);
    return row!['standby'] as boolean;
  });
const untilOnReplica = () => until(isOnReplica, 60_000);

type Route = Parameters<typeof call>[1];
const READS: readonly (readonly [Route, object?])[] = [
  ['GET /search/cities'],
  ['GET /search/cities/counts'],
  ['GET /search/explore'],
  ['POST /search/facets', {}],
  ['POST /search/histogram', { granularity: 'day' }],
  ['GET /users/me/calendar-heatmap?type=Taken&from=2020-01-01&to=2026-12-31'],
];
async function readAll(from: App, user: TestUser) {
  const answers = [];
  for (const [route, body] of READS) {
    const answer = await call(from, route, { session: user, body });
    answers.push([route, answer.status, answer.body]);
  }
  return answers;
}

test('reads go to the standby, and never show less or more than the primary would', async () => {
  const make = seed(database);
  const [me, partner, stranger] = [await make.user(), await make.user(), await make.user()];
  const ids: string[] = [];
  for (let n = 0; n < 4; n++)
    ids.push(
      await make.asset({ ownerId: me.id, exif: { city: `City ${n}`, country: 'Portugal' } }),
    );
  await database.sql`insert into partner (sharer_id, viewer_id, in_timeline) values (${me.id}, ${partner.id}, true)`;
  await untilOnReplica();
  // A standby that applies each commit late.
  await pair.standby.sql.unsafe(`alter system set recovery_min_apply_delay = '15ms'`);
  await pair.standby.sql`select pg_reload_conf()`;
  const ask = (route: Route, body: object) => call(app, route, { session: me, body });
  const changes: (() => Promise<unknown>)[] = [
    () => ask('PUT /assets', { ids: [ids[0]], visibility: 'locked' }),
    () => ask('DELETE /assets', { ids: [ids[1]] }),
    () => ask('PUT /assets', { ids: [ids[2]], visibility: 'archive' }),
    () => database.sql`update partner set hides_places = true where sharer_id = ${me.id}`,
    () => ask('POST /trash/restore', {}),
    () => database.sql`delete from partner where sharer_id = ${me.id}`,
  ];
  for (const [at, change] of changes.entries()) {
    await change();
    for (const user of [me, partner, stranger]) {
      const shown = await readAll(app, user);
      expect([at, shown]).toEqual([at, await readAll(plain, user)]);
      for (const [, status] of shown) expect(status).toBe(200);
      if (user === stranger) expect(JSON.stringify(shown)).not.toContain('City');
      else expect(JSON.stringify(shown)).not.toContain('"City 0"');
    }
  }
  await pair.standby.sql.unsafe(`alter system reset recovery_min_apply_delay`);
  await pair.standby.sql`select pg_reload_conf()`;
  // A session that has ended is refused at once.
  await database.sql`delete from session where user_id = ${me.id}`;
  for (const [, status] of await readAll(app, me)) expect(status).toBe(401);
});

test('what was committed is read from the primary until the standby shows it', async () => {
  await untilOnReplica();
  await database.sql`create table noted (n int)`;
  await database.sql`insert into noted values (0)`;
  await pair.waitForReplay();
  await until(isOnReplica);
  await pair.standby.sql`select pg_wal_replay_pause()`;
  for (let n = 1; n <= 20; n++) {
    await database.sql`update noted set n = ${n}`;
    const seen = await readFromReplica(database.deps, async ({ db }) => [
      ...(await db.execute(sql`select n, pg_is_in_recovery() as standby from noted`)),
    ]);
    expect(seen).toEqual([{ n, standby: false }]);
  }
  await pair.standby.sql`select pg_wal_replay_resume()`;
  await untilOnReplica();
});

test('a standby of another history is not read, however far it is', async () => {
  await untilOnReplica();
  // As on a primary that was promoted, before this standby follows it.
  const [row] = await database.sql`select epoch from change_log`;
  await database.sql`update change_log set epoch = 'of before'`;
  await pair.waitForReplay();
  for (let n = 0; n < 3; n++) expect(await isOnReplica()).toBe(false);
  await database.sql`update change_log set epoch = ${row!['epoch']}`;
  await untilOnReplica();
});

test('what a standby refuses runs on the primary; an answer for the caller is given once', async () => {
  await untilOnReplica();
  let tries = 0;
  await readFromReplica(database.deps, async ({ db }) => {
    tries += 1;
    await db.execute(sql`create table if not exists written (n int)`);
  });
  expect(tries).toBe(2);
  expect(await database.sql`select from written`).toHaveLength(0);
});

/** Signals the server and all of its processes. */
function signalAll(pid: number, signal: 'SIGSTOP' | 'SIGCONT'): void {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ');
  for (const one of [pid, ...children.map(Number)]) process.kill(one, signal);
}

test('a standby that hangs, and one that is gone, cost one read an attempt, and none its answer', async () => {
  await untilOnReplica();
  signalAll(pair.standby.pid(), 'SIGSTOP');
  // It still hangs when this is answered.
  expect(await isOnReplica()).toBe(false);
  const connections = proxy.count();
  const goOn = stopClock();
  for (let n = 0; n < 20; n++) expect(await isOnReplica()).toBe(false);
  goOn();
  expect(proxy.count()).toBe(connections);
  signalAll(pair.standby.pid(), 'SIGCONT');
  await untilOnReplica();
  await pair.standby.kill();
  // A backend that outlives the postmaster for a moment may answer one more.
  await until(async () => !(await isOnReplica()));
  for (let n = 0; n < 20; n++) expect(await isOnReplica()).toBe(false);
  await pair.standby.start();
  await untilOnReplica();
});
