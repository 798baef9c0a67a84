import { beforeAll, expect, test } from 'bun:test';
import { sql } from 'drizzle-orm';
import { inTransaction } from './transaction.ts';
import { useDatabase } from '../../test/support/database.ts';

const database = await useDatabase();
beforeAll(async () => {
  await database.sql`create table counter (name text primary key, value int not null)`;
  await database.sql`insert into counter values ('a', 0), ('b', 0)`;
});

test('retries one of two deadlocked transactions, and both take effect once', async () => {
  const { deps } = database;
  const arrived = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const;
  let runs = 0;
  const add = (first: string, second: string, me: 0 | 1) =>
    inTransaction(deps, async ({ db }) => {
      runs++;
      await db.execute(sql`update counter set value = value + 1 where name = ${first}`);
      arrived[me].resolve();
      await arrived[1 - me]!.promise;
      await db.execute(sql`update counter set value = value + 1 where name = ${second}`);
    });
  await Promise.all([add('a', 'b', 0), add('b', 'a', 1)]);

  expect(runs).toBeGreaterThan(2);
  const rows = await database.sql`select name, value from counter order by name`;
  expect([...rows]).toEqual([
    { name: 'a', value: 2 },
    { name: 'b', value: 2 },
  ]);
});

test('does not retry after any other error', async () => {
  let runs = 0;
  const broken = inTransaction(database.deps, async ({ db }) => {
    runs++;
    await db.execute(sql`select 1 / 0`);
  });
  await expect(broken).rejects.toThrow();
  expect(runs).toBe(1);
});
