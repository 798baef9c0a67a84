import { afterAll, beforeAll, expect, test } from 'bun:test';
import { eq, sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/postgres-js';
import type { Sql } from 'postgres';
import { seed, type TestDatabase, testDatabase } from '../../test/support/harness.ts';
import { connect, getAddress } from './address.ts';
import { cancelQueryOnAbort } from './cancel.ts';
import type { Db } from './client.ts';
import { queryPrepared, queryRows } from './query.ts';
import { assets } from './tables/assets.ts';
import { users } from './tables/identity.ts';
import { until } from '../../test/support/until.ts';

let database: TestDatabase;
/** A pool of one connection. */
let narrow: Sql;
let narrowDb: Db;
beforeAll(async () => {
  database = await testDatabase();
  narrow = connect(getAddress(database.sql), { max: 1 });
  narrowDb = drizzle(narrow);
});
afterAll(async () => {
  await narrow.end();
  await database.close();
});

const running = async (mark: string): Promise<number> => {
  const rows = await database.sql`
    select 1 from pg_stat_activity
    where state = 'active' and query like ${`%${mark}%`} and pid <> pg_backend_pid()`;
  return rows.length;
};
/** Runs a query to its end and returns why it failed. */
const failing = (answer: Promise<unknown>): Promise<unknown> =>
  answer.then(
    () => undefined,
    (error: Error) => error.cause ?? error,
  );
const readUntil = (signal: AbortSignal) =>
  cancelQueryOnAbort({ db: narrowDb, sql: narrow }, signal);
const sleep = (mark: string) => sql.raw(`select pg_sleep(600) /* ${mark} */`);

test('an abort cancels the running statement, and its connection is reused', async () => {
  const reader = new AbortController();
  const db = readUntil(reader.signal);
  const answer = failing(db.execute(sleep('left alone')));
  await until(async () => (await running('left alone')) === 1);
  reader.abort();
  expect(await answer).toBe(reader.signal.reason);
  await until(async () => (await running('left alone')) === 0);
  expect([...(await narrow`select 1 as one`)]).toEqual([{ one: 1 }]);
});

test('a statement aborted while it waits for a connection never runs', async () => {
  const reader = new AbortController();
  const db = readUntil(reader.signal);
  const before = new AbortController();
  const first = failing(readUntil(before.signal).execute(sleep('in front')));
  await until(async () => (await running('in front')) === 1);
  const answer = failing(db.execute(sleep('never')));
  reader.abort();
  before.abort();
  expect(await first).toBe(before.signal.reason);
  expect(await answer).toBe(reader.signal.reason);
  expect(await failing(db.execute(sql`select 1`))).toBe(reader.signal.reason);
});

test('a late cancellation never cancels the next statement of the connection', async () => {
  for (let n = 0; n < 150; n++) {
    const reader = new AbortController();
    const db = readUntil(reader.signal);
    const ms = (n % 15) / 5;
    const answer = failing(db.execute(sql`select pg_sleep(0.0015)`));
    const other = (async () => {
      for (let k = 0; k < 5; k++) await narrow`select pg_sleep(0.0005)`;
      return 'untouched';
    })();
    if (ms > 0) await Bun.sleep(ms);
    reader.abort();
    await answer;
    expect(await other).toBe('untouched');
  }
});

test('returns the same rows as the pool, in a read-only transaction', async () => {
  const { id } = await seed(database).user();
  const db = cancelQueryOnAbort(database, new AbortController().signal);
  const ofPool = database.db.select().from(users).where(eq(users.id, id));
  expect(await db.select().from(users).where(eq(users.id, id))).toEqual(await ofPool);
  const query = sql`select id, created_at from app_user where id = ${id}`;
  expect(await queryRows(db, query)).toEqual(await queryRows(database.db, query));
  expect(await queryPrepared(db, query)).toEqual(await queryRows(database.db, query));

  const write = db.update(users).set({ name: 'Changed' }).where(eq(users.id, id));
  expect(await failing(write)).toHaveProperty('code', '25006');
  const [stored] = await ofPool;
  expect(stored!.name).not.toBe('Changed');
});

test('returns null for a left-joined table without a row, like the pool', async () => {
  const { id } = await seed(database).user();
  const read = (db: Db) =>
    db
      .select({ user: users.id, asset: { id: assets.id } })
      .from(users)
      .leftJoin(assets, eq(assets.ownerId, users.id))
      .where(eq(users.id, id));
  const db = cancelQueryOnAbort(database, new AbortController().signal);
  expect(await read(db)).toEqual([{ user: id, asset: null }]);
});
