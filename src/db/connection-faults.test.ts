import { afterEach, beforeEach, expect, test } from 'bun:test';
import type { Sql } from 'postgres';
import { type DatabaseProxy, startDatabaseProxy } from '../../test/support/database-proxy.ts';
import {
  call,
  seed,
  testApp,
  type TestDatabase,
  testDatabase,
} from '../../test/support/harness.ts';
import { type Database, openDatabase } from './client.ts';
import { isDatabaseError } from './errors.ts';

let database: TestDatabase;
let proxy: DatabaseProxy;
let pools: { close(): Promise<void> }[];
let unhandled: unknown[];
const note = (error: unknown) => void unhandled.push(error);

beforeEach(async () => {
  database = await testDatabase();
  await database.sql`create table noted (text text)`;
  const [row] = await database.sql`select current_database() as name`;
  proxy = await startDatabaseProxy(row!['name'] as string);
  [pools, unhandled] = [[], []];
  process.on('unhandledRejection', note).on('uncaughtException', note);
});
afterEach(async () => {
  for (const pool of pools) await pool.close();
  await proxy.stop();
  await database.close();
  process.off('unhandledRejection', note).off('uncaughtException', note);
  expect(unhandled).toEqual([]);
});

function pooled(max: number): Database {
  const opened = openDatabase(proxy.url, { max });
  pools.push(opened);
  return opened;
}
const pool = (max: number): Sql => pooled(max).sql;

const noted = async () =>
  (await database.sql<{ text: string }[]>`select text from noted order by text`).map(
    ({ text }) => text,
  );
const isSleeping = async () =>
  (
    await database.sql`
      select 1 from pg_stat_activity
      where datname = current_database() and wait_event = 'PgSleep'`
  ).length > 0;
const getErrorCode = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'answered',
    (error: { code?: string }) => error.code ?? error,
  );
test('reconnects when the connection closes before a buffered statement is sent', async () => {
  const sql = pool(1);
  await sql`select 1`;
  for (let round = 0; round < 3; round++) {
    const lost = getErrorCode(sql`select 1`);
    // It is buffered by the next microtasks and sent after them.
    for (let n = 0; n < 5; n++) await Promise.resolve();
    proxy.cut();
    expect(await lost).toMatch(/CONNECTION_CLOSED|answered|EPIPE|ECONNRESET/);
    expect(await getErrorCode(sql`select 1`)).toMatch(
      /CONNECTION_CLOSED|answered|EPIPE|ECONNRESET/,
    );
    expect([...(await sql`select 1 as one`)]).toEqual([{ one: 1 }]);
  }
});

test('never runs the remaining statements of a transaction whose connection was lost', async () => {
  const sql = pool(1);
  const started = Promise.withResolvers<void>();
  const after = Promise.withResolvers<void>();
  const rest = Promise.withResolvers<unknown[]>();
  const lost = getErrorCode(
    sql.begin(async (tx) => {
      await tx`insert into noted values ('in the transaction')`;
      started.resolve();
      await after.promise;
      rest.resolve([
        await getErrorCode(tx`insert into noted values ('after its loss')`),
        await getErrorCode(tx`insert into noted values ('and again')`),
      ]);
    }),
  );
  await started.promise;
  proxy.cut();
  expect(await lost).toBe('CONNECTION_CLOSED');
  // The only connection is somebody else's by now.
  const other = sql`insert into noted values ('of somebody else') returning pg_sleep(0.2)`;
  await Promise.all([other, Bun.sleep(50).then(after.resolve)]);
  expect(await rest.promise).toEqual(['CONNECTION_CLOSED', 'CONNECTION_CLOSED']);
  expect(await noted()).toEqual(['of somebody else']);
});

test('queued statements of a transaction fail when its connection is lost', async () => {
  const sql = pool(1);
  const outcomes = Promise.withResolvers<unknown[]>();
  const lost = getErrorCode(
    sql.begin(async (tx) =>
      outcomes.resolve(
        await Promise.all([1, 2, 3].map(() => getErrorCode(tx`select pg_sleep(60)`))),
      ),
    ),
  );
  while (!(await isSleeping())) await Bun.sleep(5);
  proxy.cut();
  expect(await lost).toBe('CONNECTION_CLOSED');
  expect(await outcomes.promise).toEqual(Array(3).fill('CONNECTION_CLOSED'));
});

test('begins a transaction on a connection whose pipeline is full', async () => {
  const sql = pool(2);
  // Both connected, and then busy with something that takes more while it runs.
  await Promise.all([1, 2].map(() => sql`select pg_sleep(0.05)`));
  // Statements that the driver sends ahead to one connection.
  const MOST = 100;
  const busy = [1, 2].map(() => sql.unsafe('select pg_sleep(0.3)').execute());
  const more = Array.from({ length: 2 * (MOST - 1) }, () => sql.unsafe('select 1').execute());
  const begun = [1, 2].map((n) =>
    sql.begin(async (tx) => void (await tx`insert into noted values (${`committed ${n}`})`)),
  );
  await Promise.all([...busy, ...more, ...begun]);
  expect(await noted()).toEqual(['committed 1', 'committed 2']);
});

