import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type DatabaseProxy, startDatabaseProxy } from '../../test/support/database-proxy.ts';
import { useDatabase } from '../../test/support/database.ts';
import { call, seed, testApp } from '../../test/support/harness.ts';
import { until } from '../../test/support/until.ts';
import { type Database, openDatabase } from './client.ts';
import { isDatabaseError } from './errors.ts';

// A database that hangs, and statements that take too long: nobody waits for ever.

const database = await useDatabase();
let proxy: DatabaseProxy;
let pool: Database;
beforeAll(async () => {
  const [row] = await database.sql`select current_database() as name`;
  proxy = await startDatabaseProxy(row!['name'] as string);
  pool = openDatabase(proxy.url, { max: 2, deadlines: { statement: 1, answer: 2 } });
});
afterAll(async () => {
  await pool.close();
  await proxy.stop();
});

const catchError = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (reason: unknown) => reason,
  );

const select = async () => [...(await pool.sql`select 1`)];

test('what a hanging server owes fails at the deadline, all that waits with it, and the pool recovers', async () => {
  await pool.sql`select 1`;
  const goOn = proxy.hang();
  const waiting = Array.from({ length: 8 }, () => catchError(select()));
  // The server still hangs when they fail.
  for (const error of await Promise.all(waiting)) {
    expect(isDatabaseError(error, 'connectionFailure')).toBe(true);
  }
  goOn();
  await until(async () => (await catchError(select())) === undefined);
});

test('a transaction on a hanging server is rolled back, and its locks end with it', async () => {
  await database.sql`create table held (id int primary key)`;
  const inserted = Promise.withResolvers<void>();
  const next = Promise.withResolvers<void>();
  const work = catchError(
    pool.db.transaction(async (tx) => {
      await tx.execute('insert into held values (1)');
      inserted.resolve();
      await next.promise;
      await tx.execute('insert into held values (2)');
    }),
  );
  await inserted.promise;
  const goOn = proxy.hang();
  next.resolve();
  const error = await work;
  expect(isDatabaseError(error, 'connectionFailure')).toBe(true);
  goOn();
  await database.sql`insert into held values (1)`;
  expect(await database.sql`select id from held`).toHaveLength(1);
});

test('a statement that takes too long is cancelled, and its connection stays', async () => {
  const [before] = await pool.sql`select pg_backend_pid() as pid`;
  const error = await catchError(Promise.resolve(pool.sql`select pg_sleep(1000)`));
  expect(isDatabaseError(error, 'statementTimeout')).toBe(true);
  const pids = await Promise.all([1, 2, 3].map(() => pool.sql`select pg_backend_pid() as pid`));
  expect(pids.flat().map(({ pid }) => pid)).toContain(before!['pid']);
});

test('rows that keep coming are no silence', async () => {
  const slow = openDatabase(proxy.url, { max: 1, deadlines: { answer: 1 } });
  const rows: number[] = [];
  await slow.sql`select n from generate_series(1, 8) n where pg_sleep(0.25) is not null`.cursor(
    1,
    (found) => {
      rows.push(...found.map(({ n }) => n as number));
    },
  );
  await slow.close();
  expect(rows).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
});

test('a request is answered with 503 and Retry-After', async () => {
  const user = await seed(database).user();
  const app = testApp(database, { db: pool.db, sql: pool.sql });
  const goOn = proxy.hang();
  const { status, headers } = await call(app, 'GET /albums', { as: user });
  goOn();
  expect([status, headers.get('retry-after')]).toEqual([503, '1']);
});
