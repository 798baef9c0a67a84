import { expect, test } from 'bun:test';
import { sql } from 'drizzle-orm';
import { useDatabase } from '../../test/support/database.ts';
import { createCtx, createSession, seed } from '../../test/support/harness.ts';
import { until } from '../../test/support/until.ts';
import { defineResponses, OWNERS } from './responses.ts';

const database = await useDatabase();

async function setUp() {
  const [me, other] = [await seed(database).user(), await seed(database).user()];
  const remember = defineResponses(
    `test ${crypto.randomUUID()}`,
    sql`(select string_agg(preferences ->> 'sort', ',') from app_user where id = any(${OWNERS}))`,
  );
  let builds = 0;
  const ask = async (owners = [me!.id]) => {
    const before = builds;
    await remember(createCtx(database, createSession(me.id)), { key: [], owners }, async () => {
      builds += 1;
      return new Uint8Array(10);
    });
    return builds > before ? 'built' : 'remembered';
  };
  /** Asks until nothing is built: a transaction that runs in another database delays it. */
  const settle = (owners?: string[]) =>
    until(async () => (await ask(owners)) === 'remembered', 120_000);
  const log = (owner: { id: string }) =>
    `insert into change (scope_id, kind, subject_id) values ('${owner.id}', 'asset', '${owner.id}')`;
  return { me, other, ask, settle, log };
}

test('a response is built again after a change in the log of its owners, and of its state', async () => {
  const { me, other, ask, settle, log } = await setUp();
  const both = [me.id, other.id];
  expect(await ask()).toBe('built');
  await settle();
  await database.sql.unsafe(log(other));
  expect(await ask()).toBe('remembered');
  expect(await ask(both)).toBe('built');
  await settle(both);
  await database.sql.unsafe(log(me));
  expect([await ask(), await ask(both)]).toEqual(['built', 'built']);
  await settle();
  await database.sql`update app_user set preferences = '{"sort": 1}' where id = ${me.id}`;
  expect(await ask()).toBe('built');
  await settle();
});

test('a change of a transaction that ran while the response was built is not overlooked', async () => {
  const { me, other, ask, settle, log } = await setUp();
  const [early, late] = [await database.sql.reserve(), await database.sql.reserve()];
  await early.unsafe(`begin; ${log(me)}`);
  await late.unsafe(log(other));
  await settle();
  await early.unsafe('commit');
  expect(await ask()).toBe('built');
  await settle();
  for (const connection of [early, late]) connection.release();
});

test('nothing is remembered from before what the log has dropped', async () => {
  const { ask, settle } = await setUp();
  await settle();
  await database.sql`
    update change_log set dropped_before = (pg_current_xact_id()::text::bigint + 1)::text::xid8`;
  expect(await ask()).toBe('built');
  await database.sql`update change_log set dropped_before = '0'`;
  expect(await ask()).toBe('remembered');
});