test('a result that was cut off adds no rows to the next result', async () => {
  const sql = pool(1);
  // Enough for the first answers; not for a thousand rows.
  proxy.cutNextAfter(20_000);
  await sql`select 1`;
  const many = () => sql`select n, repeat('x', 100) as text from generate_series(1, 1000) n`;
  expect(await getErrorCode(many())).toBe('CONNECTION_CLOSED');
  const rows = await many();
  expect(rows).toHaveLength(1000);
  expect(rows[0]).toMatchObject({ n: 1 });
});

test('a connection lost during the handshake fails only its own statement', async () => {
  const sql = pool(1);
  for (const bytes of [1, 100, 300, 500, 700]) {
    proxy.cutNextAfter(bytes);
    expect(await getErrorCode(sql`select 1`)).toBe('CONNECTION_CLOSED');
    proxy.cut();
  }
  expect([...(await sql`select 1 as one`)]).toEqual([{ one: 1 }]);
});

test('queries fail while the server is down and succeed after it is back', async () => {
  const sql = pool(3);
  await Promise.all([1, 2, 3].map(() => sql`select pg_sleep(0.05)`));
  await proxy.close();
  for (let round = 0; round < 4; round++) {
    const codes = await Promise.all(Array.from({ length: 200 }, () => getErrorCode(sql`select 1`)));
    expect(codes).not.toContain('answered');
    const begun = getErrorCode(sql.begin(async (tx) => void (await tx`select 1`)));
    expect(await begun).not.toBe('answered');
  }
  await proxy.open();
  const ask = () => Promise.all(Array.from({ length: 200 }, () => getErrorCode(sql`select 1`)));
  // An attempt may have failed just before.
  while ((await ask()).some((code) => code !== 'answered')) await Bun.sleep(20);
  expect(new Set(await ask())).toEqual(new Set(['answered']));
}, 300_000);

test('LISTEN continues after an outage that is longer than one reconnect attempt', async () => {
  const sql = pool(2);
  const heard: string[] = [];
  let listening = 0;
  await sql.listen(
    'news',
    (text) => void heard.push(text),
    () => void (listening += 1),
  );
  await proxy.close();
  await Bun.sleep(1500);
  await proxy.open();
  while (listening < 2) await Bun.sleep(20);
  await database.sql`select pg_notify('news', 'back')`;
  while (heard.length === 0) await Bun.sleep(20);
  expect(heard).toEqual(['back']);
});

test('a request returns 503 and Retry-After in the format of its route while the database is down', async () => {
  const { db, sql } = pooled(2);
  const app = testApp(database, { db, sql });
  const me = await seed(database).user();
  expect((await call(app, 'GET /users/me', { as: me })).status).toBe(200);
  await proxy.close();
  for (let round = 0; round < 3; round++) {
    const reply = await call(app, 'GET /users/me', { as: me });
    expect([reply.status, reply.headers.get('retry-after')]).toEqual([503, '1']);
    expect(reply.body).toEqual({ message: 'The database cannot be reached' });
    const own = await call(app, 'GET /trash/summary', { as: me });
    expect(own.body).toMatchObject({ statusCode: 503, code: 'source_unavailable' });
  }
  const write = await call(app, 'POST /albums', { as: me, body: { albumName: 'never' } });
  expect([write.status, write.headers.get('retry-after')]).toEqual([503, '1']);
  await proxy.open();
  while ((await call(app, 'GET /users/me', { as: me })).status !== 200) await Bun.sleep(20);
  expect((await call(app, 'GET /albums', { as: me })).body).toEqual([]);
});

test('errors of files and child processes are not database errors', () => {
  const withCode = (code: string, more = {}) => Object.assign(new Error('x'), { code, ...more });
  for (const code of ['ENOENT', 'EPIPE', 'ECONNREFUSED', '57014', '23505', '40001']) {
    expect(isDatabaseError(withCode(code), 'connectionFailure')).toBe(false);
  }
  for (const code of ['CONNECTION_CLOSED', 'CONNECT_TIMEOUT', '57P01', '57P03', '08006', '53300']) {
    expect(
      isDatabaseError(new Error('query', { cause: withCode(code) }), 'connectionFailure'),
    ).toBe(true);
  }
  expect(isDatabaseError(withCode('ENOENT', { query: 'select 1' }), 'connectionFailure')).toBe(
    true,
  );
});
