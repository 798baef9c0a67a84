import { describe, expect, test } from 'bun:test';
import { GenerationFixture, TODAY } from '../../../../test/support/generated-memories.ts';
import { call, seed, testApp } from '../../../../test/support/harness.ts';
import { jobCtx } from '../../../../test/support/processing.ts';
import type { Effect } from '../../../jobs/define.ts';
import { handleFindDueGenerations } from './generate.handlers.ts';

const fixture = new GenerationFixture();

describe('the generation', () => {
  test('changes nothing when it runs again', async () => {
    await fixture.addMany(4, '2020-11-21');
    await fixture.generate();
    const before = await fixture.list();
    await fixture.addMany(2, '2020-11-21');
    await fixture.generate();
    expect(await fixture.list()).toEqual(before);
  });

  /** Saves what was chosen before. */
  const save = (effect: Effect) =>
    fixture.database.db.transaction(async (tx) => void (await effect(tx)));

  test('leaves out what was deleted or locked while it chose', async () => {
    const [first, second, ...rest] = await fixture.addMany(6, '2020-11-21');
    const effect = await fixture.choose();
    await fixture.database.sql`delete from asset where id = ${first!}`;
    await fixture.database.sql`update asset set locked_at = now() where id = ${second!}`;
    await save(effect!);
    expect((await fixture.list())[0]!['ids'].toSorted()).toEqual(rest.toSorted());
  });

  test('makes no memory of which too little is left', async () => {
    const [first] = await fixture.addMany(4, '2020-11-21');
    const effect = await fixture.choose();
    await fixture.database.sql`update asset set locked_at = now() where id = ${first!}`;
    await save(effect!);
    expect(await fixture.list()).toEqual([]);
  });

  test('that is killed before it ends adds nothing, and the next one all', async () => {
    await fixture.addMany(4, '2020-11-21');
    await fixture.choose();
    expect(await fixture.list()).toEqual([]);
    await fixture.generate();
    expect(await fixture.list()).toHaveLength(1);
  });

  test('of two at once adds each memory once', async () => {
    await fixture.addMany(5, '2020-11-21');
    await fixture.addMany(5, '2020-11-22');
    const effects = [await fixture.choose(), await fixture.choose()];
    await Promise.all(effects.map((effect) => save(effect!)));
    const rows = await fixture.list();
    expect(rows.map(({ key }) => key)).toEqual([
      'on_this_day 2026-11-21 2020-11-21',
      'on_this_day 2026-11-22 2020-11-22',
    ]);
    expect(rows.map(({ ids }) => ids.length)).toEqual([5, 5]);
  });

  test.each(['delete from app_user', 'update app_user set deleted_at = now()'])(
    'adds nothing for an account that is removed while it runs: %s',
    async (removal) => {
      const { id } = await seed(fixture.database).user();
      for (let n = 0; n < 4; n++) await fixture.add('2020-11-21', { ownerId: id });
      const effect = await fixture.choose(TODAY, id);
      await fixture.database.sql`delete from asset where owner_id = ${id}`;
      await fixture.database.sql.unsafe(`${removal} where id = $1`, [id]);
      await save(effect!);
      expect(await fixture.list(id)).toEqual([]);
    },
  );

  test('of an account without pictures makes nothing, and is done for the day', async () => {
    await fixture.generate();
    expect(await fixture.list()).toEqual([]);
    expect(
      await fixture.database.sql`
        select from memory_generation where owner_id = ${fixture.me.id} and day = '2026-11-21'`,
    ).toHaveLength(1);
  });

  test('does not bring back what the owner deleted or hid', async () => {
    await fixture.addMany(4, '2020-11-21');
    await fixture.generate();
    const app = testApp(fixture.database, { now: () => TODAY });
    const [memory] = await fixture.list();
    expect((await call(app, `DELETE /memories/${memory!['id']}`, { as: fixture.me })).status).toBe(
      204,
    );
    await fixture.generate();
    expect(await fixture.list()).toHaveLength(1);
    expect((await call(app, 'GET /memories', { as: fixture.me })).body).toEqual([]);
  });

  test('makes none for an account that wants none', async () => {
    await fixture.addMany(4, '2020-11-21');
    await fixture.database.sql`update app_user set preferences = '{"memories":{"enabled":false}}'
      where id = ${fixture.me.id}`;
    await fixture.generate();
    expect(await fixture.list()).toEqual([]);
    expect(
      await fixture.database.sql`select from memory_generation where owner_id = ${fixture.me.id}`,
    ).toHaveLength(1);
  });

  test('keeps accounts apart', async () => {
    const other = await seed(fixture.database).user();
    const mine = await fixture.addMany(4, '2020-11-21');
    for (let n = 0; n < 4; n++) await fixture.add('2020-11-21', { ownerId: other.id });
    await fixture.generate();
    expect(await fixture.list(other.id)).toEqual([]);
    await fixture.generate(other.id);
    const members = (await fixture.list(other.id))[0]!['ids'];
    expect(members).toHaveLength(4);
    expect(members.filter((id: string) => mine.includes(id))).toEqual([]);
  });

  for (const [kind, column, value] of [
    ['memory-type', 'memory_type', 'on_this_day'],
    ['date', 'month_day', '11-21'],
  ] as const) {
    test(`follows a rule about a ${kind}`, async () => {
      await fixture.addMany(4, '2020-11-21');
      await fixture.database
        .sql`insert into memory_rule (owner_id, kind, ${fixture.database.sql(column)})
        values (${fixture.me.id}, ${kind}, ${value})`;
      await fixture.generate();
      expect(await fixture.list()).toEqual([]);
    });
  }

  test('of an account that is gone is nothing', async () => {
    await fixture.generate(crypto.randomUUID());
  });

  test('is due once a day, and after a large import', async () => {
    const due = async (now = TODAY): Promise<string[]> => {
      const effect = await handleFindDueGenerations(
        jobCtx(fixture.database, { now: () => now }),
        {},
      );
      await fixture.database.sql`delete from job where name = 'memories.generate'`;
      await fixture.database.db.transaction(async (tx) => void (await effect?.(tx)));
      const rows = await fixture.database.sql`
        select payload ->> 'ownerId' as id from job where name = 'memories.generate'`;
      return rows.map((row) => row['id'] as string);
    };
    expect(await due()).toContain(fixture.me.id);
    await fixture.generate();
    expect(await due()).not.toContain(fixture.me.id);
    expect(await due(new Date('2026-11-22T00:10:00Z'))).toContain(fixture.me.id);
    const grow = (assets: number) => fixture.database.sql`
      insert into asset_count (owner_id, local_month, type, visibility, is_locked, is_trashed,
        is_favorite, is_stack_child, assets, bytes, stamp)
      values (${fixture.me.id}, '2020-01-01', 'IMAGE', 'timeline', false, false, false, false, ${assets}, 0, 1)`;
    await grow(499);
    expect(await due()).not.toContain(fixture.me.id);
    await grow(1);
    expect(await due()).toContain(fixture.me.id);
    await fixture.generate();
    expect(await due()).not.toContain(fixture.me.id);
  });
});
