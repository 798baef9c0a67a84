import { afterAll, beforeAll, expect, test } from 'bun:test';
import { eq, sql } from 'drizzle-orm';
import type { Sql } from 'postgres';
import { seed, type TestDatabase, testDatabase } from '../../test/support/harness.ts';
import { readUntil } from './abandon.ts';
import { connectionOf, reconnect } from './address.ts';
import { sqlState } from './client.ts';
import { preparedRows } from './prepared.ts';
import { users } from './tables/users.ts';

let database: TestDatabase;
/** One connection. */
let narrow: Sql;
beforeAll(async () => {
  database = await testDatabase();
  narrow = reconnect(connectionOf(database.sql), 1);
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
async function until(check: () => Promise<boolean>): Promise<void> {
  while (!(await check())) await Bun.sleep(5);
}
/** It begins when it is waited for; drizzle wraps what went wrong. */
const failing = (answer: Promise<unknown>): Promise<unknown> =>
  answer.then(
    () => undefined,
    (error: Error) => error.cause,
  );
const sleep = (mark: string) => sql.raw(`select pg_sleep(600) /* ${mark} */`);

test('what runs when its reader leaves is cancelled, and its connection serves the next', async () => {
  const reader = new AbortController();
  const { db } = readUntil(narrow, reader.signal);
  const answer = failing(db.execute(sleep('left alone')));
  await until(async () => (await running('left alone')) === 1);
  reader.abort();
  expect(await answer).toBe(reader.signal.reason);
  expect(await running('left alone')).toBe(0);
  expect([...(await narrow`select 1 as one`)]).toEqual([{ one: 1 }]);
});

test('what waits for a connection when its reader leaves never runs', async () => {
  const reader = new AbortController();
  const { db } = readUntil(narrow, reader.signal);
  const before = new AbortController();
  const first = failing(readUntil(narrow, before.signal).db.execute(sleep('in front')));
  await until(async () => (await running('in front')) === 1);
  const answer = failing(db.execute(sleep('never')));
  reader.abort();
  before.abort();
  expect(await first).toBe(before.signal.reason);
  expect(await answer).toBe(reader.signal.reason);
  expect(await failing(db.execute(sql`select 1`))).toBe(reader.signal.reason);
});

test('nobody else is hit, however close to its end a statement is cancelled', async () => {
  for (let n = 0; n < 150; n++) {
    const reader = new AbortController();
    const { db } = readUntil(narrow, reader.signal);
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

test('it answers as the pool does, and refuses to write', async () => {
  const { id } = await seed(database).user();
  const read = readUntil(database.sql, new AbortController().signal);
  const ofPool = database.db.select().from(users).where(eq(users.id, id));
  expect(await read.db.select().from(users).where(eq(users.id, id))).toEqual(await ofPool);
  const asked = sql`select id, created_at from app_user where id = ${id}`;
  expect([...(await read.db.execute(asked))]).toEqual([...(await database.db.execute(asked))]);
  expect(await preparedRows(read.sql, asked)).toEqual(await preparedRows(database.sql, asked));

  const write = read.db.update(users).set({ name: 'Changed' }).where(eq(users.id, id));
  expect(sqlState(await failing(write))).toBe('25006');
  const [kept] = await ofPool;
  expect(kept!.name).not.toBe('Changed');
});
